package agentrun

// work counts what is done in units that take about as long as a look into a map: what is looked at, compared or moved, and
// the bytes of texts that are read. What has a small constant bound counts as one. Tests hold that work grows with what came,
// whatever the shape.
type work int

// workBytes is how many bytes of text are read in a unit.
const workBytes = 64

// read counts that so many bytes were read.
func (w *work) read(bytes int) { *w += work(1 + bytes/workBytes) }
