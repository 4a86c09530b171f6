package verdictmetrics

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Recorder records the verdicts of a processor.
type Recorder struct {
	telemetry *metadata.TelemetryBuilder
	labels    []*labels // in the order of the metrics
	agents    agentNames
}

// New returns a recorder for the verdicts of metrics. The metrics show at most agents names of agents.
func New(telemetry *metadata.TelemetryBuilder, processor string, metrics []evaluate.Metric, agents int) *Recorder {
	r := &Recorder{telemetry: telemetry, labels: make([]*labels, len(metrics)), agents: newAgentNames(agents)}
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
