package processor

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A verdict is on the span once in LangWatch's form, whether the run passed or not, if that is configured. Copies of a span have it too.
func TestVerdictsForLangWatch(t *testing.T) {
	for _, langwatch := range []bool{true, false} {
		withFakeClock(t, func(s *Settings, _ *sink) { s.LangWatch = langwatch }, func(t *testing.T, r *rig) {
			require.NoError(t, r.send(agent("a", "", 0, 10), agent("a", "", 0, 10), tool("t", "a", 1, 2, "search"), agent("b", "", 0, 10).in(2)))
			r.after(time.Minute, 4)
			for _, id := range []string{"a", "b"} {
				events := r.sink.spans[spanID(id)].Events()
				require.Equal(t, map[bool]int{true: 1}[langwatch], events.Len(), id)
				for _, e := range events.All() {
					v, _ := e.Attributes().Get("json_encoded_event")
					var said map[string]any
					require.NoError(t, json.Unmarshal([]byte(v.Str()), &said))
					require.Equal(t, id == "a", said["passed"])
					require.Equal(t, r.verdict(id)["tool_correctness.reason"], said["details"])
				}
			}
		})
	}
}
