package heldspans

// Bound is what keeps a span from being held.
type Bound uint8

// The bounds. Holdable means that none of them applies.
const (
	Holdable      Bound = iota
	TooDense            // the span would take more than maxDensity times its size on the wire
	TooDeep             // its values nest deeper than maxNesting
	TooWide             // its resource or scope is longer than maxOrigin
	TooMuchMemory       // the request already holds as much as may be held for open runs
	BoundCount          // how many there are
)

// String returns the bound as the metric has it.
func (b Bound) String() string { return [...]string{"", "density", "nesting", "origin", "memory"}[b] }
