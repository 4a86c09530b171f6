package scoring

// Status says whether a run was scored and, if not, why.
type Status uint8

const (
	Scored       Status = iota // the verdict has a score
	NotEvaluable               // the telemetry lacks what the metric compares, such as arguments, or a limit was exceeded
	Failed                     // the reference method crashes on this input; written out as "error"
	Undefined                  // the reference method yields NaN on this input
	Pending                    // the conversation stopped at a tool request that has no result yet, so the run is not over
)

// String returns the status as it is written on spans.
func (s Status) String() string {
	return wordOf(s, "scored", "not_evaluable", "error", "undefined", "pending")
}

// A Verdict is the result of a method for one run.
//
//   - Score is meaningful only if Status is Scored. Then it is in [0, 1]. DeepEval's sums are reproduced to the last bit, and
//     may exceed 1 by a few units in the last place.
//   - Passed implies Scored, and equals Score >= Threshold.
//   - Why is empty if Status is Scored. Otherwise it is one sentence without values.
type Verdict struct {
	Status    Status
	Score     float64
	Threshold float64
	Passed    bool
	Why       string
	// Alignment explains the score: which call was matched with which expected tool.
	Alignment Alignment
	// Turns are the verdicts of the turns, if the expectation has turns. The alignment then has all their expected tools, calls and pairs,
	// and which calls are forbidden or repeats.
	Turns []Verdict
}

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
