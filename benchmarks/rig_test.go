package benchmarks

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// soon is a short wait; a tick of tail_sampling is a second.
const soon = 200 * time.Millisecond

func TestEveryContenderLetsEverySpanOut(t *testing.T) {
	for _, kind := range Kinds() {
		load := kind.Make(1000, 1)
		for _, c := range Contenders() {
			t.Run(kind.Name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				if _, err := Run(c, load, soon); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestTheProcessorAloneLetsEverySpanOut(t *testing.T) {
	if _, err := RunAlone(Ours, Mixed.Make(1000, 1), soon); err != nil {
		t.Error(err)
	}
}

func TestOursHoldsTheSpansOfAgentsOnly(t *testing.T) {
	load := Agent8.Make(800, 1)
	got, err := Hold(Ours, load, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if got.Spans != load.Runs {
		t.Errorf("%d spans are held, want %d", got.Spans, load.Runs)
	}
}

func TestTheSinkFindsFaults(t *testing.T) {
	load := Agent8.Make(8, 1)
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(load.Requests[0])
	if err != nil {
		t.Fatal(err)
	}
	spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	agent := spans.At(spans.Len() - 1)
	right, _ := agent.Attributes().Get(ScoreAttribute)
	for _, tc := range []struct {
		fault  string
		change func(k *sink)
		reason string
	}{
		{"spans in", func(*sink) {}, "nothing came out"},
		{"have none", func(k *sink) { consume(t, k, td) }, "a run without a verdict"},
		{"wrong score", func(k *sink) {
			agent.Attributes().PutDouble("tool_correctness.score", right.Double()+0.1)
			consume(t, k, td)
		}, "a run with another score"},
		{"other ones", func(k *sink) {
			agent.Attributes().PutDouble("tool_correctness.score", right.Double())
			spans.At(0).SetSpanID(spans.At(1).SpanID())
			consume(t, k, td)
		}, "a span twice, and another one not at all"},
	} {
		k := newSink(load)
		tc.change(k)
		if err := k.check(true); err == nil || !strings.Contains(err.Error(), tc.fault) {
			t.Errorf("check() = %v, want %q: %s", err, tc.fault, tc.reason)
		}
	}
}

func consume(t *testing.T, k *sink, td ptrace.Traces) {
	t.Helper()
	if err := k.ConsumeTraces(context.Background(), td); err != nil {
		t.Fatal(err)
	}
}
