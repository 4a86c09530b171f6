package processor

// bound is what keeps a span from being held.
type bound uint8

const (
	holdable   bound = iota
	tooDense         // it would take more than maxDensity times its size on the wire
	tooDeep          // its values nest deeper than maxNesting
	tooWide          // its resource or scope is longer than maxOrigin
	tooMany          // what its request holds already takes all memory that there is for open runs
	boundCount       // how many there are
)

// String returns the bound as it stands in the metric.
func (b bound) String() string { return [...]string{"", "density", "nesting", "origin", "memory"}[b] }
