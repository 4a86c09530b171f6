package processor

import (
	"context"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
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

// A run without calls gets the score of an empty list from every method, whatever runs closed before it: lists are used again.
func TestNothingCalledIsScored(t *testing.T) {
	quiet := []span{agent("quiet", "", 0, 10).in(1)}
	failed := func(id string) span { return tool(id, "quiet", 1, 2, "search").in(1).with("error.type", "timeout") }
	allFailed := []span{quiet[0], failed("f1"), failed("f2")}
	busy := []span{agent("busy", "", 0, 10).in(2), tool("b1", "busy", 1, 2, "search").in(2)}
	idle := []span{agent("idle", "", 0, 10).in(3)}
	for _, tc := range []struct {
		name, reason string
		deliveries   [][]span
	}{
		{"alone", "no run before it has left a list behind", [][]span{quiet}},
		{"behind a run with calls", "the list of that run is used again", [][]span{append(busy[:2:2], quiet...)}},
		{"before a run with calls", "runs close in the order of their traces", [][]span{append(quiet[:1:1], busy...)}},
		{"behind a run without calls", "a list that stays empty is used again, too", [][]span{append(idle[:1:1], quiet...)}},
		{"in a later delivery", "each delivery begins anew", [][]span{busy, idle, quiet}},
		{"every call failed, behind others", "failed calls are ignored", [][]span{append(busy[:2:2], allFailed...)}},
	} {
		for _, tools := range [][]scoring.Tool{{{Name: "search"}}, {}} {
			t.Run(tc.name, func(t *testing.T) {
				expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: tools})
				require.NoError(t, err)
				metrics := comparing(t)
				withFakeClock(t, func(s *Settings, _ *sink) {
					s.IgnoreFailed, s.Metrics = true, metrics
					s.Expectations = []evaluate.Expectation{{Name: "0", Expected: expected, Metrics: metrics}}
				}, func(t *testing.T, r *rig) {
					for _, spans := range tc.deliveries {
						require.NoError(t, r.send(spans...))
						time.Sleep(2 * r.set.Wait)
					}
					got := r.verdict("quiet")
					require.Equal(t, []any{}, got["tool_correctness.called"], tc.reason)
					for _, m := range metrics {
						want := m.Method.Judge(expected, []scoring.Call{})
						require.Equal(t, scoring.Scored, want.Status, "the oracle scores")
						require.Equal(t, "scored", got[m.Name+".status"], "%s: %s", m.Name, tc.reason)
						require.Equal(t, want.Score, got[m.Name+".score"], "%s: %s", m.Name, tc.reason)
						require.Equal(t, want.Passed, got[m.Name+".passed"], "%s: %s", m.Name, tc.reason)
					}
				})
			})
		}
	}
}

// expectOrdered scores names in an order of either kind.
func expectOrdered(tb testing.TB, order scoring.Order, concurrent scoring.Concurrent, tools ...string) func(*Settings, *sink) {
	o := scoring.DefaultNative()
	o.Order, o.Concurrent = order, concurrent
	native, err := scoring.NewNative(o)
	require.NoError(tb, err)
	var settings scoring.ExpectationSettings
	for _, name := range tools {
		settings.Tools = append(settings.Tools, scoring.Tool{Name: name})
	}
	return func(s *Settings, k *sink) {
		expect(tb, settings)(s, k)
		s.Metrics[0].Method = native
	}
}
