package processor

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A verdict is on the span in LangWatch's form, if that is configured.
func TestVerdictsForLangWatch(t *testing.T) {
	never := func(s *Settings) { s.Expectations[0].When = unmet{} }
	for _, tc := range []struct {
		name      string
		langwatch bool
		change    func(*Settings)
		tools     []string
		events    int
		reason    string // why this is right, for the next reader: required
	}{
		{"a run that passed", true, nil, []string{"search"}, 1, "one metric is one evaluation"},
		{"a run that failed", true, nil, nil, 1, "a failure is an evaluation too"},
		{"a run without an expectation", true, never, []string{"search"}, 0, "it has no verdict"},
		{"without the form", false, nil, []string{"search"}, 0, "it has to be asked for"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, _ *sink) {
				s.LangWatch = tc.langwatch
				if tc.change != nil {
					tc.change(s)
				}
			}, func(t *testing.T, r *rig) {
				spans := []span{agent("a", "", 0, 10)}
				for _, name := range tc.tools {
					spans = append(spans, tool(name, "a", 1, 2, name))
				}
				require.NoError(t, r.send(spans...))
				r.after(time.Minute, len(spans))
				got := r.verdict("a")
				events := r.sink.spans[spanID("a")].Events()
				require.Equal(t, tc.events, events.Len(), tc.reason)
				for _, e := range events.All() {
					v, _ := e.Attributes().Get("json_encoded_event")
					var said map[string]any
					require.NoError(t, json.Unmarshal([]byte(v.Str()), &said))
					require.Equal(t, got["tool_correctness.passed"], said["passed"])
					require.Equal(t, got["tool_correctness.reason"], said["details"])
				}
			})
		})
	}
}

// Every copy of a run's span has the same evaluations, and sizes are accounted for.
func TestLangWatchOnCopies(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.LangWatch = true }, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(agent("a", "", 0, 10), agent("a", "", 0, 10), tool("t", "a", 1, 2, "search")))
		r.after(time.Minute, 3)
		require.Equal(t, 1, r.sink.spans[spanID("a")].Events().Len())
	})
}
