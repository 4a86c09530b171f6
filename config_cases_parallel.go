package toolcorrectnessprocessor

import (
	"fmt"
	"io"
	"sync"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dataset"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottltext"
)

// Nearly all of the time that a dataset takes is spent on checking its cases, and no case depends on another. So the lines are
// checked in batches by a few goroutines, and added in their order by the one that reads them. The goroutines end before the
// reading returns.

const (
	// caseWorkers is how many goroutines check cases. A Collector has other work to do while it reads a dataset again.
	caseWorkers = 2
	// batchLines and batchBytes are how much one batch has at least.
	batchLines = 256
	batchBytes = 1 << 20
)

// A checkedCase is what is known of a case that was checked.
type checkedCase struct {
	key               string
	nativeOnly        []string
	arguments, output bool
	err               error
}

// checkCase checks the text of a case.
func checkCase(text []byte, parser *ottltext.CallParser) (c checkedCase) {
	errs := configcheck.New()
	x := parseCase(errs, text)
	if x == nil {
		c.err = errs.Err()
		return c
	}
	if x.key == "" {
		errs.Add("key", "must not be empty: it says which runs are of the case")
	}
	expected := x.expected(errs, parser)
	if c.err = errs.Err(); c.err != nil {
		return c
	}
	c.key, c.nativeOnly = x.key, x.nativeOnly()
	c.arguments, c.output = expected.Compares()
	return c
}

// A caseBatch is some lines of a dataset. done is closed when all of them are checked.
type caseBatch struct {
	lines []caseLine
	text  []byte
	done  chan struct{}
}

type caseLine struct {
	number, from, to int // its place in the text of the batch
	whole            bool
	checked          checkedCase
}

// A caseCheck is the work on the lines of one dataset.
type caseCheck struct {
	reader  *caseReader
	work    chan *caseBatch
	workers sync.WaitGroup
	// filling is the batch that lines are added to, and waiting are those that are being checked, in order.
	filling *caseBatch
	waiting []*caseBatch
}

// lines reads JSON lines.
func (r *caseReader) lines(source io.Reader) error {
	c := &caseCheck{reader: r, work: make(chan *caseBatch, 2*caseWorkers), filling: new(caseBatch)}
	for range caseWorkers {
		parser, err := ottltext.NewCallParser(r.telemetry)
		if err != nil {
			close(c.work)
			return err
		}
		c.workers.Go(func() { c.checkAll(parser) })
	}
	err := dataset.Lines(source, c.add)
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
func (c *caseCheck) checkAll(parser *ottltext.CallParser) {
	for b := range c.work {
		for i := range b.lines {
			if l := &b.lines[i]; l.checked.err == nil {
				l.checked = checkCase(b.text[l.from:l.to], parser)
			}
		}
		close(b.done)
	}
}

// add adds a line to the batch in hand.
func (c *caseCheck) add(line int, text []byte, whole bool, err error) error {
	b := c.filling
	from := len(b.text)
	b.text = append(b.text, text...)
	b.lines = append(b.lines, caseLine{number: line, from: from, to: len(b.text), whole: whole, checked: checkedCase{err: err}})
	if len(b.lines) < batchLines && len(b.text) < batchBytes {
		return nil
	}
	c.send()
	c.accept(2 * caseWorkers)
	return c.reader.ctx.Err()
}

// send has the batch in hand checked.
func (c *caseCheck) send() {
	c.filling.done = make(chan struct{})
	c.waiting = append(c.waiting, c.filling)
	c.work <- c.filling
	c.filling = new(caseBatch)
}

// accept adds the cases of the batches that were sent first, until so many are left.
func (c *caseCheck) accept(left int) {
	for len(c.waiting) > left {
		b := c.waiting[0]
		c.waiting = c.waiting[1:]
		<-b.done
		for i := range b.lines {
			l := &b.lines[i]
			err := l.checked.err
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
			c.filling = &caseBatch{lines: b.lines[:0], text: b.text[:0]}
		}
	}
}
