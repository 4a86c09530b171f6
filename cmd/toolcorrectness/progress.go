package main

import (
	"fmt"
	"io"
	"os"
)

// A progress says on a terminal how much of the files was read. It is nil for a pipe or a log, and for input that is read at once.
type progress struct {
	terminal    io.Writer
	total, read int64
}

// newProgress begins a progress for files of 16 MiB or more together.
func newProgress(stderr io.Writer, files []source) *progress {
	const worthSaying = 16 << 20
	p := &progress{terminal: stderr}
	for _, s := range files {
		if info, err := os.Stat(s.name); err == nil { // standard input has no size
			p.total += info.Size()
		}
	}
	f, isFile := stderr.(*os.File)
	if !isFile || p.total < worthSaying {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return p
}

// Write says that more was read.
func (p *progress) Write(b []byte) (int, error) {
	before := 100 * p.read / p.total
	p.read += int64(len(b))
	if percent := 100 * p.read / p.total; percent > before {
		fmt.Fprintf(p.terminal, "\rread %d%%", min(percent, 100))
	}
	return len(b), nil
}

// of returns a reader of r whose reading is said.
func (p *progress) of(r io.Reader) io.Reader {
	if p == nil {
		return r
	}
	return io.TeeReader(r, p)
}

// clear takes the text away, until more is read.
func (p *progress) clear() {
	if p != nil {
		fmt.Fprint(p.terminal, "\r\x1b[K")
	}
}
