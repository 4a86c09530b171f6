package verdictmetrics

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Recorder records the verdicts of a processor.
type Recorder struct {
	telemetry *metadata.TelemetryBuilder
	labels    []*labels // in the order of the metrics
	processor string    // its ID, or "" for the usual one
	agents    agentNames
	unmatched map[string]metric.AddOption // by the agent's name, as the metrics have it
}

// New returns a recorder for the verdicts of metrics. The metrics show at most agents names of agents.
func New(telemetry *metadata.TelemetryBuilder, processor string, metrics []evaluate.Metric, agents int) *Recorder {
	r := &Recorder{
		telemetry: telemetry, processor: processor, labels: make([]*labels, len(metrics)), agents: newAgentNames(agents),
		unmatched: make(map[string]metric.AddOption),
	}
	for i := range metrics {
		r.labels[i] = newLabels(processor, metrics[i].Name)
	}
	return r
}

// ForgetExpectations forgets the kinds of verdicts. The next verdicts are of other expectations. The kinds of the old ones
// would stay in memory.
func (r *Recorder) ForgetExpectations() {
	for _, l := range r.labels {
		clear(l.kinds)
		l.last = nil
	}
}

// Count counts a verdict of a run, and its score if it has one. ctx comes from [Recorder.WithRun].
func (r *Recorder) Count(ctx context.Context, res *evaluate.Result, run *runs.Run) {
	v := &res.Verdict
	of := r.labels[res.Index].kindOf(verdictKind{res.Expectation, r.agents.label(run), v.Status, v.Passed, run.Doubts.Complete()})
	r.telemetry.ProcessorToolCorrectnessVerdicts.Add(ctx, 1, of.count...)
	if n := len(v.Alignment.Forbidden); n > 0 {
		r.telemetry.ProcessorToolCorrectnessForbiddenCalls.Add(ctx, int64(n), of.called...)
	}
	if v.Status == scoring.Scored {
		r.telemetry.ProcessorToolCorrectnessScore.Record(ctx, v.Score, of.record...)
	}
}

// CountUnmatched counts a run that met no expectation.
func (r *Recorder) CountUnmatched(ctx context.Context, run *runs.Run) {
	agent := r.agents.label(run)
	of, known := r.unmatched[agent]
	if !known {
		var set []attribute.KeyValue
		if r.processor != "" {
			set = append(set, attribute.String("processor", r.processor))
		}
		if agent != "" {
			set = append(set, attribute.String("agent", agent))
		}
		of = metric.WithAttributeSet(attribute.NewSet(set...))
		r.unmatched[agent] = of
	}
	r.telemetry.ProcessorToolCorrectnessRunsUnmatched.Add(ctx, 1, of)
}

// RecordDelay records the time from the end of a run to now, when its verdict is released. The sender's clock says when the
// run ended. If that clock differs from ours, the delay is wrong by the difference; a negative delay counts as 0.
func (r *Recorder) RecordDelay(ctx context.Context, end pcommon.Timestamp, now time.Time) {
	released := pcommon.NewTimestampFromTime(now)
	var seconds float64
	if released > end {
		seconds = released.AsTime().Sub(end.AsTime()).Seconds()
	}
	r.telemetry.ProcessorToolCorrectnessVerdictDelay.Record(ctx, seconds)
}
