package scoring

import "fmt"

// An Alignment pairs expected tools with calls. Every method fills one, and one renderer turns it into a reason.
//
//   - Each index into Expected and each index into Called stands in at most one pair.
//   - Pairs are sorted by Expected.
//   - Every Credit is in (0, 1]; a pair without credit is no pair.
type Alignment struct {
	// Expected has one tool for each expected call, in order. A tool with a count appears several times, and an optional
	// one as often as it was called. The slice is shared: the caller must not change it.
	Expected []*Tool
	// Optional are the indices of optional tools in Expected, ascending. Each is in a pair.
	Optional []int
	// Called are the calls of the run, in order.
	Called []Call
	Pairs  []Pair
	// Ordered says that the method requires an order, so an unpaired call may have been made out of order.
	Ordered bool
	// ComparesArguments and ComparesOutput say what else than names the method compared.
	ComparesArguments, ComparesOutput bool
	// ComparesType says that a call of another type is no match.
	ComparesType bool
	// Arguments and Output are the modes of comparison. A reason then names only differences that mattered.
	Arguments ArgumentMode
	Output    OutputMode
	// Forbidden are the forbidden calls. Repeats are the calls that did not count because they repeat the call before. Both
	// are indices into Called, ascending, and in no pair.
	Forbidden, Repeats []int
	// Unmet are calls with the name and the payloads of an expected tool on which its condition does not hold, the first
	// 1,024. A call may stand there for several tools.
	Unmet []Unmet
	// Guessed says that the score is certain but the pairs are not, because a payload that is compared was not captured or
	// is too large.
	Guessed bool
	// List is the index of the list of tools that counted, if an expectation has several.
	List int
	// Extra is what calls in no pair did to the score.
	Extra ExtraEffect
	// Broken are rules that the run broke and that made the score 0, as short clauses without values: "4 calls were made,
	// at most 3 are allowed".
	Broken []string
	// Notes are other facts that no pair shows, in the same form.
	Notes []string
}

// Unmet says that the condition of a tool does not hold on a call, which is an index into Called. Failed says that the
// condition could not be evaluated.
type Unmet struct {
	Tool   *Tool
	Called int
	Failed bool
}

// ExtraEffect is how calls in no pair changed the score.
type ExtraEffect uint8

const (
	ExtraIsFree    ExtraEffect = iota // nothing
	ExtraLowers                       // the score is lower than without them
	ExtraForbidden                    // the score is 0 because there are such calls
)

// A Pair says that a call was matched with an expected tool, and how much of it agreed. Credit is in (0, 1].
type Pair struct {
	Expected, Called int
	Credit           float64
}

// maxSteps bounds the steps that are returned.
const maxSteps = 128

// Steps says for each expected tool which call was matched with it and its credit. It has names, indices and credits only,
// no arguments. It returns at most the first 128.
func (a *Alignment) Steps() []string {
	taken := make(map[int]Pair, len(a.Pairs))
	for _, p := range a.Pairs {
		taken[p.Expected] = p
	}
	steps := make([]string, 0, min(len(a.Expected), maxSteps))
	for i, t := range a.Expected[:min(len(a.Expected), maxSteps)] {
		step := clean(t.label()) + ": no call"
		if p, ok := taken[i]; ok {
			step = fmt.Sprintf("%s: call %d, credit %.4g", clean(t.label()), p.Called, p.Credit)
		}
		steps = append(steps, step)
	}
	return steps
}
