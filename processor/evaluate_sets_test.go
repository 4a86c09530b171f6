package processor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

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
