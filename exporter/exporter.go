package toolcorrectnessscoresexporter

import (
	"context"
	"net/http"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/exporter/internal/metadata"
)

// NewFactory returns the factory of the tool_correctness_scores exporter.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(metadata.Type, createDefaultConfig, exporter.WithLogs(createLogs, metadata.LogsStability))
}

func createLogs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	c := cfg.(*Config)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	e := &scoresExporter{backend: c.backend(), settings: set.TelemetrySettings, telemetry: telemetry}
	return exporterhelper.NewLogs(ctx, set, c, e.push,
		exporterhelper.WithStart(e.start),
		exporterhelper.WithShutdown(e.shutdown),
		exporterhelper.WithTimeout(c.TimeoutConfig),
		exporterhelper.WithRetry(c.RetryConfig),
		exporterhelper.WithQueue(c.QueueConfig),
	)
}

// scoresExporter turns log records into scores. Its methods are called by exporterhelper, which has the queue and the retries.
type scoresExporter struct {
	backend   *backend
	settings  component.TelemetrySettings
	telemetry *metadata.TelemetryBuilder
}

func (e *scoresExporter) start(ctx context.Context, host component.Host) (err error) {
	e.count(ctx, tally{}) // so that every counter is exported from the start
	e.backend.http, err = e.backend.config.ToClient(ctx, host.GetExtensions(), e.settings)
	if err != nil {
		return err
	}
	// A redirect would carry keys to another host, and turn a POST into a GET.
	e.backend.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return nil
}

func (e *scoresExporter) shutdown(context.Context) error {
	if e.backend.http != nil {
		e.backend.http.CloseIdleConnections()
	}
	return nil
}

// push sends the scores in logs and counts the results. If repeating helps some of them, the error has the records of these and no others.
func (e *scoresExporter) push(ctx context.Context, logs plog.Logs) error {
	scores, t := read(logs)
	t.skipped = len(scores)
	scores = slices.DeleteFunc(scores, func(s score) bool { return !e.backend.takes(&s) })
	t.skipped -= len(scores)
	again := make(map[int]bool) // the numbers of records
	var refusal, failure error
	for i, err := range e.backend.send(ctx, scores) {
		switch {
		case err == nil:
			t.sent++
		case consumererror.IsPermanent(err):
			t.refused++
			refusal = err
		default:
			again[scores[i].record] = true
			failure = err
		}
	}
	e.count(ctx, t)
	switch {
	case t.refused == len(scores): // of none, too
		return refusal
	case t.refused > 0:
		e.settings.Logger.Error("Some scores of a batch were refused and are lost.", zap.Int("scores", t.refused), zap.Error(refusal))
	}
	if failure == nil {
		return nil
	}
	return consumererror.NewLogs(failure, only(logs, again))
}

// A tally counts records and scores by their results.
type tally struct {
	sent, refused int
	repeated      int // records that a later one replaces
	skipped       int // scores that the backend has no place for
	ignored       int // records that are no evaluation
	unreadable    int // evaluations that contradict the conventions, or have no span
}

func (e *scoresExporter) count(ctx context.Context, t tally) {
	e.telemetry.ExporterToolCorrectnessScoresSent.Add(ctx, int64(t.sent))
	e.telemetry.ExporterToolCorrectnessScoresRefused.Add(ctx, int64(t.refused))
	e.telemetry.ExporterToolCorrectnessScoresRepeated.Add(ctx, int64(t.repeated))
	e.telemetry.ExporterToolCorrectnessScoresSkipped.Add(ctx, int64(t.skipped))
	e.telemetry.ExporterToolCorrectnessRecordsIgnored.Add(ctx, int64(t.ignored))
	e.telemetry.ExporterToolCorrectnessRecordsUnreadable.Add(ctx, int64(t.unreadable))
}

// only returns copies of those log records whose numbers are wanted, below their resources and scopes.
func only(logs plog.Logs, wanted map[int]bool) plog.Logs {
	left := plog.NewLogs()
	logs.CopyTo(left)
	n := -1
	left.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool {
			sl.LogRecords().RemoveIf(func(plog.LogRecord) bool {
				n++
				return !wanted[n]
			})
			return sl.LogRecords().Len() == 0
		})
		return rl.ScopeLogs().Len() == 0
	})
	return left
}
