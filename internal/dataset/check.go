package dataset

import (
	"fmt"
	"io"
	"sync"
)

// Nearly all of the time that a dataset takes is spent on checking its cases, and no case depends on another. So the lines are
// checked in batches by a few goroutines, and added in their order by the one that reads them. The goroutines end before the
// reading returns.

const (
	// workers is how many goroutines check cases. A Collector has other work to do while it reads a dataset again.
	workers = 2
	// batchLines and batchBytes are how much one batch has at least.
	batchLines = 256
	batchBytes = 1 << 20
)

// A batch is some lines of a dataset. done is closed when all of them are checked.
type batch struct {
	lines []line
	text  []byte
	done  chan struct{}
}

type line struct {
	number, from, to int // its place in the text of the batch
	whole            bool
	checked          Checked
	err              error
}

// A checking is the work on the lines of one dataset.
type checking struct {
	reader  *reader
	work    chan *batch
	workers sync.WaitGroup
	// filling is the batch that lines are added to, and waiting are those that are being checked, in order.
	filling *batch
	waiting []*batch
}

// lines reads JSON lines.
func (r *reader) lines(source io.Reader) error {
	c := &checking{reader: r, work: make(chan *batch, 2*workers), filling: new(batch)}
	for range workers {
		check, err := r.newCheck()
		if err != nil {
			close(c.work)
			return err
		}
		c.workers.Go(func() { c.checkAll(check) })
	}
	err := Lines(source, c.add)
	if err == nil {
		c.send()
	}
	close(c.work)
	c.workers.Wait()
	if err != nil {
		return err
	}
	c.accept(0)
	return nil
}

// checkAll checks batches until there are no more.
func (c *checking) checkAll(check Check) {
	for b := range c.work {
		for i := range b.lines {
			if l := &b.lines[i]; l.err == nil {
				l.checked, l.err = check(b.text[l.from:l.to])
			}
		}
		close(b.done)
	}
}

// add adds a line to the batch in hand.
func (c *checking) add(number int, text []byte, whole bool, err error) error {
	b := c.filling
	from := len(b.text)
	b.text = append(b.text, text...)
	b.lines = append(b.lines, line{number: number, from: from, to: len(b.text), whole: whole, err: err})
	if len(b.lines) < batchLines && len(b.text) < batchBytes {
		return nil
	}
	c.send()
	c.accept(2 * workers)
	return c.reader.ctx.Err()
}

// send has the batch in hand checked.
func (c *checking) send() {
	c.filling.done = make(chan struct{})
	c.waiting = append(c.waiting, c.filling)
	c.work <- c.filling
	c.filling = new(batch)
}

// accept adds the cases of the batches that were sent first, until only left batches wait.
func (c *checking) accept(left int) {
	for len(c.waiting) > left {
		b := c.waiting[0]
		c.waiting = c.waiting[1:]
		<-b.done
		for i := range b.lines {
			l := &b.lines[i]
			err := l.err
			if err == nil {
				err = c.reader.add(l.number, b.text[l.from:l.to], &l.checked)
			}
			if err != nil && !l.whole {
				err = fmt.Errorf("%w (the last line has no end: it may be half-written)", err)
			}
			if err != nil {
				c.reader.fault(l.number, err)
			}
		}
		if c.filling.text == nil { // its memory is used again
			c.filling = &batch{lines: b.lines[:0], text: b.text[:0]}
		}
	}
}
