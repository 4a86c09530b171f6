package scoring

// An Alignment pairs expected tools with calls. Every method fills one, and one renderer turns it into a reason.
//
//   - Each index into Expected and each index into Called stands in at most one pair.
//   - Pairs are sorted by Expected.
//   - Every Credit is in (0, 1]; a pair without credit is no pair.
type Alignment struct {
	// Expected are the tools that one call each is asked for, in order; a tool with a count stands in it several
	// times, and an optional one as often as it was called. It is shared: nobody may change it.
	Expected []*Tool
	// Optional are those of Expected that nobody would have missed: indices, ascending. Each stands in a pair.
	Optional []int
	// Called are the calls of the run, in order.
	Called []Call
	Pairs  []Pair
	// Ordered says that the method asks for an order, so that a call left over may have come out of order.
	Ordered bool
	// ComparesArguments and ComparesOutput say what else than names the method compared.
	ComparesArguments, ComparesOutput bool
	// ComparesType says that a call of another type is no match.
	ComparesType bool
	// Arguments and Output are how they were compared where it was not for full equality, so that nobody is told of
	// a difference that did not matter.
	Arguments ArgumentMode
	Output    OutputMode
	// Forbidden are the calls that must not be, and Repeats those that did not count because they repeat the call
	// before: indices into Called, ascending. Neither stands in a pair.
	Forbidden, Repeats []int
	// Notes are facts that no pair shows, as short clauses without values: "at most 3 calls are allowed".
	Notes []string
}

// A Pair says that a call was taken for an expected tool, and how much of it agreed.
type Pair struct {
	Expected, Called int
	Credit           float64
}
