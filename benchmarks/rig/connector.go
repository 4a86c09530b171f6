package rig

import (
	"context"
	"errors"
	"sync/atomic"

	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	toolcorrectnessconnector "github.com/toolcorrectness/toolcorrectnessprocessor/connector"
)

// A recorder hands traces to the connector and then on, as a collector does whose pipeline has both.
type recorder struct {
	consumer.Traces
	connector consumer.Traces
	records   atomic.Int64
}

// withConnector returns next with the connector beside it.
func withConnector(ctx context.Context, next consumer.Traces) (consumer.Traces, error) {
	r := &recorder{Traces: next}
	count, err := consumer.NewLogs(func(_ context.Context, logs plog.Logs) error {
		r.records.Add(int64(logs.LogRecordCount()))
		return nil
	})
	if err != nil {
		return nil, err
	}
	factory := toolcorrectnessconnector.NewFactory()
	r.connector, err = factory.CreateTracesToLogs(ctx, connectortest.NewNopSettings(factory.Type()), factory.CreateDefaultConfig(), count)
	return r, err
}

// ConsumeTraces fails if a verdict has no record.
func (r *recorder) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	before := r.records.Load()
	if err := r.connector.ConsumeTraces(ctx, td); err != nil {
		return err
	}
	if r.records.Load() == before && judged(td) {
		return errors.New("a request with verdicts made no record")
	}
	return r.Traces.ConsumeTraces(ctx, td)
}

// judged reports whether the first span of a request has a verdict. Requests with held spans have nothing else.
func judged(td ptrace.Traces) bool {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				_, found := s.Attributes().Get("tool_correctness.config")
				return found
			}
		}
	}
	return false
}
