package scoring

import "fmt"

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
	// Guessed says that the score is certain and the pairs are not: the telemetry does not carry all that is compared, or
	// there is too much of it.
	Guessed bool
	// List is the list of tools that counted, where an expectation has several.
	List int
	// Extra is what calls in no pair did to the score.
	Extra ExtraEffect
	// Broken are rules that the run broke and that made the score 0, as short clauses without values: "4 calls were made,
	// at most 3 are allowed".
	Broken []string
	// Notes are other facts that no pair shows, likewise.
	Notes []string
}

// ExtraEffect is what calls that stand for no expected tool did to the score.
type ExtraEffect uint8

const (
	ExtraIsFree    ExtraEffect = iota // nothing
	ExtraLowers                       // the score is lower than without them
	ExtraForbidden                    // the score is 0 because there are such calls
)

// A Pair says that a call was taken for an expected tool, and how much of it agreed.
type Pair struct {
	Expected, Called int
	Credit           float64
}

// maxSteps bounds the steps that are told.
const maxSteps = 128

// Steps tells, for each expected tool, which call was taken for it and for how much: names, places and credits only.
// At most the first 128 are told.
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
