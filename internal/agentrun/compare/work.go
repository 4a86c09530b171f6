package compare

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// Work counts what is done in units that take about as long as a look into a map: what is looked at, compared or moved, and
// the bytes of texts that are read. What has a small constant bound counts as one.
type Work int

// WorkBytes is how many bytes of text are read in a unit.
const WorkBytes = 64

// Read counts that so many bytes were read.
func (w *Work) Read(bytes int) { *w += Work(1 + bytes/WorkBytes) }

// Equal reports whether two payloads are written alike. Those of one length are read up to where they differ, which may be
// their end.
func (w *Work) Equal(a, b scoring.Payload) bool {
	if a.Size() == b.Size() {
		*w += Work(a.Size() / WorkBytes)
	}
	return a == b
}
