package benchmarks

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sink is where the spans come out. It counts them, sums their ids, and looks at the verdicts on root spans; that is
// the same work behind every contender. It may be called by many goroutines.
type sink struct {
	want *Load
	all  chan struct{} // closed when as many spans came out as went in

	spans, ids         atomic.Uint64
	right, wrong, bare atomic.Int64 // runs by their score; bare have none
	firstWrong         atomic.Pointer[string]
}

var _ consumer.Traces = (*sink)(nil)

func newSink(want *Load) *sink {
	return &sink{want: want, all: make(chan struct{})}
}

func (*sink) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (k *sink) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	var spans, ids uint64
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				id := s.SpanID()
				ids += binary.BigEndian.Uint64(id[:])
				spans++
				if s.ParentSpanID().IsEmpty() {
					k.look(s)
				}
			}
		}
	}
	k.ids.Add(ids)
	if k.spans.Add(spans) == uint64(k.want.Spans) {
		close(k.all)
	}
	return nil
}

// look compares the score of a run with the one that the run must get.
func (k *sink) look(s ptrace.Span) {
	want, ok := s.Attributes().Get(ScoreAttribute)
	if !ok {
		return
	}
	got, ok := s.Attributes().Get("tool_correctness.score")
	switch {
	case !ok:
		k.bare.Add(1)
	case math.Abs(got.Double()-want.Double()) < 1e-9:
		k.right.Add(1)
	default:
		k.wrong.Add(1)
		text := fmt.Sprintf("trace %s has the score %g, and must have %g", s.TraceID(), got.Double(), want.Double())
		k.firstWrong.CompareAndSwap(nil, &text)
	}
}

// drainTimeout is how long spans may take to come out after their wait.
const drainTimeout = 60 * time.Second

// wait returns when every span came out, or too late.
func (k *sink) wait(wait time.Duration) {
	select {
	case <-k.all:
	case <-time.After(wait + drainTimeout):
	}
}

// check returns an error if the spans that arrived are wrong.
func (k *sink) check(judges bool) error {
	if got := k.spans.Load(); got != uint64(k.want.Spans) {
		return fmt.Errorf("%d spans in, %d out", k.want.Spans, got)
	}
	if k.ids.Load() != k.want.SpanIDs {
		return fmt.Errorf("as many spans out as in, %d, but other ones", k.want.Spans)
	}
	if !judges {
		return nil
	}
	if text := k.firstWrong.Load(); text != nil {
		return fmt.Errorf("%d of %d runs have a wrong score: %s", k.wrong.Load(), k.want.Runs, *text)
	}
	if right := k.right.Load(); right != int64(k.want.Runs) {
		return fmt.Errorf("%d runs in, %d have a score, %d have none", k.want.Runs, right, k.bare.Load())
	}
	return nil
}
