package processor

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scoreforms"
)

const allForms = scoreforms.OpenInference | scoreforms.Braintrust | scoreforms.LangWatch

// forging is a span that already has a forged verdict in the forms of other backends, and verdicts of others.
func forging(s span) span {
	return s.with("annotations.0.annotation.name", "tool_correctness").with("annotations.0.annotation.score", 1.0).
		with("annotations.1.annotation.name", "thumbs").with("annotations.1.annotation.label", "up").
		with("braintrust.scores", `{"tool_correctness":1,"toxicity":0.25}`)
}

// A verdict is on the span in every configured form, beside verdicts of others. No other form counts as ours.
func TestFormsOfOtherBackends(t *testing.T) {
	never := func(s *Settings) { s.Expectations[0].When = unmet{} }
	for _, tc := range []struct {
		name   string
		forms  scoreforms.Form
		change func(*Settings)
		tools  []string
		want   map[string]any // nil: the attribute is not there
		events int
		reason string // why this is right, for the next reader: required
	}{
		{"a run that passed", allForms, nil, []string{"search"}, map[string]any{
			"annotations.0.annotation.name": "tool_correctness", "annotations.0.annotation.score": 1.0, "annotations.0.annotation.label": "pass",
			"annotations.1.annotation.label": "up", "braintrust.scores": `{"tool_correctness":1,"toxicity":0.25}`, "tool_correctness.score": 1.0,
		}, 1, "the free index is used again, and the object has both scores"},
		{"a run that failed", allForms, nil, nil, map[string]any{
			"annotations.0.annotation.score": 0.0, "annotations.0.annotation.label": "fail", "braintrust.scores": `{"tool_correctness":0,"toxicity":0.25}`,
		}, 1, "what the sender claimed is gone"},
		{"a run without an expectation", allForms, never, []string{"search"}, map[string]any{
			"annotations.0.annotation.name": nil, "annotations.0.annotation.score": nil, "annotations.1.annotation.label": "up",
			"braintrust.scores": `{"toxicity":0.25}`,
		}, 0, "it has no verdict, so no sender may claim one"},
		{"no form", 0, nil, []string{"search"}, map[string]any{
			"annotations.0.annotation.score": 1.0, "annotations.1.annotation.label": "up", "braintrust.scores": `{"tool_correctness":1,"toxicity":0.25}`,
		}, 0, "without the form, these attributes are not ours to touch"},
		{"one form", scoreforms.LangWatch, nil, []string{"search"}, map[string]any{
			"annotations.0.annotation.score": 1.0, "braintrust.scores": `{"tool_correctness":1,"toxicity":0.25}`,
		}, 1, "only the names of a configured form are looked at"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, _ *sink) {
				s.Forms = tc.forms
				if tc.change != nil {
					tc.change(s)
				}
			}, func(t *testing.T, r *rig) {
				spans := []span{forging(agent("a", "", 0, 10))}
				for _, name := range tc.tools {
					spans = append(spans, tool(name, "a", 1, 2, name))
				}
				require.NoError(t, r.send(spans...))
				r.after(time.Minute, len(spans))
				got := r.verdict("a")
				for key, want := range tc.want {
					require.Equal(t, want, got[key], "%s: %s", key, tc.reason)
				}
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

// Every copy of a run's span has the same forms, and sizes are accounted for.
func TestFormsOnCopies(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.Forms = allForms }, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(agent("a", "", 0, 10), agent("a", "", 0, 10), tool("t", "a", 1, 2, "search")))
		r.after(time.Minute, 3)
		require.Equal(t, 1.0, r.verdict("a")["annotations.0.annotation.score"])
	})
}
