package scoring

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
)

// Status says whether a run was scored and, if not, why.
type Status uint8

const (
	Scored       Status = iota // the verdict has a score
	NotEvaluable               // the telemetry lacks what the metric compares, such as arguments, or a limit was exceeded
	Failed                     // the reference method crashes on this input, or the caller takes no score after a failed condition; written out as "error"
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
	// HasOptional: the expectation has tools that need not be called.
	HasOptional bool
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
// condition could not be evaluated. Before has what the tool's After names and had no call before this one. Sides says what the condition
// reads, if a reason may quote it.
type Unmet struct {
	Tool   *Tool
	Called int
	Failed bool
	Before []string
	Sides  string
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

// FindingKind is a kind of fault. The kinds are in the order in which a person would fix them.
type FindingKind uint8

const (
	ForbiddenCall    FindingKind = iota // a call of a forbidden tool
	MissingCall                         // an expected tool that was not called
	WrongArguments                      // it was called, with other arguments
	WrongOutput                         // it was called, and returned something else
	WrongType                           // it was called as a tool of another type
	UnmetCondition                      // it was called, and its condition did not hold
	OutOfOrder                          // it was called, but not where it was expected
	RepeatedCall                        // it was called again just the same, which the method does not count
	OverLimit                           // it was called more often than its count allows
	UnauthorisedCall                    // a call of a tool that is neither expected nor allowed
	UnexpectedCall                      // a call that matches no expected tool
)

// kinds has the words of each kind: the title of a group of runs, and the text before the findings of a clause. class is the class of a call
// that was made in place of an expected one.
var kinds = [...]struct {
	title, intro string
	class        CallClass
}{
	{"Forbidden call", "forbidden calls were made: ", CallForbidden},
	{"Missing call", "missing ", CallUncertain},
	{"Wrong arguments", "wrong arguments: ", CallMismatched},
	{"Wrong output", "wrong output: ", CallMismatched},
	{"Wrong type", "wrong type: ", CallMismatched},
	{"Condition not met", "condition not met: ", CallMismatched},
	{"Out of order", "out of order: ", CallOutOfOrder},
	{"Repeated call", "repeated call counted once: ", CallRepeated},
	{"Too many calls", "", CallUnexpected},
	{"Call not allowed", "not allowed: ", CallUnexpected},
	{"Unexpected call", "not expected: ", CallUnexpected},
}

// String returns the kind as the title of a group of runs.
func (k FindingKind) String() string { return kinds[k].title }

// A Finding is one fault that an alignment shows.
type Finding struct {
	Kind FindingKind
	// Name is the name of the call or, if there is none, of the expected tool.
	Name string
	// Count is the number of calls, or of expected tools, with this finding.
	Count int
	// Because is the condition that does not hold, for UnmetCondition, where the call belongs, for OutOfOrder, or the limit, for OverLimit.
	Because string
	// Differences are the first differences between the expected tool and the call, at most 8.
	Differences []Difference
}

// A Difference is one place at which two values differ.
type Difference = compare.Difference

// Findings returns the faults behind the score, the one to fix first first. It is empty if nothing is wrong.
func (v *Verdict) Findings() []Finding {
	if v.Turns != nil {
		return ofEach(v.Turns, func(turn Verdict) []Finding { return turn.Findings() })
	}
	f := v.Alignment.explain()
	defer f.release()
	return slices.Concat(f.findings[:]...)
}

// CallClass is the result for one call.
type CallClass uint8

const (
	CallUnexpected    CallClass = iota // it matches no expected tool
	CallMatched                        // it was matched with an expected tool, with full credit
	CallPartlyMatched                  // it was matched with one, with a part of the credit
	CallMismatched                     // an expected tool of its name is missing, and has other arguments, another output, type or condition
	CallOutOfOrder                     // an expected tool of its name is missing, at another position
	CallForbidden                      // its tool is forbidden
	CallRepeated                       // it repeats another call, and did not count
	CallUncertain                      // the telemetry does not show it
)

// String returns the class as it is written on spans.
func (f CallClass) String() string {
	return [...]string{
		"unexpected", "matched", "partly_matched", "mismatched", "out_of_order", "forbidden", "repeated", "uncertain",
	}[f]
}

// A Match is an expected tool with its call, or one of the two alone.
type Match struct {
	// Expected is an index into the alignment's Expected. It is -1 if the call matches no expected tool.
	Expected int
	// Called is an index into the alignment's Called. It is -1 if the expected tool was not called.
	Called int
	// Class is the class of the call. Without a call, it is [CallUncertain] if the telemetry does not show whether there is
	// one, and has no meaning otherwise.
	Class CallClass
	// Credit is how much of the call agreed with the expected tool, in [0, 1]. It is 0 if they are no pair.
	Credit float64
	// Differences holds the first differences. Only the first 64 tools without full credit have any.
	Differences []Difference
	// Because is the rule that the call breaks, if one does: its condition with what its sides are if that may be quoted, where it belongs, or
	// a limit that it is the first call beyond.
	Because string
}

// Matches lists the expected tools in order, each with its paired call or the call that the reason names as the wrong one.
// All other calls follow in order. If the run is not scored, the list is nil.
//
//   - Each index into Expected is in exactly one match, and so is each index into Called.
//   - It agrees with [Verdict.Reason]. A call is mismatched or out of order if the reason names it in place of an expected
//     tool. The reason names at most one call for each expected tool.
//   - Credit is positive if and only if the call is matched or partly matched.
//   - If the pairs are a guess (see [Alignment]), no expected tool has a call, and all calls except the forbidden ones are uncertain.
func (v *Verdict) Matches() []Match {
	if v.Status != Scored {
		return nil
	}
	if v.Turns != nil {
		return v.turnsMatches()
	}
	a := &v.Alignment
	f := a.explain()
	defer f.release()
	missing := CallUnexpected
	if a.Guessed {
		missing = CallUncertain
		for j := range f.calls {
			m := &f.calls[j]
			if m.Expected >= 0 {
				*m = Match{Expected: -1, Called: j}
			}
			if m.Class != CallForbidden {
				m.Class = CallUncertain
			}
		}
	}
	for _, rule := range slices.Backward(a.Broken) { // the first of several rules remains
		if rule.Call >= 0 {
			f.calls[rule.Call].Because = rule.Text
		}
	}
	matches := make([]Match, len(a.Expected), len(a.Expected)+len(a.Called)-len(a.Pairs))
	for i := range matches {
		matches[i] = Match{Expected: i, Called: -1, Class: missing}
	}
	for _, m := range f.calls {
		if m.Expected >= 0 {
			matches[m.Expected] = m
		} else {
			matches = append(matches, m)
		}
	}
	return matches
}

// Faults say in a few words what is wrong with the call: the rule that it breaks, and where it differs: "currency: USD instead of EUR",
// or "currency" without values.
func (m *Match) Faults(o ReasonOptions) []string {
	return appendFaults(nil, m.Because, m.Differences, o)
}
