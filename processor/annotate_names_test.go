package processor

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Names are escaped so that they do not mislead a reader, and bounded so that receivers accept the span.
func TestNamesAreSafeToShow(t *testing.T) {
	const hostile, shown = "pay\u202eme\n\x1b[31m\u200b", `pay\u202eme\n\x1b[31m\u200b`
	long, cut := strings.Repeat("é", 1<<20), strings.Repeat("é", 126)+"…"
	expecting := func(s *Settings, _ *sink) {
		e, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "ex" + hostile}, {Name: "ex" + long}}})
		require.NoError(t, err)
		s.Expectations[0].Expected = e
		s.Limits.Bytes = 16 << 20 // a span that does not fit is not judged
	}
	withFakeClock(t, expecting, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(
			agent("a", "", 1, 9).with("gen_ai.agent.name", "desk"+hostile),
			tool("b", "a", 2, 3, hostile), tool("c", "a", 4, 5, long),
			agent("d", "", 1, 9).with("gen_ai.agent.name", long).in(2),
		))
		r.after(15*time.Second, 4)
		names := func(key string) []any { return r.verdict("a")[key].([]any) }
		require.Equal(t, []any{shown, cut}, names("tool_correctness.called"))
		require.Equal(t, []any{shown, cut}, names("tool_correctness.unexpected"))
		require.Equal(t, []any{"ex" + shown, "ex" + cut[:2*125] + "…"}, names("tool_correctness.expected"))
		require.Equal(t, names("tool_correctness.expected"), names("tool_correctness.missing"))
		require.Equal(t, "desk"+shown, r.verdict("a")["tool_correctness.agent"])
		require.Equal(t, cut, r.verdict("d")["tool_correctness.agent"])
		reason := r.verdict("a")["tool_correctness.reason"].(string)
		require.Contains(t, reason, "Failed: missing ex"+shown+", exé")
		require.Less(t, len(reason), 600)
	})
}
