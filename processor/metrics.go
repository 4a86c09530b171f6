package processor

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A recorder has the instruments of a processor, which adds to counters without attributes itself. For the others it has the attributes,
// made once for each kind of measurement, because making them for each run would cost more than judging it. documentation.md says what
// each metric means.
type recorder struct {
	*metadata.TelemetryBuilder
	own     []attribute.KeyValue // says whose metrics these are: the ID of the processor, unless that is the usual one
	closed  []options            // by the close reason
	reasons []options            // of runs that are not complete, in the order of their bits

	// ticking guards all below. Senders choose the names of agents, so the first names get a place, and keep it until the processor ends:
	// who invents names adds a bounded number of series. The configuration bounds the names of expectations.
	kinds  map[kind]*kindOptions // each made at its first use; of one set of expectations
	names  int                   // how many names of agents the metrics show
	agents map[string]struct{}
}

// otherAgents is the name under which metrics count agents that have no name of their own there.
const otherAgents = "_other"

// options are attributes as they are handed to a counter, so that counting makes no list of them.
type options []metric.AddOption

func labels(pairs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(pairs...))
}

func option(key, word string) options { return options{labels(attribute.String(key, word))} }

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

// newRecorder returns a recorder. processor is its ID, or "" for the usual one. Metrics of verdicts show at most names names of agents.
func newRecorder(telemetry *metadata.TelemetryBuilder, processor string, names int) *recorder {
	r := &recorder{TelemetryBuilder: telemetry, kinds: make(map[kind]*kindOptions), names: names, agents: make(map[string]struct{})}
	if processor != "" {
		r.own = []attribute.KeyValue{attribute.String("processor", processor)}
	}
	for cause := range evidence.CloseReasons {
		r.closed = append(r.closed, option("closed_by", cause.String()))
	}
	for _, reason := range runs.AllDoubts() {
		r.reasons = append(r.reasons, option("reason", reason))
	}
	for _, counter := range [...]metric.Int64Counter{ // so that they, and sums of them, are exported from the beginning
		r.ProcessorToolCorrectnessSpansReceived, r.ProcessorToolCorrectnessSpansForwarded, r.ProcessorToolCorrectnessSpansHeld,
		r.ProcessorToolCorrectnessSpansRefused, r.ProcessorToolCorrectnessSpansReleased, r.ProcessorToolCorrectnessSpansResumed,
		r.ProcessorToolCorrectnessSpansSuspended,
	} {
		counter.Add(context.Background(), 0)
	}
	return r
}

// runClosed counts a closed run, by its close reason and by each reason why it is not complete.
func (r *recorder) runClosed(ctx context.Context, run *runs.Run) {
	r.ProcessorToolCorrectnessRunsClosed.Add(ctx, 1, r.closed[run.ClosedBy]...)
	for i := 0; run.Doubts>>i != 0; i++ {
		if word := r.reasons[i]; run.Doubts&(1<<i) != 0 {
			r.ProcessorToolCorrectnessIncompleteRuns.Add(ctx, 1, word...)
		}
	}
}

// late counts late calls, with how long after the closing of their run they arrived.
func (r *recorder) late(ctx context.Context, late []time.Duration) {
	for _, by := range late {
		r.ProcessorToolCorrectnessLateCalls.Add(ctx, 1)
		r.ProcessorToolCorrectnessLateCallAge.Record(ctx, by.Seconds())
	}
}

// count adds to a counter that has one attribute, for what happens rarely.
func (r *recorder) count(ctx context.Context, counter metric.Int64Counter, n int, key, word string) {
	counter.Add(ctx, int64(n), option(key, word)...)
}

// gauge is a gauge that asks for its value when it is read, by any goroutine.
func (r *recorder) gauge(value func() int64) metric.Int64Callback {
	own := labels(r.own...)
	return func(_ context.Context, o metric.Int64Observer) error {
		o.Observe(value(), own)
		return nil
	}
}

// registerGauges publishes the totals, and the age and the fingerprint of the set of expectations if it comes from files.
func (p *Processor) registerGauges() error {
	m, limits := p.metrics, p.set.Limits
	err := errors.Join(
		m.RegisterProcessorToolCorrectnessOpenRunsCallback(m.gauge(func() int64 { _, open := p.logs.Size(); return open })),
		m.RegisterProcessorToolCorrectnessOpenRunsLimitCallback(m.gauge(func() int64 { return int64(limits.OpenRuns) })),
		m.RegisterProcessorToolCorrectnessRetainedBytesCallback(m.gauge(p.Retained)),
		m.RegisterProcessorToolCorrectnessRetainedBytesLimitCallback(m.gauge(func() int64 { return limits.Bytes })),
		m.RegisterProcessorToolCorrectnessSpansWaitingCallback(m.gauge(p.waiting.Load)),
	)
	if p.set.Source == nil {
		return err
	}
	own := labels(m.own...)
	return errors.Join(err,
		m.RegisterProcessorToolCorrectnessExpectationSetAgeCallback(func(_ context.Context, o metric.Float64Observer) error {
			o.Observe(p.clock.now().Sub(p.latest.Load().since).Seconds(), own)
			return nil
		}),
		m.RegisterProcessorToolCorrectnessExpectationSetCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(1, own, metric.WithAttributes(attribute.String("config", p.latest.Load().Fingerprint)))
			return nil
		}),
	)
}

// kindOf returns the attributes under which a verdict is counted.
func (r *recorder) kindOf(k kind) *kindOptions {
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
func (r *recorder) agent(run *runs.Run) string {
	if r.names == 0 || len(run.Anchors) == 0 || run.Anchors[0].Agent == "" {
		return ""
	}
	name := evaluate.ShownName(run.Anchors[0].Agent)
	if _, known := r.agents[name]; known {
		return name
	}
	if len(r.agents) == r.names {
		return otherAgents
	}
	r.agents[name] = struct{}{}
	return name
}

// withRun returns a context whose measurements are those of a run: if the Collector's telemetry carries exemplars, one of them leads from
// a score to the run's span. It is ctx if the run has no span of its own, or if there are no metrics of verdicts.
func (r *recorder) withRun(ctx context.Context, run *runs.Run) context.Context {
	if len(run.Anchors) == 0 || !r.ProcessorToolCorrectnessVerdicts.Enabled(ctx) && !r.ProcessorToolCorrectnessScore.Enabled(ctx) {
		return ctx
	}
	return trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(run.Trace), SpanID: trace.SpanID(run.Anchors[0].ID), TraceFlags: trace.FlagsSampled,
	}))
}

// verdict counts a metric's verdict of a run, and its score if it has one. ctx comes from withRun.
func (r *recorder) verdict(ctx context.Context, name string, res *evaluate.Result, run *runs.Run) {
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

// delay records the time from the end of a run to now, when its verdict is released. The sender's clock says when the
// run ended. If that clock differs from ours, the delay is wrong by the difference; a negative delay counts as 0.
func (r *recorder) delay(ctx context.Context, end pcommon.Timestamp, now time.Time) {
	ended := min(end, pcommon.NewTimestampFromTime(now)).AsTime()
	r.ProcessorToolCorrectnessVerdictDelay.Record(ctx, now.Sub(ended).Seconds())
}
