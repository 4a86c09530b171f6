package processor

import (
	"context"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// verdictKeys are all keys that the processor writes on a run's span for the metric tool_correctness.
var verdictKeys = []string{
	"tool_correctness.score", "tool_correctness.passed", "tool_correctness.reason", "tool_correctness.threshold",
	"tool_correctness.status", "tool_correctness.expectation", "tool_correctness.agent", "tool_correctness.called",
	"tool_correctness.expected", "tool_correctness.missing", "tool_correctness.unexpected", "tool_correctness.complete",
	"tool_correctness.closed_by", "tool_correctness.config",
}

const forged = "forged"

// claiming is a span that already has attributes of the processor, and others.
func claiming(s span) span {
	for _, key := range verdictKeys {
		s = s.with(key, forged)
	}
	return s.with("other.score", forged).with("tool_correctness.note", forged)
}

// No span of an agent leaves with the processor's attributes as a sender wrote them.
func TestOnlyOurVerdictIsOnAnAgentsSpan(t *testing.T) {
	never := func(s *Settings) { s.Expectations[0].When = unmet{} }
	for _, tc := range []struct {
		name    string
		change  func(*Settings)
		batches [][]span
		keeps   bool
		reason  string // why this is right, for the next reader: required
	}{
		{"a judged run", nil, [][]span{{tool("c", "x", 2, 3, "search"), claiming(agent("x", "", 1, 9))}}, false, "it has our verdict and no other"},
		{"a run that no expectation is for", never, [][]span{{claiming(agent("x", "", 1, 9))}}, false, "it has no verdict at all"},
		{"a stand-in", nil, [][]span{{tool("c", "x", 2, 3, "search"), claiming(plain("x", "", 1, 9))}}, false, "it is held for its trace's calls"},
		{"a stand-in that no expectation is for", never, [][]span{{tool("c", "x", 2, 3, "search"), claiming(plain("x", "", 1, 9))}}, false, "likewise"},
		{"a workflow around agents", nil, [][]span{{claiming(workflow("x", "", 0, 10)), agent("a", "x", 1, 9)}}, false, "it represents no run, and is forwarded without a verdict"},
		{"a copy of a judged span", nil, [][]span{{agent("x", "", 1, 9)}, {claiming(agent("x", "", 1, 9))}}, false, "it goes on at once"},
		{"an agent inside of a trace that is one run", func(s *Settings) { s.Run.WholeTrace = true },
			[][]span{{claiming(agent("x", "r", 2, 3)), agent("r", "", 1, 9)}}, false, "the run is the root's"},
		{"an agent's span without its run's time", never, [][]span{{claiming(agent("x", "lost", 9, 1))}}, false, "it is an agent's all the same"},
		{"an ordinary span", nil, [][]span{{claiming(plain("x", "p", 2, 3)), agent("a", "", 1, 9)}}, true, "it is not examined: no reader looks for a verdict there"},
		{"a tool's span", nil, [][]span{{claiming(tool("x", "a", 2, 3, "search")), agent("a", "", 1, 9)}}, true, "likewise"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, func(s *Settings, _ *sink) {
				if tc.change != nil {
					tc.change(s)
				}
			})
			r.clock.stop()
			for _, batch := range tc.batches {
				require.NoError(t, r.send(batch...))
				r.Advance(t.Context(), time.Hour)
			}
			require.NoError(t, r.Shutdown(t.Context()))
			r.conserved()
			said := r.verdict("x")
			require.Contains(t, said, "other.score", "what is not ours stays")
			require.Contains(t, said, "tool_correctness.note", "a key that we do not write is not ours")
			for _, key := range verdictKeys {
				require.Equal(t, tc.keeps, said[key] == forged, "%s: %s", key, tc.reason)
			}
		})
	}
}

// OTLP forbids a repeated key, but JSON can have one. A reader may use the last one.
func TestAVerdictThatOccursTwiceIsRemoved(t *testing.T) {
	var unmarshaler ptrace.JSONUnmarshaler
	td, err := unmarshaler.UnmarshalTraces([]byte(`{"resourceSpans": [{"scopeSpans": [{"spans": [{
		"traceId": "01000000000000000000000000000000", "spanId": "7800000000000000", "attributes": [
		{"key": "gen_ai.operation.name", "value": {"stringValue": "invoke_agent"}},
		{"key": "tool_correctness.score", "value": {"doubleValue": 1}},
		{"key": "tool_correctness.score", "value": {"doubleValue": 1}}
	]}]}]}]}`))
	require.NoError(t, err)
	r := newRig(t, nil)
	r.clock.stop()
	r.pass(td)
	var scores []float64
	for key, v := range r.sink.spans[spanID("x")].Attributes().All() {
		if key == "tool_correctness.score" {
			scores = append(scores, v.Double())
		}
	}
	require.Equal(t, []float64{0}, scores, "ours, for a run that called nothing")
}

// unmet is a condition that never holds.
type unmet struct{}

func (unmet) Eval(context.Context, *ottlspan.TransformContext) (bool, error) { return false, nil }
