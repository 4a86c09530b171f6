package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// script starts a shell script in place of a collector. When the test has ended, it leaves no goroutine.
func script(t *testing.T, s processSettings, text string) *process {
	t.Helper()
	old := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, old) })
	s.binary, s.config = filepath.Join(t.TempDir(), "collector"), "config.yaml"
	require.NoError(t, os.WriteFile(s.binary, []byte("#!/usr/bin/env bash\n"+text), 0o700))
	p, err := startProcess(s)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.kill()) })
	return p
}

// said waits until the process has printed text.
func said(t *testing.T, p *process, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	require.NoError(t, p.ready(ctx, func(context.Context) bool { return bytes.Contains([]byte(p.logEnd()), []byte(text)) }))
}

func TestACollectorThatStopsWhenAskedTo(t *testing.T) {
	var log bytes.Buffer
	p := script(t, processSettings{env: []string{"PLACE=here"}, log: &log},
		`trap 'echo bye; exit 0' TERM; echo "$@" $PLACE; while :; do sleep 0.01; done`)
	said(t, p, "--config config.yaml here")
	require.NoError(t, p.stop(patience))
	assert.Equal(t, "--config config.yaml here\nbye\n", log.String())
	require.ErrorContains(t, p.stop(patience), "ended before it was told to")
	require.NoError(t, p.kill(), "one that has ended is left alone")
}

func TestACollectorThatEndsByItself(t *testing.T) {
	p := script(t, processSettings{}, "echo no such receiver; exit 3")
	err := p.ready(t.Context(), func(context.Context) bool { return false })
	assert.ErrorContains(t, err, "ended by itself: exit status 3; its log ends with\nno such receiver")
}

func TestACollectorThatIsNotReadyInTime(t *testing.T) {
	p := script(t, processSettings{}, "echo busy; exec sleep 600")
	said(t, p, "busy")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorContains(t, p.ready(ctx, func(context.Context) bool { return false }), "is not ready: context canceled; its log ends with\nbusy")
}

func TestACollectorThatDoesNotStop(t *testing.T) {
	p := script(t, processSettings{}, "trap '' TERM; echo deaf; while :; do sleep 0.01; done")
	said(t, p, "deaf")
	require.ErrorContains(t, p.stop(time.Millisecond), "did not exit within 1ms of SIGTERM")
	<-p.exited
}

func TestACollectorThatFailsWhenItStops(t *testing.T) {
	p := script(t, processSettings{}, "trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done")
	said(t, p, "up")
	require.ErrorContains(t, p.stop(patience), "did not exit cleanly: exit status 7")
}

// A limit on the collector's own files is none on its log.
func TestACollectorOnAFullDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	p := script(t, processSettings{env: []string{"FILE=" + file}},
		"ulimit -f 1\ntrap '' XFSZ\nhead -c 4096 /dev/zero > $FILE || echo full\nprintf 'x%.0s' {1..3000}; exit 1")
	<-p.exited
	assert.Greater(t, len(p.logEnd()), 3000)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(1024))
}

func TestFreeEndpointsDiffer(t *testing.T) {
	endpoints, err := freeEndpoints(t.Context(), 8)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, e := range endpoints {
		assert.False(t, seen[e], e)
		seen[e] = true
		assert.False(t, listening(e)(t.Context()), "nothing listens there")
	}
}
