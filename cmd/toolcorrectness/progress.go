package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

const (
	// worthABar is the size from which an input has a bar: a person would wonder whether anything happens.
	worthABar = 16 << 20
	// barWidth is how many characters the bar has.
	barWidth = 40
)

// A progress is a bar on a terminal. It is nil if there is no terminal, so that pipes and logs have no bar.
type progress struct {
	terminal    io.Writer
	total, read int64
}

// newProgress begins a bar for files, if stderr is a terminal and there is enough to read.
func newProgress(stderr io.Writer, files []source) *progress {
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	var size int64
	for _, s := range files {
		info, err := os.Stat(s.name)
		if err != nil {
			return nil // standard input has no known size
		}
		size += info.Size()
	}
	if size < worthABar {
		return nil
	}
	return &progress{terminal: f, total: size}
}

// of returns a reader of r that moves the bar.
func (p *progress) of(r io.Reader) io.Reader {
	if p == nil {
		return r
	}
	return io.TeeReader(r, p)
}

// Write moves the bar by the bytes that were read.
func (p *progress) Write(b []byte) (int, error) {
	before := 100 * p.read / p.total
	p.read += int64(len(b))
	if percent := min(100, 100*p.read/p.total); percent > before {
		done := int(percent) * barWidth / 100
		fmt.Fprintf(p.terminal, "\rreading [%s%s] %d%%", strings.Repeat("#", done), strings.Repeat(".", barWidth-done), percent)
	}
	return len(b), nil
}

// clear takes the bar away, until it moves again.
func (p *progress) clear() {
	if p != nil {
		fmt.Fprint(p.terminal, "\r\x1b[K")
	}
}
