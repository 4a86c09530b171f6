package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
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

// Compares says which payloads a metric or a condition reads because of x. An attribute may state both for the native method. What cases of a
// dataset compare is not said: with files, all payloads are kept.
func (x *Expectation) Compares() (arguments, output bool) {
	if x.Expected != nil {
		arguments, output = x.Expected.Compares()
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
	// Arguments and Output say which payloads the set compares: see [Expectation.Compares].
	Arguments, Output bool
}

// An Evaluator judges one run after another. Only [Evaluator.Clean] may be called by several goroutines at once.
type Evaluator struct {
	set       Settings
	keys      []attributes.Keys // in the order of the metrics
	reserved  attributes.Reserved
	langwatch langWatch // nil: verdicts have only our own form
	keep      bool      // whether the caller keeps reports
	rules     *Rules
}

// Clean removes the attributes that only this processor writes from an agent's span, also those that a sender wrote. Several goroutines
// may call it at once.
func (e *Evaluator) Clean(span ptrace.Span) {
	e.reserved.RemoveFrom(span.Attributes())
	e.langwatch.clean(span)
}

// Use sets the rules for the next runs.
func (e *Evaluator) Use(rules *Rules) { e.rules = rules }

// KeepReports makes every result of a report name its expectation. The caller may keep a report if it uses each [Evaluation]
// once.
func (e *Evaluator) KeepReports() { e.keep = true }

// An Evaluation has the results of one run, and the memory for them. The zero value is ready. It can be used for one run
// after another; its results are valid until the next run.
type Evaluation struct {
	Report Report
	// Failures counts how often a condition or the key of a dataset failed. The caller should log Problems.
	Failures int64
	Problems []Problem

	anchor  conditions.Place // of the held span
	calls   []scoring.Call
	results []Result
	lead    *Result           // see [Evaluator.fillNames]
	matches []match           // no expectation is in it twice
	met     []*match          // those of the metrics
	where   conditions.Run    // it asks conditions on calls
	judged  *match            // the expectation that the run is judged by
	failed  string            // on which tool's call a condition of that failed; empty: none did
	writer  xpdata.MapBuilder // unlike a Map it does not search for each key
}

// A Report has the results of one run.
type Report struct {
	Run runs.Run
	// Span is the run's own span with its verdicts, once they are written. It is valid until the span leaves. The zero value
	// says that the span never arrived.
	Span ptrace.Span
	// Results has the metrics that met an expectation, in the order of the settings.
	Results []Result
}

// Names compares a run with an expectation by name alone, whatever the metrics compare.
type Names struct {
	// Expected has the names of the expected tools. Missing has those that were not called, and Unexpected the names of
	// calls that were not expected.
	Expected, Missing, Unexpected []string
}

// Result is what one metric says of a run.
type Result struct {
	// Metric is the metric's name, and Index its place in the settings.
	Metric string
	Index  int
	// Expectation is the name of the expectation that the metric met, and Case the key of its case, as it is shown.
	Expectation, Case string
	// Names are the names of that expectation. Only the leading metric has them, and all in a dry run.
	Names
	Verdict scoring.Verdict
	// Reason is empty if the metric gives none.
	Reason string
}

// Judge judges a run, whose own span is still held. It finds the expectation of every metric, and scores the run by the metrics
// that have one. ctx is for the conditions, which are asked of the held span.
func (e *Evaluator) Judge(ctx context.Context, v *Evaluation, run *runs.Run) {
	v.Report = Report{}
	v.Report.Run = *run
	v.Failures, v.Problems, v.where = 0, v.Problems[:0], conditions.Run{}
	e.leaveOut(&v.Report.Run)
	var anchor *conditions.Place // nil if none arrived
	if len(run.Anchors) > 0 {
		own := &run.Anchors[0]
		v.anchor = conditions.Place{Resource: own.Origin.Resource, Scope: own.Origin.Scope, Span: own.Data}
		anchor = &v.anchor
	}
	if e.nameAgent(run, anchor) {
		defer anchor.Span.Attributes().Remove(attributes.Agent)
	}
	e.choose(ctx, v, anchor)
	if len(v.matches) > 0 {
		e.judgeMatches(ctx, v, anchor)
	}
}

// Annotate writes the verdicts of a judged run on its held spans. [Evaluator.Use] must not be called between the two.
func (e *Evaluator) Annotate(v *Evaluation) {
	run := &v.Report.Run
	if len(run.Anchors) == 0 {
		return
	}
	v.Report.Span = run.Anchors[0].Data
	if len(v.Report.Results) == 0 {
		return
	}
	own := run.Anchors[:min(len(run.Anchors), evidence.MaxCopies)]
	e.annotateCalls(&v.Report, own)
	for i := range own {
		span := own[i].Data
		e.annotate(v, span.Attributes())
		for j := range v.Report.Results {
			if r := &v.Report.Results[j]; e.langwatch != nil {
				e.langwatch.write(span, r.Metric, &r.Verdict, r.Reason)
			}
		}
		heldspans.Weigh(&own[i])
	}
}

// judgeMatches fills the report of a run for which metrics met expectations.
func (e *Evaluator) judgeMatches(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	v.readCalls()
	for i := range v.matches {
		v.matches[i].read(&v.Report.Run, anchor, v.matches[:i])
	}
	e.bindConditions(ctx, v, anchor)
	v.results = v.results[:0]
	for i := range e.set.Metrics {
		m, x := &e.set.Metrics[i], v.met[i]
		if x == nil || x == unmet {
			continue
		}
		v.results = append(v.results, Result{}) // it is large, so it is filled where it stays
		res := &v.results[len(v.results)-1]
		res.Index, res.Metric, res.Expectation, res.Case = i, m.Name, x.Name, ShownName(x.key)
		e.judge(&res.Verdict, m, x, v)
		if m.Reason {
			res.Reason = res.Verdict.Reason(scoring.ReasonOptions{Values: e.set.QuoteValues})
		}
	}
	v.Report.Results = v.results
	e.fillNames(v)
}

// judge scores the run by an expectation that it meets. A verdict is large, so judge writes it to its final place.
func (e *Evaluator) judge(to *scoring.Verdict, m *Metric, x *match, v *Evaluation) {
	switch why := x.unsuited(m); {
	case v.Report.Run.Doubts&runs.Pending != 0:
		*to = scoring.Verdict{Status: scoring.Pending, Threshold: m.Threshold, Why: "a tool call that the model asked for has no result yet"}
		return
	case why != "":
		*to = scoring.Verdict{Status: scoring.NotEvaluable, Threshold: m.Threshold, Why: why}
		return
	}
	v.judged, v.failed = x, ""
	*to = m.Method.Judge(x.expected, v.calls)
	if len(v.Report.Run.Rejected) > 0 && to.Status == scoring.Scored {
		e.judgeRejected(to, m, x, v)
	}
	if to.Status == scoring.Scored && to.Score > 0 && runs.MayMean(v.Report.Run.Calls, x.expected.Forbidden()) {
		*to = scoring.Verdict{Status: scoring.NotEvaluable, Threshold: m.Threshold, Why: "the name of a call may be that of a forbidden tool, without case or separators"}
	}
	if v.failed != "" && e.set.ErrorMode == PropagateErrors {
		*to = scoring.Verdict{Status: scoring.Failed, Threshold: m.Threshold, Why: v.failed}
	}
}

// fillNames finds the leading metric, whose expectation and names the run has: the one whose name is the prefix of the run's attributes,
// else the first. It fills in the names that this expectation asks for. If reports are kept, every metric has those of its own.
func (e *Evaluator) fillNames(v *Evaluation) {
	results := v.Report.Results
	lead := &results[max(0, slices.IndexFunc(results, func(res Result) bool { return res.Metric == e.set.Prefix }))]
	lead.Names = e.names(v, lead)
	v.lead = lead
	if !e.keep {
		return
	}
	for i := range results {
		res := &results[i]
		if res.Names = lead.Names; res.Expectation != lead.Expectation {
			res.Names = e.names(v, res)
		}
		res.Expected = slices.Clone(res.Expected) // it is the expectation's own, and the report may be kept
	}
}

// New returns an Evaluator without rules. [Evaluator.Use] must be called before the first run.
func New(set Settings) *Evaluator {
	set.Prefix = cmp.Or(set.Prefix, attributes.DefaultMetric)
	e := &Evaluator{set: set}
	var names []string
	for _, m := range set.Metrics {
		e.keys = append(e.keys, attributes.Of(m.Name))
		names = append(names, m.Name)
	}
	e.reserved = attributes.NewReserved(set.Prefix, names)
	if set.LangWatch {
		e.langwatch = names
	}
	return e
}

// leaveOut removes the calls that do not count. Whether a call failed, and its name, are final only when the run has closed.
func (e *Evaluator) leaveOut(run *runs.Run) {
	if e.set.IgnoreFailed {
		run.Calls = slices.DeleteFunc(run.Calls, func(c runs.Call) bool { return c.Status == scoring.StatusFailed })
	}
	if len(e.set.Exclude) > 0 {
		excluded := func(c runs.Call) bool {
			return slices.ContainsFunc(e.set.Exclude, func(pattern string) bool { return scoring.MatchesName(pattern, c.Name) })
		}
		run.Calls, run.Rejected = slices.DeleteFunc(run.Calls, excluded), slices.DeleteFunc(run.Rejected, excluded)
	}
}

// readCalls copies the calls of the run into the memory of v. The list is never nil: some methods fail without a list, and a run
// without calls has an empty one.
func (v *Evaluation) readCalls() {
	calls := v.Report.Run.Calls
	v.calls = slices.Grow(v.calls[:0], max(1, len(calls)))
	for i := range calls {
		v.calls = append(v.calls, calls[i].Call)
		v.calls[i].Unnamed = calls[i].Traits.UnnamedArgument && calls[i].Arguments.IsObject()
	}
	runs.SetTimes(v.calls, calls)
}

// judgeRejected makes the score 0 if a model asked for a forbidden call, though nothing executed it, and for any such call if the
// configuration says so.
func (e *Evaluator) judgeRejected(to *scoring.Verdict, m *Metric, x *match, v *Evaluation) {
	rejected := v.Report.Run.Rejected
	why, names := "forbidden calls were asked for and rejected: ", forbiddenNames(m, x, v)
	if len(names) == 0 && e.set.FailRejected {
		why, names = "calls were asked for and rejected: ", ShownNames(rejected)
	}
	if len(names) == 0 {
		return
	}
	to.Score, to.Passed = 0, to.Threshold <= 0
	to.Alignment.Broken = append(to.Alignment.Broken, scoring.BrokenRule{Text: why + listed(names), Call: -1})
}

// listed are the first names, and how many there are besides.
func listed(names []string) string {
	const most = 8
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, scoring.SafeName(name, maxLoggedName))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// forbiddenNames are the names of the rejected calls that the expectation forbids. A call whose arguments or condition are not known is
// none: it was not made.
func forbiddenNames(m *Metric, x *match, v *Evaluation) (names []string) {
	if len(x.expected.Forbidden()) == 0 {
		return nil
	}
	asked := conditions.Run{Context: v.where.Context, Anchor: v.where.Anchor}
	for _, c := range v.Report.Run.Rejected {
		asked.Calls = append(asked.Calls, c.Call)
	}
	judged := m.Method.Judge(x.expected.OnlyForbidden().With(&asked), asked.Calls)
	for _, i := range judged.Alignment.Forbidden {
		names = append(names, asked.Calls[i].Name)
	}
	return names
}
