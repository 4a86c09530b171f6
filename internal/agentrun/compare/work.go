package compare

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// Work counts units that each take about as long as a look-up in a map: items examined, compared or moved, and bytes of text
// read. Work with a small constant bound counts as one.
type Work int

// WorkBytes is how many bytes of text are read in a unit.
const WorkBytes = 64

// Read adds the work of reading that number of bytes.
func (w *Work) Read(bytes int) { *w += Work(1 + bytes/WorkBytes) }

// Equal reports whether two payloads have the same text. It reads texts of the same length up to the first difference or the
// end.
func (w *Work) Equal(a, b scoring.Payload) bool {
	if a.Size() == b.Size() {
		*w += Work(a.Size() / WorkBytes)
	}
	return a == b
}
