package scoring

// An Alignment pairs expected tools with calls. Every method fills one, and [Verdict.Reason] explains it.
//
//   - Each index into Expected and each index into Called is in at most one pair.
//   - Pairs are sorted by Expected.
//   - Every Credit is in (0, 1].
type Alignment struct {
	// Expected has one tool for each expected call, in order. A tool with a count appears several times, and an optional
	// one as often as it was called. The slice is shared: the caller must not change it.
	Expected []*Tool
	// Optional are the indices of optional tools in Expected, ascending. Each is in a pair.
	Optional []int
	// Called are the calls of the run, in order.
	Called []Call
	Pairs  []Pair
	// Ordered: the method requires an order, so an unpaired call may be out of order.
	Ordered bool
	// ComparesArguments and ComparesOutput: the method compared these as well as names.
	ComparesArguments, ComparesOutput bool
	// ComparesType: a call matches only a tool of its type.
	ComparesType bool
	// Arguments, Credit and Output are the modes of comparison. A reason then names only differences that mattered.
	Arguments ArgumentMode
	Credit    Credit
	Output    OutputMode
	// Forbidden holds the forbidden calls, and Repeats those that did not count because they repeat an earlier call. Both are
	// indices into Called, ascending, and in no pair.
	Forbidden, Repeats []int
	// Unmet holds the first 1,024 calls that match an expected tool except for its condition. A call may be listed for
	// several tools.
	Unmet []Unmet
	// Unauthorised are the calls of tools that are neither expected nor allowed, as indices into Called, ascending.
	Unauthorised []int
	// Guessed: the score is certain but the pairs are not, because a compared payload was not captured or is too large.
	Guessed bool
	// List is the index of the list of tools that counted, if an expectation has several.
	List int
	// Extra is how unpaired calls changed the score.
	Extra ExtraEffect
	// Broken holds the broken rules that made the score 0.
	Broken []BrokenRule
	// Notes holds other facts that no pair shows, in the same form.
	Notes []string
}

// Unmet says that the condition of a tool does not hold on a call. Called is an index into [Alignment.Called]. Failed: the
// condition could not be evaluated. Early: the call did not come after the calls that the tool's After names. Sides says what the condition
// reads, if a reason may quote it.
type Unmet struct {
	Tool          *Tool
	Called        int
	Failed, Early bool
	Sides         string
}

// A BrokenRule is a rule about calls that makes the score 0. Text is a clause without values: "4 calls were made, at most 3 are allowed". Call is an
// index into [Alignment.Called]: the first call that is too many, or -1 if there is none.
type BrokenRule struct {
	Text string
	Call int
}

// ExtraEffect is how unpaired calls changed the score.
type ExtraEffect uint8

const (
	ExtraIsFree    ExtraEffect = iota // nothing
	ExtraLowers                       // the score is lower than without them
	ExtraForbidden                    // the score is 0 because there are such calls
)

// A Pair is a call with the expected tool that it was matched with, as indices. Credit, in (0, 1], is how much of the call
// agreed.
type Pair struct {
	Expected, Called int
	Credit           float64
}
