package spool

import (
	"bufio"
	"container/heap"
	"encoding/gob"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// window bounds what reading a part takes. Hundreds of parts may be read at a time.
const window = 64 << 10

// newWriter compresses what is written.
func newWriter(w io.Writer) (io.WriteCloser, error) {
	return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
}

// A head is the first run of a part that was not read yet.
type head struct {
	in  *zstd.Decoder
	gob *gob.Decoder
	run []report.Row // nil at the end
}

func newHead(part io.Reader) (*head, error) {
	in, err := zstd.NewReader(part, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, err
	}
	return &head{in: in, gob: gob.NewDecoder(bufio.NewReaderSize(in, 16<<10))}, nil
}

func (h *head) next() error {
	var p packed
	err := h.gob.Decode(&p)
	if errors.Is(err, io.EOF) {
		h.run = nil
		return nil
	}
	h.run = p.unpack()
	return err
}

// A queue has the part first whose head comes first.
type queue struct {
	heads []*head
	order report.Order
}

func (q *queue) init() {
	kept := q.heads[:0:0]
	for _, h := range q.heads {
		if h.run != nil {
			kept = append(kept, h)
		}
	}
	q.heads = kept
	heap.Init(q)
}

// sink puts the first part to its place after its head changed. A part without more runs leaves.
func (q *queue) sink() {
	if q.heads[0].run == nil {
		heap.Pop(q)
		return
	}
	heap.Fix(q, 0)
}

// Len, Less, Swap, Push and Pop are those of a heap.
func (q *queue) Len() int           { return len(q.heads) }
func (q *queue) Less(i, j int) bool { return q.order(q.heads[i].run, q.heads[j].run) < 0 }
func (q *queue) Swap(i, j int)      { q.heads[i], q.heads[j] = q.heads[j], q.heads[i] }
func (q *queue) Push(x any)         { q.heads = append(q.heads, x.(*head)) }
func (q *queue) Pop() any {
	last := len(q.heads) - 1
	h := q.heads[last]
	q.heads = q.heads[:last]
	return h
}
