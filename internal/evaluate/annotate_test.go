package evaluate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scoreforms"
)

// The room that is kept for what is written on a copy of a run's span includes the forms of other backends, with every set of
// expectations.
func TestRoomForForms(t *testing.T) {
	const forms = scoreforms.OpenInference | scoreforms.Braintrust | scoreforms.LangWatch
	plain, with := New(Settings{Metrics: one}), New(Settings{Metrics: one, Forms: forms})
	for range 2 {
		plain.Use(NewRules(one, ExpectationSet{}))
		with.Use(NewRules(one, ExpectationSet{}))
		more := formsWire(with.forms, &with.set)
		require.Positive(t, more)
		require.Equal(t, plain.MostOnRun()+more, with.MostOnRun(), "the same expectations need the same room")
	}
}

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
	require.False(t, there, "nobody else's verdict stays")
}

// Expected tools of 30 MB are not read: their size is looked at first.
func TestExpectedToolsThatAreTooLongAreNotRead(t *testing.T) {
	anchor := &condition.Place{Span: ptrace.NewSpan()}
	anchor.Span.Attributes().PutStr("expected", `["`+strings.Repeat(`a","`, 10<<20)+`a"]`)
	x := &Expectation{FromAttribute: "expected"}
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _, _ = x.fromAnchor(anchor) }), 4.0, "only the reason is written")
}
