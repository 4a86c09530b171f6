package toolcorrectnessscoresexporter

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/exporter/internal/metadata"
)

// scoresExporter turns log records into scores. Its methods are called by exporterhelper, which has the queue and the retries.
type scoresExporter struct {
	backend   *backend
	settings  component.TelemetrySettings
	telemetry *metadata.TelemetryBuilder
}

func (e *scoresExporter) start(ctx context.Context, host component.Host) error {
	e.count(ctx, tally{}) // so that every counter is exported from the start
	return e.backend.start(ctx, host, e.settings)
}

func (e *scoresExporter) shutdown(context.Context) error {
	if e.backend.http != nil {
		e.backend.http.CloseIdleConnections()
	}
	return nil
}

// push sends the scores in logs. If repeating helps some of them, the error has the records of these and no others.
func (e *scoresExporter) push(ctx context.Context, logs plog.Logs) error {
	r := read(logs)
	scores := make([]score, 0, len(r.scores))
	for _, s := range r.scores {
		if e.backend.takes(&s) {
			scores = append(scores, s)
		}
	}
	e.count(ctx, tally{skipped: len(r.scores) - len(scores), ignored: r.ignored, unreadable: r.unreadable, repeated: r.repeated})
	if len(scores) == 0 {
		return nil
	}
	return e.settle(ctx, scores, e.backend.send(ctx, scores))
}

// settle counts the results of the scores and returns the error for exporterhelper.
func (e *scoresExporter) settle(ctx context.Context, scores []score, errs []error) error {
	var again []score
	var refusal, failure error
	refused := 0
	for i, err := range errs {
		switch {
		case err == nil:
		case consumererror.IsPermanent(err):
			refused++
			refusal = err
		default:
			again = append(again, scores[i])
			failure = longest(failure, err)
		}
	}
	e.count(ctx, tally{sent: len(scores) - refused - len(again), refused: refused})
	switch {
	case refused == len(scores):
		return refusal
	case refused > 0:
		e.settings.Logger.Error("Some scores of a batch were refused and are lost.", zap.Int("scores", refused), zap.Error(refusal))
	}
	if failure == nil {
		return nil
	}
	return consumererror.NewLogs(failure, recordsOf(again))
}

// A tally counts records and scores by their results.
type tally struct{ sent, refused, repeated, skipped, ignored, unreadable int }

func (e *scoresExporter) count(ctx context.Context, t tally) {
	e.telemetry.ExporterToolCorrectnessScoresSent.Add(ctx, int64(t.sent))
	e.telemetry.ExporterToolCorrectnessScoresRefused.Add(ctx, int64(t.refused))
	e.telemetry.ExporterToolCorrectnessScoresRepeated.Add(ctx, int64(t.repeated))
	e.telemetry.ExporterToolCorrectnessScoresSkipped.Add(ctx, int64(t.skipped))
	e.telemetry.ExporterToolCorrectnessRecordsIgnored.Add(ctx, int64(t.ignored))
	e.telemetry.ExporterToolCorrectnessRecordsUnreadable.Add(ctx, int64(t.unreadable))
}

// longest returns the error that demands the longer wait.
func longest(a, b error) error {
	if waitOf(a) > waitOf(b) {
		return a
	}
	return b
}

func waitOf(err error) time.Duration {
	var u *unavailable
	if errors.As(err, &u) {
		return u.wait
	}
	return 0
}

// recordsOf returns the log records of scores, below copies of their resources and scopes.
func recordsOf(scores []score) plog.Logs {
	logs := plog.NewLogs()
	var last source
	var to plog.LogRecordSlice
	for i := range scores {
		s := &scores[i]
		if i == 0 || s.source != last {
			rl := logs.ResourceLogs().AppendEmpty()
			s.source.resource.Resource().CopyTo(rl.Resource())
			rl.SetSchemaUrl(s.source.resource.SchemaUrl())
			sl := rl.ScopeLogs().AppendEmpty()
			s.source.scope.Scope().CopyTo(sl.Scope())
			sl.SetSchemaUrl(s.source.scope.SchemaUrl())
			last, to = s.source, sl.LogRecords()
		}
		s.record.CopyTo(to.AppendEmpty())
	}
	return logs
}
