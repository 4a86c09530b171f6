package main

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A sink is the backend: an OTLP receiver that counts spans and keeps the verdicts of anchors.
type sink struct {
	ptraceotlp.UnimplementedGRPCServer
	endpoint string
	server   *grpc.Server

	refuses atomic.Bool  // answer Unavailable, and keep nothing
	delay   atomic.Int64 // before each answer, as a time.Duration

	mu      sync.Mutex // guards arrived
	arrived arrivals
}

// arrivals are the spans that arrived at a sink.
type arrivals struct {
	times    map[spanID]int       // how often each span came
	verdicts map[spanID][]verdict // of anchors, one for each time they came with one
}

func newArrivals() arrivals {
	return arrivals{times: map[spanID]int{}, verdicts: map[spanID][]verdict{}}
}

func startSink() (*sink, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{endpoint: l.Addr().String(), server: grpc.NewServer(), arrived: newArrivals()}
	ptraceotlp.RegisterGRPCServer(s.server, s)
	go func() { _ = s.server.Serve(l) }() // it ends with stop
	return s, nil
}

func (s *sink) stop() { s.server.Stop() }

// Export takes a request of the collector.
func (s *sink) Export(ctx context.Context, req ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	if d := time.Duration(s.delay.Load()); d > 0 {
		if err := sleep(ctx, d); err != nil {
			return ptraceotlp.NewExportResponse(), err
		}
	}
	if s.refuses.Load() {
		return ptraceotlp.NewExportResponse(), status.Error(codes.Unavailable, "the sink refuses")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rs := range req.Traces().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, sp := range ss.Spans().All() {
				s.arrived.add(sp)
			}
		}
	}
	return ptraceotlp.NewExportResponse(), nil
}

func (a arrivals) add(sp ptrace.Span) {
	id := spanID{sp.TraceID(), sp.SpanID()}
	a.times[id]++
	if v, ok := readVerdict(sp.Attributes()); ok {
		a.verdicts[id] = append(a.verdicts[id], v)
	}
}

// listed is a list of texts, with commas between them.
func listed(attributes pcommon.Map, key string) string {
	var all []string
	if list, ok := attributes.Get(key); ok {
		for _, text := range list.Slice().All() {
			all = append(all, text.Str())
		}
	}
	return strings.Join(all, ",")
}

// readVerdict is false for spans that carry none.
func readVerdict(attributes pcommon.Map) (verdict, bool) {
	if _, judged := attributes.Get("tool_correctness.status"); !judged {
		return verdict{}, false
	}
	var v verdict
	if score, ok := attributes.Get("tool_correctness.score"); ok {
		v.score = score.Double()
	}
	if passed, ok := attributes.Get("tool_correctness.passed"); ok {
		v.passed = passed.Bool()
	}
	if complete, ok := attributes.Get("tool_correctness.complete"); ok {
		v.complete = complete.Bool()
	}
	v.called, v.because = listed(attributes, "tool_correctness.called"), listed(attributes, "tool_correctness.incomplete_because")
	return v, true
}

// look calls f with the arrivals so far, which do not change meanwhile.
func (s *sink) look(f func(arrivals)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.arrived)
}

// String says how a verdict differs from others, for messages.
func (v verdict) String() string {
	return fmt.Sprintf("score %.3g, passed %t, called [%s], complete %t", v.score, v.passed, v.called, v.complete)
}

// right says that an anchor came with a verdict, and never with another one than the wanted.
func right(came []verdict, want verdict) bool {
	return len(came) > 0 && !slices.ContainsFunc(came, func(v verdict) bool { return v != want })
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
