package scoring

import (
	"cmp"
	"errors"
	"fmt"
)

// This file has the options of the native method: their types, and their words in a configuration. Each is implemented in
//
//	order, concurrent                           native_score.go, internal/match
//	arguments, credit, fuzzy_threshold, output  native_compare.go, internal/compare
//	score, extra_calls                          native_score.go
//	repeats                                     native_rules.go
//	threshold                                   native_run.go
//
// The keys of an expectation that only this method understands:
//
//	any_of (lists)                                 native_run.go tries each list
//	any_of (names), * in a name, count, optional,
//	arguments_match                                native_compare.go, internal/names
//	where, after, ignore_arguments,
//	argument_defaults, matchers                    native_tools.go, internal/compare
//	forbidden, max_calls, max_repeats              native_rules.go
//	allowed                                        native_score.go
//
// To add an option, add its type and words, a field and its check here, and the code in a file above. An option that is true or false has no words
// and no check; strict_order of Axion is an example. One that is a number has bounds in place of words: its check in NewNative,
// testdata/config/schema_rules.yaml and errors.yaml. A rule that makes the score 0 is a BrokenRule (native_rules.go). An option is applied to each
// turn by itself; one about the whole run belongs into turns.go. In the root, add a field of NativeConfig (with `json:",omitempty"`: see
// CONTRIBUTING.md), a line in its method and a row of words in config_schema_test.go. Run make generate. Add a row to docs/methods.md, the name to
// the table of methods in docs/configuration.md and the key to testdata/config/whole.yaml. Test it by rows in testdata/rows, and let dice.options
// in scenario_test.go choose it, so that the laws of Native are tried with it. An option that changes which names agree is more work: plans are
// compiled without options, names are also compared for forbidden, limits, after and reasons, and names in internal/evaluate lists what is
// missing.

// Order says how much the order of the calls counts in the native method.
type Order uint8

const (
	AnyOrder   Order = iota // expected tools and calls are paired at any position
	InOrder                 // pairs are in the expected order; other calls may come between
	ExactOrder              // the expected calls position by position, and no others
)

// ArgumentMode says how the native method compares the arguments of a call with those of an expected tool.
type ArgumentMode uint8

const (
	ArgumentsUnset    ArgumentMode = iota // the choice of the metric; in a metric it means ArgumentsIgnore
	ArgumentsIgnore                       // only names are compared
	ArgumentsExact                        // arguments must be equal
	ArgumentsSubset                       // each expected key is in the call, with an equal value; objects recursively
	ArgumentsSuperset                     // each key of the call is among the expected ones, with an equal value; objects recursively
	ArgumentsPartial                      // the credit is the share of top-level keys with equal values: see Credit
	ArgumentsFuzzy                        // the mean likeness of the expected keys is at least FuzzyThreshold
)

// Credit says of which keys ArgumentsPartial computes the share.
type Credit uint8

const (
	CreditBoth     Credit = iota // of the distinct keys of both sides
	CreditExpected               // of the expected keys
)

// OutputMode says how the native method compares what a call returned.
type OutputMode uint8

const (
	OutputIgnore OutputMode = iota
	OutputExact
	OutputSubset
)

// Measure says how the native method computes a score from an alignment.
type Measure uint8

const (
	Recall       Measure = iota // the matched credit over the number of required calls
	Precision                   // the matched credit over the number of calls in the run
	F1                          // the harmonic mean of recall and precision
	AllOrNothing                // 1 if every required call was matched in full, else 0
)

// ExtraCalls says whether the score is 0 if a call matches no expected tool.
type ExtraCalls uint8

const (
	AllowExtraCalls ExtraCalls = iota
	ForbidExtraCalls
)

// Repeats says whether identical calls count each or once.
type Repeats uint8

const (
	CountRepeats    Repeats = iota // each counts
	CollapseRepeats                // identical calls that follow each other count once
	UniqueRepeats                  // both lists are sets: equal calls count once, and so do equal expected tools, at any positions
)

// Concurrent says whether calls that overlap in time have an order among each other, under InOrder and ExactOrder.
type Concurrent uint8

const (
	ConcurrentAnyOrder  Concurrent = iota // they have the order that fits best, which [Call.Time] decides
	ConcurrentAsStarted                   // all calls have the order of the list
)

// An Option is a type whose constants have words: a choice of a configuration, whose zero value is the default, or a [Status].
type Option interface {
	~uint8
	String() string
}

// The words of each option are in the order of its constants. The empty word of an unset mode is never parsed.

func (o Order) String() string { return wordOf(o, "any", "in_order", "exact") }
func (m ArgumentMode) String() string {
	return wordOf(m, "", "ignore", "exact", "subset", "superset", "partial", "fuzzy")
}
func (c Credit) String() string     { return wordOf(c, "both", "expected") }
func (m OutputMode) String() string { return wordOf(m, "ignore", "exact", "subset") }
func (m Measure) String() string    { return wordOf(m, "recall", "precision", "f1", "all_or_nothing") }
func (x ExtraCalls) String() string { return wordOf(x, "allow", "forbid") }
func (r Repeats) String() string    { return wordOf(r, "count", "collapse", "unique") }
func (c Concurrent) String() string { return wordOf(c, "any_order", "as_started") }
func (u Uncaptured) String() string { return wordOf(u, "unknown", "none") }

// noOption is what an option without a word is as a text.
const noOption = "no option"

func wordOf[T ~uint8](x T, words ...string) string {
	if int(x) < len(words) {
		return words[x]
	}
	return noOption
}

// known reports whether there is a word for x.
func known[T Option](x T) bool { return x.String() != noOption }

// Words returns the words that [Parse] accepts for an option, the default first.
func Words[T Option]() (words []string) {
	for x := T(0); known(x); x++ {
		if word := x.String(); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// Parse parses a word of an option. It returns false for an unknown word.
func Parse[T Option](word string) (T, bool) {
	for x := T(0); known(x); x++ {
		if word != "" && x.String() == word {
			return x, true
		}
	}
	return 0, false
}

// NativeOptions are the native method's options. [DefaultNative] has the defaults.
type NativeOptions struct {
	Order      Order
	Arguments  ArgumentMode
	Credit     Credit
	Output     OutputMode
	Score      Measure
	ExtraCalls ExtraCalls
	Repeats    Repeats
	Concurrent Concurrent
	// Threshold is the lowest score that passes, in [0, 1].
	Threshold float64
	// FuzzyThreshold is the lowest mean likeness that [ArgumentsFuzzy] accepts, in [0, 1].
	FuzzyThreshold float64
}

// DefaultNative returns the defaults: recall of names in any order, with arguments and outputs ignored.
func DefaultNative() NativeOptions {
	return NativeOptions{Arguments: ArgumentsIgnore, Threshold: 0.5, FuzzyThreshold: 0.8}
}

// Native is this package's own method. It finds an alignment of expected tools and calls with the greatest credit, and
// scores it.
//
//   - The score is in [0, 1], an exact ratio rounded once.
//   - Under AnyOrder the score does not depend on the order of either list, unless repeats are collapsed.
//   - If the score is recall, ExactOrder gives at most the score of InOrder, and InOrder at most that of AnyOrder.
//   - If extra calls are allowed, one more call never lowers recall under AnyOrder and InOrder.
type Native struct{ options NativeOptions }

// NewNative checks the options. Its error joins one [Fault] for each wrong option.
func NewNative(o NativeOptions) (*Native, error) {
	o.Arguments = cmp.Or(o.Arguments, ArgumentsIgnore)
	var c checker
	c.want(known(o.Order), "order", "is unknown")
	c.want(known(o.Arguments), "arguments", "is unknown")
	c.want(known(o.Credit), "credit", "is unknown")
	c.want(known(o.Output), "output", "is unknown")
	c.want(known(o.Score), "score", "is unknown")
	c.want(known(o.ExtraCalls), "extra_calls", "is unknown")
	c.want(known(o.Repeats), "repeats", "is unknown")
	c.want(known(o.Concurrent), "concurrent", "is unknown")
	c.share("threshold", o.Threshold)
	c.share("fuzzy_threshold", o.FuzzyThreshold)
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	return &Native{o}, nil
}

// share adds a fault unless x is in [0, 1]. NaN is not.
func (c *checker) share(path string, x float64) {
	c.want(0 <= x && x <= 1, path, "must be from 0 to 1, is %v", x)
}

// Name returns "native".
func (n *Native) Name() string { return "native" }

// Options returns the options of the method.
func (n *Native) Options() NativeOptions { return n.options }

// Compares reports which payloads the method reads. An expectation may need more: see [Expectation.Compares].
func (n *Native) Compares() (arguments, output bool) {
	return n.options.Arguments != ArgumentsIgnore || n.options.Repeats == CollapseRepeats, n.options.Output != OutputIgnore
}

func (n *Native) sealed() {}

// maxCalls bounds the calls of a run that is scored.
const maxCalls = 10_000

// Judge scores a run. It is safe for concurrent use.
func (n *Native) Judge(e *Expectation, calls []Call) (v Verdict) {
	v.Threshold = n.options.Threshold
	if len(calls) > maxCalls {
		v.Status, v.Why, v.Alignment.Called = NotEvaluable, fmt.Sprintf("the run has more than %d calls", maxCalls), calls
		return v
	}
	if e != nil && e.turns != nil {
		return judgeTurns(n, e, calls)
	}
	w := newNativeRun(n, calls)
	defer w.release()
	w.judge(&v, e)
	return v
}
