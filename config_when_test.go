package toolcorrectnessprocessor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// With an index over many conditions, verdicts are the same as if each condition were evaluated. Some conditions read the
// agent's name from the attribute that the processor sets.
func TestIndexedConditionsDoNotChangeVerdicts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	others := []string{`true`, `name == "x" or attributes["a"] == "y"`, `not (attributes["a"] == "x")`, `IsMatch(name, "^x")`, `attributes["a"]["b"] == "x"`}
	var yaml strings.Builder
	yaml.WriteString("expectations:\n")
	for i := range 300 {
		when := fmt.Sprintf(`attributes["tool_correctness.agent"] == "agent-%d"`, random.IntN(100))
		switch i % 3 {
		case 0:
			when += ` and attributes["a"] == "` + []string{"x", "y", ""}[random.IntN(3)] + `"`
		case 1:
			when += ` and attributes["a"] == "x" and (` + others[random.IntN(len(others))] + ")"
		}
		fmt.Fprintf(&yaml, "- {tools: [search], when: %q}\n", when)
	}
	set := settingsOf(t, yaml.String())
	requests := agentSpans(random)
	fast := expectationsOf(t, set, requests)
	indexed, chosen := 0, map[string]bool{}
	for i := range set.Expectations {
		indexed += len(set.Expectations[i].Required)
		set.Expectations[i].Required = nil
	}
	for _, name := range fast {
		chosen[name] = true
	}
	require.Greater(t, indexed, 300)
	require.Greater(t, len(chosen), 20, "expectations that were met")
	require.Contains(t, chosen, "", "a run that no expectation is for")
	require.Equal(t, expectationsOf(t, set, requests), fast)
}

// agentSpans returns runs of agents, each in a trace of its own.
func agentSpans(random *rand.Rand) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range 500 {
		span := spans.AppendEmpty()
		span.SetTraceID(pcommon.TraceID{1, byte(i >> 8), byte(i)})
		span.SetSpanID(pcommon.SpanID{1, byte(i >> 8), byte(i)})
		span.SetName("x")
		span.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
		span.Attributes().PutStr("gen_ai.agent.name", fmt.Sprintf("agent-%d", random.IntN(110)))
		switch random.IntN(8) {
		case 0:
		case 1:
			span.Attributes().PutInt("a", 7)
		default:
			span.Attributes().PutStr("a", []string{"x", "y", ""}[random.IntN(3)])
		}
	}
	return td
}

// expectationsOf returns the names of the chosen expectations, by trace.
func expectationsOf(t *testing.T, set toolcorrectness.Settings, td ptrace.Traces) map[pcommon.TraceID]string {
	p, err := toolcorrectness.New(set, componenttest.NewNopTelemetrySettings(), consumertest.NewNop())
	require.NoError(t, err)
	names := map[pcommon.TraceID]string{}
	p.DryRun(func(r evaluate.Report) { names[r.Run.Trace] = r.Expectation })
	sent := ptrace.NewTraces()
	td.CopyTo(sent)
	require.NoError(t, p.ConsumeTraces(t.Context(), sent))
	p.Advance(t.Context(), set.Wait)
	require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	require.Len(t, names, td.SpanCount())
	return names
}
