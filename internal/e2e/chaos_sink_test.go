//go:build chaos

package e2e

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/e2e/spans"
)

// A sink is the backend: an OTLP receiver that counts spans and keeps the verdicts of anchors.
type sink struct {
	ptraceotlp.UnimplementedGRPCServer
	endpoint string

	refuses atomic.Bool  // answer Unavailable, and keep nothing
	delay   atomic.Int64 // before each answer, as a time.Duration

	mu sync.Mutex // guards what follows
	arrivals
}

// arrivals are the spans that arrived.
type arrivals struct {
	times    map[spanID]int             // how often each span came
	verdicts map[spanID][]spans.Verdict // of anchors, one for each time they came with one
}

func newArrivals() arrivals {
	return arrivals{times: map[spanID]int{}, verdicts: map[spanID][]spans.Verdict{}}
}

// startSink starts a sink, which ends with the test.
func startSink(t *testing.T) *sink {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &sink{endpoint: l.Addr().String(), arrivals: newArrivals()}
	server := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(server, s)
	go func() { _ = server.Serve(l) }() // it ends with Stop
	t.Cleanup(server.Stop)
	return s
}

// Export takes a request of the collector.
func (s *sink) Export(ctx context.Context, req ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	sleep(ctx, time.Duration(s.delay.Load()))
	if ctx.Err() != nil {
		return ptraceotlp.NewExportResponse(), ctx.Err()
	}
	if s.refuses.Load() {
		return ptraceotlp.NewExportResponse(), status.Error(codes.Unavailable, "the sink refuses")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, span := range spans.All(req.Traces()) {
		id := idOf(span)
		s.times[id]++
		if v := spans.VerdictOf(span.Attributes()); v.Judged {
			s.verdicts[id] = append(s.verdicts[id], v)
		}
	}
	return ptraceotlp.NewExportResponse(), nil
}
