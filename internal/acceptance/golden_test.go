package acceptance

import (
	"context"
	"flag"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/ptracetest"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
)

var update = flag.Bool("update", false, "write what comes out over the golden files")

// Each folder of testdata/pipeline is a case, and its name is the claim. It has config.yaml and in*.yaml, one for each batch
// in the order of their names. out.yaml joins all spans that were released.
func TestPipeline(t *testing.T) {
	pipeline(t, func(ptrace.Traces) {})
}

// A collector may return the memory of a batch to a pool once the batch was accepted. Held spans must not be in it.
func TestPipelineWithPooledMemory(t *testing.T) {
	const gate = "pdata.useProtoPooling"
	require.NoError(t, featuregate.GlobalRegistry().Set(gate, true))
	t.Cleanup(func() { require.NoError(t, featuregate.GlobalRegistry().Set(gate, false)) })
	pipeline(t, pref.UnrefTraces)
}

// pipeline plays all cases. It calls done with every batch that the processor accepted.
func pipeline(t *testing.T, done func(ptrace.Traces)) {
	folders, err := filepath.Glob(inRoot("testdata", "pipeline", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			var got ptrace.Traces
			synctest.Test(t, func(t *testing.T) { got = play(t, folder, done) })
			out := filepath.Join(folder, "out.yaml")
			if *update {
				require.NoError(t, golden.WriteTracesToFile(out, got))
			}
			want, err := golden.ReadTraces(out)
			require.NoError(t, err)
			require.NoError(t, ptracetest.CompareTraces(want, got,
				ptracetest.IgnoreResourceSpansOrder(), ptracetest.IgnoreScopeSpansOrder(), ptracetest.IgnoreSpansOrder()))
		})
	}
}

// play sends a case through the processor, waits until all runs are closed, and joins the released spans.
func play(t *testing.T, folder string, done func(ptrace.Traces)) ptrace.Traces {
	var mu sync.Mutex // two goroutines forward and release spans
	joined := ptrace.NewTraces()
	sink, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		mu.Lock()
		defer mu.Unlock()
		copied := ptrace.NewTraces() // a consumer that keeps a batch copies it
		td.CopyTo(copied)
		copied.ResourceSpans().MoveAndAppendTo(joined.ResourceSpans())
		return nil
	})
	require.NoError(t, err)
	p := start(t, filepath.Join(folder, "config.yaml"), sink)
	inputs, err := filepath.Glob(filepath.Join(folder, "in*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	spans := 0
	for _, in := range inputs {
		td, err := golden.ReadTraces(in)
		require.NoError(t, err)
		spans += td.SpanCount()
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
		done(td)
	}
	time.Sleep(5 * time.Minute)
	synctest.Wait()
	require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	require.Equal(t, spans, joined.SpanCount(), "every span in comes out once")
	return joined
}

// start makes a processor with the factory, from a file with its section of a configuration.
func start(t *testing.T, file string, sink consumer.Traces) processor.Traces {
	conf, err := confmaptest.LoadConf(file)
	require.NoError(t, err)
	cfg := toolcorrectnessprocessor.NewFactory().CreateDefaultConfig()
	require.NoError(t, conf.Unmarshal(cfg))
	require.NoError(t, cfg.(*toolcorrectnessprocessor.Config).Validate())
	p, err := toolcorrectnessprocessor.NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(toolcorrectnessprocessor.NewFactory().Type()), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	return p
}

// Shutdown releases all spans, in a pipeline of spans that belong to no agent.
func TestShutdown(t *testing.T) {
	cfg := defaultConfig()
	cfg.Expectations = []toolcorrectnessprocessor.ExpectationConfig{{Tools: []toolcorrectnessprocessor.ToolConfig{{Name: "search"}}}}
	processortest.VerifyShutdown(t, toolcorrectnessprocessor.NewFactory(), cfg)
}

func TestType(t *testing.T) {
	require.Equal(t, component.MustNewType("tool_correctness"), toolcorrectnessprocessor.NewFactory().Type())
}
