package metrics

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OtherAgents is the name under which metrics count agents that have no name of their own there.
const OtherAgents = "_other"

// verdicts has what the metrics of verdicts tell apart. The configuration bounds the names of expectations. Senders choose the names of
// agents, so the first names get a place, and keep it until the processor ends: who invents names adds a bounded number of series.
type verdicts struct {
	kinds  map[kind]*kindOptions // each made at its first use
	most   int                   // how many names of agents the metrics show
	agents map[string]struct{}
}

func newVerdicts(agents int) verdicts {
	return verdicts{kinds: make(map[kind]*kindOptions), most: agents, agents: make(map[string]struct{})}
}

// A kind has the attributes that distinguish verdicts. That of runs that met no expectation has no metric.
type kind struct {
	metric, expectation string
	agent               string // as the metrics name it, or ""
	status              scoring.Status
	passed, complete    bool
}

// kindOptions are the attributes of a kind of verdict, as counter and histogram take them.
type kindOptions struct {
	count  options
	record []metric.RecordOption
	met    options // what the run met, and whose run it was
}

// ForgetExpectations forgets the kinds of verdicts. The next verdicts are of other expectations. The kinds of the old ones
// would stay in memory.
func (v *verdicts) ForgetExpectations() { clear(v.kinds) }

// kindOf returns the attributes under which a verdict is counted.
func (r *Recorder) kindOf(k kind) *kindOptions {
	if o := r.kinds[k]; o != nil {
		return o
	}
	met := slices.Clone(r.own)
	if k.metric != "" {
		met = append(met, attribute.String("metric", k.metric), attribute.String("expectation", k.expectation))
	}
	if k.agent != "" {
		met = append(met, attribute.String("agent", k.agent))
	}
	of := labels(append(slices.Clip(met),
		attribute.String("status", k.status.String()), attribute.Bool("passed", k.passed), attribute.Bool("complete", k.complete))...)
	o := &kindOptions{count: options{of}, record: []metric.RecordOption{of}, met: options{labels(met...)}}
	r.kinds[k] = o
	return o
}

// agent is the name of the run's agent as the metrics have it. It is "" if they have no names, or if the agent has none.
func (v *verdicts) agent(run *runs.Run) string {
	if v.most == 0 || len(run.Anchors) == 0 || run.Anchors[0].Agent == "" {
		return ""
	}
	name := evaluate.ShownName(run.Anchors[0].Agent)
	if _, known := v.agents[name]; known {
		return name
	}
	if len(v.agents) == v.most {
		return OtherAgents
	}
	v.agents[name] = struct{}{}
	return name
}

// WithRun returns a context whose measurements are those of a run: if the Collector's telemetry carries exemplars, one of them leads from
// a score to the run's span. It is ctx if the run has no span of its own, or if there are no metrics of verdicts.
func (r *Recorder) WithRun(ctx context.Context, run *runs.Run) context.Context {
	if len(run.Anchors) == 0 || !r.ProcessorToolCorrectnessVerdicts.Enabled(ctx) && !r.ProcessorToolCorrectnessScore.Enabled(ctx) {
		return ctx
	}
	return trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(run.Trace), SpanID: trace.SpanID(run.Anchors[0].ID), TraceFlags: trace.FlagsSampled,
	}))
}

// Verdict counts a metric's verdict of a run, and its score if it has one. ctx comes from [Recorder.WithRun].
func (r *Recorder) Verdict(ctx context.Context, name string, res *evaluate.Result, run *runs.Run) {
	v := &res.Verdict
	of := r.kindOf(kind{name, res.Expectation, r.agent(run), v.Status, v.Passed, run.Doubts.Complete()})
	r.ProcessorToolCorrectnessVerdicts.Add(ctx, 1, of.count...)
	if n := len(v.Alignment.Forbidden); n > 0 {
		r.ProcessorToolCorrectnessForbiddenCalls.Add(ctx, int64(n), of.met...)
	}
	if v.Status == scoring.Scored {
		r.ProcessorToolCorrectnessScore.Record(ctx, v.Score, of.record...)
	}
}

// Unmatched counts a run that met no expectation.
func (r *Recorder) Unmatched(ctx context.Context, run *runs.Run) {
	r.ProcessorToolCorrectnessRunsUnmatched.Add(ctx, 1, r.kindOf(kind{agent: r.agent(run)}).met...)
}

// Delay records the time from the end of a run to now, when its verdict is released. The sender's clock says when the
// run ended. If that clock differs from ours, the delay is wrong by the difference; a negative delay counts as 0.
func (r *Recorder) Delay(ctx context.Context, end pcommon.Timestamp, now time.Time) {
	var seconds float64
	if pcommon.NewTimestampFromTime(now) > end {
		seconds = now.Sub(end.AsTime()).Seconds()
	}
	r.ProcessorToolCorrectnessVerdictDelay.Record(ctx, seconds)
}
