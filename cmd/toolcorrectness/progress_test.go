package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The progress goes on with what is read, and is taken away for a line of text.
func TestProgress(t *testing.T) {
	var terminal strings.Builder
	p := &progress{terminal: &terminal, total: 4}
	_, err := io.ReadAll(io.TeeReader(iotest.OneByteReader(strings.NewReader("text")), p))
	require.NoError(t, err)
	p.clear()
	assert.Equal(t, "\rread 25%\rread 50%\rread 75%\rread 100%\r\x1b[K", terminal.String())
}

// A file or a pipe gets no progress.
func TestNoProgressWithoutATerminal(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(big, nil, 0o600))
	require.NoError(t, os.Truncate(big, 32<<20))
	f, err := os.Open(big)
	require.NoError(t, err)
	defer f.Close()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	for _, stderr := range []io.Writer{&strings.Builder{}, f, w} {
		p := newProgress(stderr, []source{{name: big}})
		assert.Equal(t, io.Discard, p.terminal)
	}
}
