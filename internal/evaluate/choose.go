package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Rules are an expectation set, what is derived from it, and how often its conditions failed. One [Evaluator] uses them.
type Rules struct {
	ExpectationSet
	// readsSpans says that an expectation reads attributes of the run's span, so that the agent's name must be among them.
	readsSpans bool
	// metrics are those that each expectation is for, by their place in the settings.
	metrics [][]int
	// failures counts how often a text of OTTL failed: when and key by the name of the expectation, where by the text itself. Those of a dataset
	// may be millions, so they count together, by the name of the expectation.
	failures map[string]int64
}

// NewRules prepares a set of expectations for these metrics.
func NewRules(metrics []Metric, set ExpectationSet) *Rules {
	r := &Rules{ExpectationSet: set, metrics: make([][]int, len(set.Expectations)), failures: map[string]int64{}}
	for i := range set.Expectations {
		x := &set.Expectations[i]
		r.readsSpans = r.readsSpans || x.When != nil || x.Cases != nil || x.Expected == nil || x.Expected.HasConditions()
		for at := range metrics {
			if slices.ContainsFunc(x.Metrics, func(m Metric) bool { return m.Name == metrics[at].Name }) {
				r.metrics[i] = append(r.metrics[i], at)
			}
		}
	}
	return r
}

// A match is an expectation on one run.
type match struct {
	*Expectation
	// expected is what the run is measured against. If it cannot be read, it is nil and fault says why.
	expected *scoring.Expectation
	fault    string
	// key is that of the case of a dataset; empty if there is none.
	key string
}

// unmet is what a metric has that meets no expectation.
var unmet = new(match)

// choose finds the expectation of each metric for the run of an anchor: the first one for it whose condition holds. No condition is asked
// twice. Without an anchor it is unknown whether a condition would have held.
func (e *Evaluator) choose(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	open := len(e.set.Metrics)
	v.matches = slices.Grow(v.matches[:0], open) // each metric meets one, so v.met may point to them
	v.met = slices.Grow(v.met[:0], open)[:open]
	clear(v.met)
	var tctx *ottlspan.TransformContext
	wide := anchor != nil && anchor.TooWide()
	if anchor != nil {
		tctx = anchor.Open()
		defer tctx.Close()
	}
	for i := 0; i < len(e.rules.Expectations) && open > 0; i++ {
		metrics := e.rules.metrics[i]
		if !slices.ContainsFunc(metrics, func(m int) bool { return v.met[m] == nil }) {
			continue
		}
		m := match{Expectation: &e.rules.Expectations[i]}
		met := unmet
		asks := m.When != nil || m.Cases != nil
		switch {
		case asks && wide:
			m.fault = tooWide
		case asks && anchor != nil && !e.ask(ctx, v, &m, tctx, anchor):
			continue
		}
		if !asks || anchor != nil {
			v.matches = append(v.matches, m)
			met = &v.matches[len(v.matches)-1]
		}
		for _, m := range metrics {
			if v.met[m] == nil {
				v.met[m] = met
				open--
			}
		}
	}
}

// ask reports whether the run of an anchor meets an expectation. It does not if the condition does not hold or fails, or the dataset has
// no case for the run.
func (e *Evaluator) ask(ctx context.Context, v *Evaluation, m *match, tctx *ottlspan.TransformContext, anchor *conditions.Place) bool {
	if m.When != nil {
		holds, err := m.When.Eval(ctx, tctx)
		switch {
		case errors.Is(err, conditions.ErrTooLarge):
			m.fault = "the condition of the expectation cannot be evaluated: " + err.Error()
			return true
		case err != nil:
			e.failed(v, "when "+m.Name, anchor.Span.TraceID(), anchor.Span.SpanID(), err,
				"the condition of an expectation failed on a span, and counts as false", "expectation", m.Name, "when", m.Text)
			return false
		case !holds:
			return false
		}
	}
	return m.Cases == nil || e.findCase(ctx, v, m, tctx, anchor) || m.Cases.Report
}

// tooWide is why the first expectation with a condition cannot be judged on a wide span.
var tooWide = fmt.Sprintf("its span, scope or resource has more than %d attributes, the most that a condition reads", conditions.MaxAttributes)

// nameAgent puts the agent's name under one attribute for conditions, whatever dialect recorded it, and reports whether it did.
func (e *Evaluator) nameAgent(run *runs.Run, anchor *conditions.Place) (named bool) {
	if !e.rules.readsSpans || anchor == nil || run.Anchors[0].Agent == "" {
		return false
	}
	m := anchor.Span.Attributes()
	if _, there := m.Get(attributes.Agent); there && e.set.Prefix != attributes.DefaultMetric {
		return false // the first processor of the pipeline wrote it
	}
	m.PutStr(attributes.Agent, run.Anchors[0].Agent)
	return true
}

// read finds what the run is measured against, or why that cannot be read. Cases have been looked up. Expectations that name the same
// attribute share what was read, because a sender decides how long the attribute is.
func (m *match) read(run *runs.Run, anchor *conditions.Place, others []match) {
	switch {
	case m.Cases != nil || m.fault != "":
	case m.Expected != nil:
		m.expected = m.Expected
	default:
		at := slices.IndexFunc(others, func(x match) bool { return x.FromAttribute == m.FromAttribute && x.expected != nil })
		if at >= 0 {
			m.expected = others[at].expected
		} else {
			m.expected, m.fault = m.fromAnchor(anchor)
		}
	}
	switch {
	case run.NoMessages:
		m.fault = "no message of a model tells what it asked for"
	case run.Doubts&runs.AnchorLate != 0:
		m.fault = "the run was closed before this span came: " + closedWithoutAnchor[run.ClosedBy]
	}
}

// closedWithoutAnchor is why a run was closed without its anchor.
var closedWithoutAnchor = [...]string{
	evidence.ByAnchor:   "another span stood for it",
	evidence.ByIdle:     "nothing of its trace had come for the idle_timeout",
	evidence.ByLimit:    "a limit was reached",
	evidence.ByShutdown: "the processor shut down",
}

// maxExpected bounds the expected tools in an attribute of an anchor, in bytes. Reading 30 MB took longer than other runs
// may wait, and no real list is as long.
const maxExpected = 256 << 10

// fromAnchor reads the expected tools from the anchor's attribute that holds them. If it cannot, it says why.
func (x *Expectation) fromAnchor(anchor *conditions.Place) (*scoring.Expectation, string) {
	if anchor == nil {
		return nil, "the run has no anchor span to read the expected tools from"
	}
	v, ok := anchor.Span.Attributes().Get(x.FromAttribute)
	if !ok {
		return nil, fmt.Sprintf("the span has no attribute %q to read the expected tools from", x.FromAttribute)
	}
	text, err := attributes.TextWithin(v, maxExpected)
	if errors.Is(err, attributes.ErrTooLong) {
		return nil, fmt.Sprintf("the attribute %q is longer than %d KiB, so no expected tools are read from it", x.FromAttribute, maxExpected>>10)
	}
	var e *scoring.Expectation
	if err == nil {
		e, err = x.Parse(text)
	}
	if err != nil {
		return nil, fmt.Sprintf("the attribute %q is no list of expected tools: %v", x.FromAttribute, err)
	}
	return e, ""
}

// unsuited says why a metric cannot score by an expectation, or returns "": it cannot be read, or stands in an attribute and is for the
// native method. Everything else is checked at start.
func (m *match) unsuited(of *Metric) string {
	if m.fault != "" || m.FromAttribute == "" || of.Method.Name() == "native" {
		return m.fault
	}
	for _, key := range m.expected.NativeOnly() {
		if key != "*" { // other methods take it for a part of the name
			return fmt.Sprintf("the attribute %q uses %s, which only the native method understands", m.FromAttribute, key)
		}
	}
	return ""
}

// names compares the names of the run's calls with those of a result's expectation, as sets if the metric does so. If the
// expectation has several lists of tools, names uses the one that the metric chose.
func (e *Evaluator) names(v *Evaluation, res *Result) (n Names) {
	m := v.met[res.Index]
	if m.expected == nil {
		return n
	}
	diff := scoring.NameDiff
	if native, ok := e.set.Metrics[res.Index].Method.(*scoring.Native); ok && native.Options().Repeats == scoring.UniqueRepeats {
		diff = scoring.NameDiffOfSets
	}
	expected := m.expected.Only(res.Verdict.Alignment.List)
	n.Expected = expected.Names()
	if v.Report.Run.Doubts&runs.AnchorLate == 0 {
		n.Missing, n.Unexpected = diff(expected, v.calls)
	}
	return n
}

// findCase reports whether the dataset of an expectation has a case for the run of an anchor. If not, the fault of m says why.
func (e *Evaluator) findCase(ctx context.Context, v *Evaluation, m *match, tctx *ottlspan.TransformContext, anchor *conditions.Place) bool {
	value, err := m.Cases.Key.Eval(ctx, tctx)
	key, fault := keyText(value)
	if err != nil {
		e.failed(v, "key "+m.Name, anchor.Span.TraceID(), anchor.Span.SpanID(), err,
			"the key of a dataset failed on a span, and counts as none", "expectation", m.Name, "dataset.key", m.Cases.Text)
		fault = "the run's key cannot be evaluated"
	}
	if fault != "" {
		m.fault = fault + ", which is " + m.Cases.Text
		return false
	}
	if m.expected = m.Cases.Find(key); m.expected != nil {
		m.key = key
		return true
	}
	m.fault = "the dataset has no case with the run's key, which is " + m.Cases.Text
	if e.set.QuoteValues {
		m.fault += fmt.Sprintf(" = %q", ShownName(key))
	}
	return false
}

// keyText is the key of a case as a text, or says why it is none.
func keyText(value any) (key, fault string) {
	switch k := value.(type) {
	case string:
		return k, ""
	case int64, bool:
		return fmt.Sprint(k), ""
	case float64:
		return strconv.FormatFloat(k, 'f', -1, 64), ""
	case nil:
		return "", "the span has no key"
	}
	return "", "the run's key is neither a text nor a number"
}

// bindConditions gives the expectations of a run the values that their conditions read.
func (e *Evaluator) bindConditions(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	for i := range v.matches {
		if m := &v.matches[i]; m.fault == "" && m.expected.HasConditions() {
			if v.where.Failed == nil {
				e.bindRun(ctx, v, anchor)
			}
			m.expected = m.expected.With(&v.where)
		}
	}
}

func (e *Evaluator) bindRun(ctx context.Context, v *Evaluation, anchor *conditions.Place) {
	run := &v.Report.Run
	v.where = conditions.Run{Context: ctx, Calls: v.calls, Anchor: anchor, Quote: e.set.QuoteValues}
	v.where.Duration = func(i int) (time.Duration, bool) {
		c := &run.Calls[i]
		return time.Duration(c.End - c.Start), c.Source != runs.FromModel && c.Start != 0 && c.End >= c.Start //nolint:gosec // only spans have a duration
	}
	v.where.Failed = func(c *conditions.CallCondition, call int, err error) {
		on, of := &run.Calls[call], "where "+c.String()
		if v.judged.Cases != nil {
			of = "cases " + v.judged.Name
		}
		v.failed = fmt.Sprintf("a condition on calls of %s could not be evaluated", scoring.SafeName(on.Name, maxLoggedName))
		e.failed(v, of, on.Trace, on.ID, err,
			"the condition of an expected tool failed on a call, and the call does not match", "expectation", v.judged.Name, "where", c.String())
	}
}

// maxLoggedName is how much of a tool's name is shown.
const maxLoggedName = 64

// A Problem is something to log. It has no value of a span or a call, unless [Settings.QuoteValues] says so.
type Problem struct {
	Message string
	Details []any // keys and values for the log, in turns
}

// failed notes that a text failed on a span. of is its place in [Rules], and about says which text, as keys and values for the log. To keep
// the log short, it is a problem at the first, the tenth, the hundredth failure and so on.
func (e *Evaluator) failed(v *Evaluation, of string, trace pcommon.TraceID, span pcommon.SpanID, err error, message string, about ...any) {
	v.Failures++
	e.rules.failures[of]++
	n := e.rules.failures[of]
	if e.set.ErrorMode == SilenceErrors || strings.Trim(strconv.FormatInt(n, 10), "0") != "1" {
		return
	}
	v.Problems = append(v.Problems, Problem{message, append(about,
		"failures", n, "error", conditions.Failure(err, e.set.QuoteValues), "trace_id", trace, "span_id", span)})
}
