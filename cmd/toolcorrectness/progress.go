package main

import (
	"fmt"
	"io"
	"os"
)

// A progress says on a terminal how much of the files was read. For a pipe or a log, and for input that is read at once, it says nothing.
type progress struct {
	terminal    io.Writer
	total, read int64
}

// newProgress begins a progress for files of 16 MiB or more together.
func newProgress(stderr io.Writer, files []source) *progress {
	const worthSaying = 16 << 20
	p := &progress{terminal: io.Discard}
	for _, s := range files {
		if info, err := os.Stat(s.name); err == nil { // standard input has no size
			p.total += info.Size()
		}
	}
	f, isFile := stderr.(*os.File)
	if !isFile || p.total < worthSaying {
		return p
	}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.terminal = f
	}
	return p
}

// Write says that more was read: about a MiB at once.
func (p *progress) Write(b []byte) (int, error) {
	p.read += int64(len(b))
	fmt.Fprintf(p.terminal, "\rread %d%%", min(100*p.read/max(p.total, 1), 100)) // standard input alone has no total
	return len(b), nil
}

// clear takes the text away, until more is read.
func (p *progress) clear() { fmt.Fprint(p.terminal, "\r\x1b[K") }
