package spool

import (
	"encoding/gob"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// A Spool collects runs and sorts them. The zero value is not usable; see [New].
type Spool struct {
	order report.Order
	bound int // of memory, in bytes
	size  int // of what is in memory
	runs  [][]report.Row
	parts []*os.File
}

// New returns an empty spool that keeps about bound bytes of rows in memory. The caller must call Close.
func New(order report.Order, bound int) *Spool { return &Spool{order: order, bound: bound} }

// Add takes the rows of a run. The caller must not change them any more.
func (s *Spool) Add(run []report.Row) error {
	if len(run) == 0 {
		return nil
	}
	s.runs = append(s.runs, run)
	s.size += size(run)
	if s.size < s.bound {
		return nil
	}
	return s.flush()
}

// Sorted sorts what was added. Nothing must be added any more.
func (s *Spool) Sorted() (report.Rows, error) {
	if len(s.parts) == 0 {
		s.sort()
		return inMemory(s.runs), nil
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	return merged{s}, nil
}

// Close removes the temporary files.
func (s *Spool) Close() error {
	var errs []error
	for _, f := range s.parts {
		errs = append(errs, f.Close(), remove(f))
	}
	return errors.Join(errs...)
}

// remove removes a file that may be removed already.
func remove(f *os.File) error {
	if err := os.Remove(f.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (s *Spool) sort() { slices.SortStableFunc(s.runs, s.order) }

// flush writes what is in memory to a file of its own.
func (s *Spool) flush() error {
	if len(s.runs) == 0 {
		return nil
	}
	s.sort()
	f, err := os.CreateTemp("", "toolcorrectness-*.rows")
	if err != nil {
		return err
	}
	s.parts = append(s.parts, f)
	_ = os.Remove(f.Name()) // a system that does not allow it does so in Close
	w, err := newWriter(f)
	if err != nil {
		return err
	}
	e := gob.NewEncoder(w)
	for _, run := range s.runs {
		if err := e.Encode(pack(run)); err != nil {
			return err
		}
	}
	s.runs, s.size = nil, 0
	return w.Close()
}

// inMemory are sorted runs.
type inMemory [][]report.Row

// Each calls f with the rows of one run after the other.
func (m inMemory) Each(f func(run []report.Row) error) error {
	for _, run := range m {
		if err := f(run); err != nil {
			return err
		}
	}
	return nil
}

// size is about how much memory the rows of a run take, in bytes. Metrics share the calls' values.
func size(run []report.Row) int {
	n := 0
	for i := range run {
		r := &run[i]
		n += 512 + len(r.Reason) + len(r.Agent) + len(r.Conversation) + 16*(len(r.Expected)+len(r.Missing)+len(r.Unexpected)) + 128*len(r.Steps) + 160*len(r.Calls)
		for _, c := range r.Calls {
			n += len(c.Name) + len(c.Arguments) + len(c.Output)
		}
	}
	return n
}

// packed is a run as it is stored. A score that is 0 would be read as none, so scores stand beside the rows.
type packed struct {
	Rows   []report.Row
	Scores []float64 // of each row; -1 is none
}

func pack(run []report.Row) packed {
	p := packed{Rows: slices.Clone(run), Scores: make([]float64, len(run))}
	for i := range p.Rows {
		p.Scores[i] = -1
		if score := p.Rows[i].Score; score != nil {
			p.Scores[i], p.Rows[i].Score = *score, nil
		}
	}
	return p
}

// unpack gives back what pack took. An empty list is stored as none.
func (p *packed) unpack() []report.Row {
	for i := range p.Rows {
		r := &p.Rows[i]
		if score := p.Scores[i]; score >= 0 {
			r.Score = &score
		}
		for _, list := range []*[]string{&r.Expected, &r.Missing, &r.Unexpected, &r.IncompleteBecause} {
			if *list == nil {
				*list = []string{}
			}
		}
		if r.Calls == nil {
			r.Calls = []report.Call{}
		}
	}
	return p.Rows
}

// merged reads all parts of a spool side by side.
type merged struct{ *Spool }

// Each calls f with the rows of one run after the other.
func (m merged) Each(f func(run []report.Row) error) (err error) {
	var heads []*head
	defer func() {
		for _, h := range heads {
			h.in.Close()
		}
	}()
	for _, part := range m.parts {
		if _, err := part.Seek(0, io.SeekStart); err != nil {
			return err
		}
		h, err := newHead(part)
		if err != nil {
			return err
		}
		heads = append(heads, h)
		if err := h.next(); err != nil {
			return err
		}
	}
	q := queue{heads, m.order}
	q.init()
	for len(q.heads) > 0 {
		h := q.heads[0]
		if err := f(h.run); err != nil {
			return err
		}
		if err := h.next(); err != nil {
			return err
		}
		q.sink()
	}
	return nil
}
