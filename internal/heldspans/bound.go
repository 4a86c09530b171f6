package heldspans

// Bound is what keeps a span from being held.
type Bound uint8

// The bounds. Holdable says that none of them does.
const (
	Holdable   Bound = iota
	TooDense         // the span would take more than maxDensity times its size on the wire
	TooDeep          // its values nest deeper than maxNesting
	TooWide          // its resource or scope is longer than maxOrigin
	TooMany          // what its request holds already takes all memory that there is for open runs
	BoundCount       // how many there are
)

// String returns the bound as it stands in the metric.
func (b Bound) String() string { return [...]string{"", "density", "nesting", "origin", "memory"}[b] }
