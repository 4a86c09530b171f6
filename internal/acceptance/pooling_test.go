package acceptance

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// node imitates the wrapper that a collector puts before every component (service/internal/refconsumer). The first wrapper of
// a batch frees it when the call ends, and its memory may be reused at once.
type node struct{ consumer.Traces }

func (n node) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if pref.MarkPipelineOwnedTraces(td) {
		defer reuse()
		defer pref.UnrefTraces(td)
	}
	return n.Traces.ConsumeTraces(ctx, td)
}

// reuse takes memory out of the pools and overwrites it.
func reuse() {
	for range 4 {
		td := ptrace.NewTraces()
		spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
		for range 64 {
			span := spans.AppendEmpty()
			span.SetName("of another batch")
			span.SetSpanID([8]byte{0xff})
			span.Attributes().PutStr("gen_ai.operation.name", "of another batch")
			span.Events().AppendEmpty().Attributes().PutStr("of", "another batch")
		}
	}
}

// collected has the spans that left a pipeline, as bytes by span.
type collected struct {
	refusals int // how many spans with a verdict are refused, one request each
	spans    map[string]int
}

func (c *collected) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (c *collected) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	judged := false
	var marshaler ptrace.ProtoMarshaler
	found := map[string]int{}
	for span := range spansOf(td) {
		_, isJudged := span.Attributes().Get("tool_correctness.status")
		judged = judged || isJudged
		alone := ptrace.NewTraces()
		span.CopyTo(alone.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
		text, err := marshaler.MarshalTraces(alone)
		if err != nil {
			return err
		}
		found[string(text)]++
	}
	if judged && c.refusals > 0 {
		c.refusals--
		return errors.New("not now")
	}
	for text, n := range found {
		c.spans[text] += n
	}
	return nil
}

// through plays recorded requests through a pipeline as a collector builds it, and returns the spans that left it.
func through(t *testing.T, requests []ptrace.Traces, refusals int) map[string]int {
	out := &collected{refusals: refusals, spans: map[string]int{}}
	synctest.Test(t, func(t *testing.T) {
		cfg := defaultConfig()
		cfg.Run.IdleTimeout = 10 * time.Second
		cfg.Expectations = []toolcorrectnessprocessor.ExpectationConfig{{Tools: []toolcorrectnessprocessor.ToolConfig{{Name: "search"}}}}
		p, err := toolcorrectnessprocessor.NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(toolcorrectnessprocessor.NewFactory().Type()), cfg, node{out})
		require.NoError(t, err)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		playInto(t, node{p}, requests)
		time.Sleep(time.Minute) // more than idle timeout, wait and the pauses between refusals take
		synctest.Wait()
		require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	})
	return out.spans
}

func playInto(t *testing.T, into consumer.Traces, requests []ptrace.Traces) {
	for _, request := range requests {
		td := ptrace.NewTraces() // the receiver owns and frees a batch
		request.CopyTo(td)
		require.NoError(t, into.ConsumeTraces(t.Context(), td))
		synctest.Wait()
	}
}

// With the gate pdata.useProtoPooling a collector reuses the memory of a batch as soon as its call ends. The processor holds
// spans for longer, and forwards them again after a refusal. They must be unchanged.
func TestHeldSpansOutliveTheirBatch(t *testing.T) {
	const gate = "pdata.useProtoPooling"
	libraries := 6 // each takes some time, and all hold spans in the same way
	if testing.Short() {
		libraries = 2
	}
	for _, library := range corpus.Libraries(t)[:libraries] {
		for _, scenario := range library.Scenarios {
			t.Run(library.Name+"/"+scenario.Name, func(t *testing.T) {
				want := through(t, scenario.Requests, 0)
				require.NotEmpty(t, want)
				require.NoError(t, featuregate.GlobalRegistry().Set(gate, true))
				t.Cleanup(func() { require.NoError(t, featuregate.GlobalRegistry().Set(gate, false)) })
				require.Equal(t, want, through(t, scenario.Requests, 0), "every request is accepted")
				require.Equal(t, want, through(t, scenario.Requests, 3), "three requests are refused first")
			})
		}
	}
}
