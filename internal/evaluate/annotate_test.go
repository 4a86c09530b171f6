package evaluate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Hardly an attribute is hashed, and no span without ours costs an allocation.
func TestALookForVerdictsCostsNoAllocation(t *testing.T) {
	e := New(Settings{Metrics: one})
	span := ptrace.NewSpan()
	for _, key := range []string{"gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.conversation.id", "gen_ai.request.model", "session.id"} {
		span.Attributes().PutStr(key, "x")
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { e.Clean(span) }))
	require.Equal(t, 5, span.Attributes().Len(), "what is not ours stays")
	span.Attributes().PutStr("m.score", "forged")
	e.Clean(span)
	_, there := span.Attributes().Get("m.score")
	require.False(t, there, "no other processor's verdict stays")
}

// Expected tools of 30 MB are not read: their size is looked at first.
func TestExpectedToolsThatAreTooLongAreNotRead(t *testing.T) {
	anchor := &conditions.Place{Span: ptrace.NewSpan()}
	anchor.Span.Attributes().PutStr("expected", `["`+strings.Repeat(`a","`, 10<<20)+`a"]`)
	x := &Expectation{FromAttribute: "expected"}
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _, _ = x.fromAnchor(anchor) }), 4.0, "only the reason is written")
}

// A span may be held since before an attribute was ours: a storage keeps it over a change of the metrics. Ours stands there
// once, and the rest in its order.
func TestAttributesUnderOurNamesAreReplaced(t *testing.T) {
	span := ptrace.NewSpan()
	m := span.Attributes()
	for _, key := range []string{"before", "m.status", "between", "tool_correctness.agent", "behind"} {
		m.PutStr(key, "sender's")
	}
	annotate(t, span, "", Expectation{Name: "0", Metrics: metricsNamed("m")})
	count := map[string]int{}
	var order []string
	for key, v := range m.All() {
		if count[key]++; v.Str() == "sender's" {
			order = append(order, key)
		}
	}
	require.Equal(t, []string{"before", "between", "behind"}, order, "only what is not ours is the sender's")
	for key, n := range count {
		require.Equal(t, 1, n, key)
	}
	require.Equal(t, 1, count["m.status"])
	require.Equal(t, 1, count["tool_correctness.agent"])
}

// annotate judges a run of the agent desk by expectations of a tool, and writes the verdicts on its span.
func annotate(t *testing.T, span ptrace.Span, prefix string, all ...Expectation) {
	native, err := scoring.NewNative(scoring.DefaultNative())
	require.NoError(t, err)
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}})
	require.NoError(t, err)
	var metrics []Metric
	for i := range all {
		all[i].Expected, all[i].Metrics[0].Method = expected, native
		metrics = append(metrics, all[i].Metrics...)
	}
	e := New(Settings{Metrics: metrics, Prefix: prefix})
	e.Use(NewRules(metrics, ExpectationSet{Expectations: all}))
	origin := &evidence.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	v := new(Evaluation)
	e.Judge(t.Context(), v, &runs.Run{Anchors: []evidence.Held{{Agent: "desk", Data: span, Origin: origin}}})
	e.Annotate(v)
}

// The run's attributes are those of the metric that has their prefix, wherever it stands. The name that conditions read is not left beside
// that with the prefix.
func TestTheMetricWithThePrefixLeads(t *testing.T) {
	span, holds := ptrace.NewSpan(), asker(t)("true")
	annotate(t, span, "talk", Expectation{Name: "first", When: holds, Metrics: metricsNamed("a")}, Expectation{Name: "second", When: holds, Metrics: metricsNamed("talk")})
	got := span.Attributes().AsRaw()
	require.Equal(t, "second", got["talk.expectation"])
	require.Equal(t, "first", got["a.expectation"])
	require.Equal(t, "desk", got["talk.agent"])
	require.NotContains(t, got, "tool_correctness.agent")
}

// A second processor with a prefix of its own leaves what the first one wrote, and replaces what a sender wrote under its names.
func TestTwoProcessorsWriteSideBySide(t *testing.T) {
	span := ptrace.NewSpan()
	for _, key := range []string{"first.score", "first.status", "tool_correctness.complete", "tool_correctness.agent"} {
		span.Attributes().PutStr(key, "first")
	}
	for _, key := range []string{"m.score", "m.run", "talk.complete"} {
		span.Attributes().PutStr(key, "forged")
	}
	New(Settings{Metrics: one, Prefix: "talk"}).Clean(span)
	require.Equal(t, map[string]any{
		"first.score": "first", "first.status": "first", "tool_correctness.complete": "first", "tool_correctness.agent": "first",
	}, span.Attributes().AsRaw())
}
