package tracebuffer

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// work counts what is done in units that take about as long as a look into a map: what is looked at, compared or moved, and
// the bytes of texts that are read. What has a small constant bound counts as one. By work the caller is told to let others
// at a Buffer (see [Buffer.CloseDue]), and tests hold that it grows with what came, whatever the shape.
type work int

// workBytes is how many bytes of text are read in a unit.
const workBytes = 64

// longWork is after how much of it others get at a Buffer: some milliseconds.
const longWork work = 1 << 14

// settleWork is what it takes to settle a trace, whatever is in it.
const settleWork = 8

// read counts that so many bytes were read.
func (w *work) read(bytes int) { *w += work(1 + bytes/workBytes) }

// equal reports whether two payloads are written alike. Those of one length are read up to where they differ, which may be
// their end.
func (w *work) equal(a, b scoring.Payload) bool {
	if a.Size() == b.Size() {
		*w += work(a.Size() / workBytes)
	}
	return a == b
}
