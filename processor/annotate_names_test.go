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

// The names of a run are compared as the leading metric compares it: as sets, if repeats are unique.
func TestNamesUnderUniqueRepeats(t *testing.T) {
	for repeats, want := range map[scoring.Repeats][2][]any{
		scoring.CountRepeats:  {{"search", "pay"}, {"fetch", "fetch"}},
		scoring.UniqueRepeats: {{"pay"}, {"fetch"}},
	} {
		settings := func(s *Settings, k *sink) {
			o := scoring.DefaultNative()
			o.Repeats = repeats
			native, err := scoring.NewNative(o)
			require.NoError(t, err)
			expect(t, scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}, {Name: "search"}, {Name: "pay"}}})(s, k)
			s.Metrics[0].Method = native
		}
		withFakeClock(t, settings, func(t *testing.T, r *rig) {
			require.NoError(t, r.send(agent("a", "", 1, 9), tool("b", "a", 2, 3, "search"), tool("c", "a", 3, 4, "fetch"), tool("d", "a", 4, 5, "fetch")))
			r.after(time.Minute, 4)
			require.Equal(t, want[0], r.verdict("a")["tool_correctness.missing"], "%s", repeats)
			require.Equal(t, want[1], r.verdict("a")["tool_correctness.unexpected"], "%s", repeats)
		})
	}
}
