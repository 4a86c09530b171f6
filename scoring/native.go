package scoring

import (
	"cmp"
	"errors"
	"fmt"
)

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
