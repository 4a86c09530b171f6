package evaluate

import (
	"context"
	"errors"
	"slices"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Settings say how every run is judged, whatever its expectation.
type Settings struct {
	Metrics []Metric
	// IgnoreFailed leaves out calls that ended in an error.
	IgnoreFailed bool
	// FailRejected makes the score 0 if a model asked for a call that nothing executed.
	FailRejected bool
	// Exclude leaves out calls of tools with these names, or names that these globs match.
	Exclude []string
	// AnnotateCalls holds every span of a tool call until its run is judged, and writes on it what became of the call.
	AnnotateCalls bool
	// ErrorMode says what happens if a condition fails; empty: [IgnoreErrors].
	ErrorMode string
	// Prefix is that of the run's attributes; empty: the default.
	Prefix string
	// QuoteValues lets reasons quote argument values, which are private otherwise.
	QuoteValues bool
	// LangWatch also writes verdicts on spans of runs in the form that LangWatch shows as scores.
	LangWatch bool
}

// What happens if a condition fails, in the words of other components of the Collector.
const (
	IgnoreErrors    = "ignore"    // the log says so, and the condition does not hold
	SilenceErrors   = "silent"    // the condition does not hold
	PropagateErrors = "propagate" // as IgnoreErrors, and a run is not scored if the condition of a tool failed on its calls
)

// Metric is a named way to score.
type Metric struct {
	// Name is the prefix of the metric's attributes.
	Name   string
	Method scoring.Method
	// Threshold is the method's, for runs that never get to it.
	Threshold float64
	// Reason says whether a reason is written, Verbose whether the steps are logged.
	Reason, Verbose bool
}

// Expectation says which runs it is for, which tools they are expected to call, and how they are scored.
type Expectation struct {
	// Name is written on judged spans. It is unique.
	Name string
	// When is nil where the expectation is for every run. Text is When as it was written, for the log.
	When Condition
	Text string
	// Expected is what every run is measured against. It is nil if FromAttribute names the anchor's attribute with the
	// expected tools.
	Expected      *scoring.Expectation
	FromAttribute string
	// Parse reads that attribute. Its error has no value. Expectations with the same FromAttribute have the same Parse.
	Parse func(text string) (*scoring.Expectation, error)
	// Cases is nil unless a dataset has the expected tools. Then Expected is nil.
	Cases *Cases
	// Metrics are the metrics that the expectation is for. Each metric meets the first expectation for it.
	Metrics []Metric
}

// Condition is an OTTL condition in the span context.
type Condition interface {
	Eval(context.Context, *ottlspan.TransformContext) (bool, error)
}

// Compares says which payloads a metric or a condition reads because of x. An attribute may state both for the native method.
func (x *Expectation) Compares() (arguments, output bool) {
	if x.Expected != nil {
		arguments, output = x.Expected.Compares()
	}
	if x.Cases != nil {
		arguments, output = x.Cases.Arguments, x.Cases.Output
	}
	for _, m := range x.Metrics {
		a, o := m.Method.Compares()
		stated := x.FromAttribute != "" && m.Method.Name() == "native"
		arguments, output = arguments || a || stated, output || o || stated
	}
	return arguments, output
}

// Cases say what is expected of a run by a key on its anchor.
type Cases struct {
	// Key is the OTTL value that is the key, and Text as it was written.
	Key  *ottl.ValueExpression[*ottlspan.TransformContext]
	Text string
	// Find returns the case of a key, or nil.
	Find func(key string) *scoring.Expectation
	// Report makes a run without a case not evaluable. Otherwise the next expectation is asked.
	Report bool
	// Arguments and Output say which payloads the cases make the native method read.
	Arguments, Output bool
}

// ErrUnsettled is the error of a source of sets whose files have just changed, so they may be incomplete. They are read after they have
// stayed the same for one interval.
var ErrUnsettled = errors.New("the files have just changed")

// An ExpectationSet is what runs are judged by. It never changes: a reload makes a new one.
type ExpectationSet struct {
	Expectations []Expectation
	// Fingerprint is a short hash of the configuration and of its files, written on every judged span.
	Fingerprint string
	// Warnings name what is allowed and was probably not meant.
	Warnings []string
	// Arguments and Output say which payloads the set compares.
	Arguments, Output bool
}

// Rules are an expectation set, what is derived from it, and how often its conditions failed. One [Evaluator] uses them.
type Rules struct {
	ExpectationSet
	// readsSpans says that an expectation reads attributes of the run's span, so that the agent's name must be among them.
	readsSpans bool
	uses       []expectationUse // of the expectations, in their order
	// callErrors has the failures of conditions on calls, except those of datasets.
	callErrors map[*conditions.CallCondition]*textErrors
}

// An expectationUse is what is known of one expectation of [Rules].
type expectationUse struct {
	metrics []int // those that the expectation is for, by their place in the settings
	// when has the failures of its condition, key those of the key of its dataset, and cases those of the conditions in its dataset. The latter
	// are compiled for each run, so all of them count together.
	when, key, cases textErrors
}

// NewRules prepares a set of expectations for these metrics.
func NewRules(metrics []Metric, set ExpectationSet) *Rules {
	r := &Rules{ExpectationSet: set, uses: make([]expectationUse, len(set.Expectations)), callErrors: map[*conditions.CallCondition]*textErrors{}}
	for i := range set.Expectations {
		x, use := &set.Expectations[i], &r.uses[i]
		r.readsSpans = r.readsSpans || x.When != nil || x.Cases != nil || x.Expected == nil || x.Expected.HasConditions()
		for at := range metrics {
			if slices.ContainsFunc(x.Metrics, func(m Metric) bool { return m.Name == metrics[at].Name }) {
				use.metrics = append(use.metrics, at)
			}
		}
	}
	return r
}
