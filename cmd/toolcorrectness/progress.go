package main

import (
	"fmt"
	"io"
	"os"
	"time"

	pretty "github.com/jedib0t/go-pretty/v6/progress"
	"golang.org/x/term"
)

// worthABar is the size from which an input has a bar: a person would wonder whether anything happens.
const worthABar = 16 << 20

// A progress is a bar on a terminal. It is nil if there is no terminal, so that pipes and logs have no bar.
type progress struct {
	writer  pretty.Writer
	tracker *pretty.Tracker
	done    chan struct{}
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
	p := &progress{writer: pretty.NewWriter(), tracker: &pretty.Tracker{Message: "reading", Total: size, Units: pretty.UnitsBytes}, done: make(chan struct{})}
	p.writer.SetOutputWriter(f)
	p.writer.SetUpdateFrequency(200 * time.Millisecond)
	p.writer.SetAutoStop(true)
	p.writer.AppendTracker(p.tracker)
	go func() {
		p.writer.Render()
		close(p.done)
	}()
	return p
}

// of returns a reader of r that moves the bar.
func (p *progress) of(r io.Reader) io.Reader {
	if p == nil {
		return r
	}
	return counted{r, p.tracker}
}

type counted struct {
	io.Reader
	tracker *pretty.Tracker
}

// Read moves the bar by the bytes that it read.
func (c counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.tracker.Increment(int64(n))
	return n, err
}

// print writes a line, above the bar if there is one.
func (p *progress) print(w io.Writer, line string) {
	if p == nil {
		fmt.Fprintln(w, line)
		return
	}
	p.writer.Log("%s", line)
}

// end takes the bar away.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.tracker.MarkAsDone()
	<-p.done
}
