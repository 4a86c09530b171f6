package toolcorrectnessprocessor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
)

// configMap is a folder that changes like a mounted ConfigMap of Kubernetes: files are links through ..data. That is a link
// to a folder with a time in its name.
type configMap struct {
	t       *testing.T
	dir     string
	version int
}

func newConfigMap(t *testing.T) *configMap {
	t.Helper()
	m := &configMap{t: t, dir: t.TempDir()}
	m.swap()
	for _, name := range []string{"a.yaml", "b.yaml"} {
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(m.dir, name)))
	}
	return m
}

// swap replaces both files at once. In each version, a.yaml and b.yaml agree.
func (m *configMap) swap() {
	m.t.Helper()
	m.version++
	folder := fmt.Sprintf("..2026_11_22_%d", m.version)
	require.NoError(m.t, os.Mkdir(filepath.Join(m.dir, folder), 0o700))
	for _, name := range []string{"a", "b"} {
		text := fmt.Sprintf("- name: %s-%d\n  when: attributes[\"team\"] == \"%s\"\n  tools: [tool-%d]\n", name, m.version, name, m.version)
		require.NoError(m.t, os.WriteFile(filepath.Join(m.dir, folder, name+".yaml"), []byte(text), 0o600))
	}
	old, _ := os.Readlink(filepath.Join(m.dir, "..data"))
	require.NoError(m.t, os.Symlink(folder, filepath.Join(m.dir, "..data_tmp")))
	require.NoError(m.t, os.Rename(filepath.Join(m.dir, "..data_tmp"), filepath.Join(m.dir, "..data")))
	if old != "" {
		require.NoError(m.t, os.RemoveAll(filepath.Join(m.dir, old)))
	}
}

// team returns a run of an agent that belongs to a team.
func team(n int, name string) ptrace.Traces {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(pcommon.TraceID{1, byte(n >> 8), byte(n), 15: byte(n)})
	span.SetSpanID(pcommon.SpanID{1})
	span.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
	span.Attributes().PutStr("team", name)
	return td
}

// For an hour a ConfigMap is swapped every 15 seconds. Each run is scored by a single version, which is at most two intervals
// older than the last swap.
func TestAnHourOfConfigMapSwaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newConfigMap(t)
		var mu sync.Mutex
		var got []map[string]any
		sink, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
			mu.Lock()
			defer mu.Unlock()
			for _, rs := range td.ResourceSpans().All() {
				for _, span := range rs.ScopeSpans().At(0).Spans().All() {
					got = append(got, span.Attributes().AsRaw())
				}
			}
			return nil
		})
		require.NoError(t, err)
		p := startWith(t, mustLoad(t, "{run: {wait: 0}, reload_interval: 5s, expectation_files: ["+m.dir+"/*.yaml]}"), sink)
		take := func() []map[string]any {
			mu.Lock()
			defer mu.Unlock()
			taken := got
			got = nil
			return taken
		}
		byConfig := map[any]int{}
		for n := range 4 * 60 {
			for i, name := range []string{"a", "b"} {
				require.NoError(t, p.ConsumeTraces(t.Context(), team(2*n+i, name)))
			}
			time.Sleep(time.Second)
			verdicts := take()
			require.Len(t, verdicts, 2)
			for _, v := range verdicts {
				require.Equal(t, fmt.Sprint(v["team"], "-", m.version), v["tool_correctness.expectation"], "what was swapped 15 s ago is used")
				require.Equal(t, []any{fmt.Sprintf("tool-%d", m.version)}, v["tool_correctness.expected"])
				require.Equal(t, verdicts[0]["tool_correctness.config"], v["tool_correctness.config"], "both files are of one version")
			}
			byConfig[verdicts[0]["tool_correctness.config"]]++
			m.swap()
			time.Sleep(14 * time.Second)
		}
		assert.Len(t, byConfig, 4*60, "each version has a hash of its own")
		require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	})
}

// startWith makes a processor from a configuration with the factory.
func startWith(t *testing.T, cfg *Config, sink consumer.Traces) processor.Traces {
	t.Helper()
	p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(NewFactory().Type()), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	return p
}
