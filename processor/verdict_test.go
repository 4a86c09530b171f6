package processor

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Conditions read the agent's name from one attribute. Only spans with a verdict keep it.
func TestOneAttributeNamesTheAgent(t *testing.T) {
	tell(t, story{name: "of five agents", change: func(s *Settings, _ *sink) {
		s.Expectations[0].When = conditionOf(t, componenttest.NewNopTelemetrySettings(), `attributes["tool_correctness.agent"] == "desk"`)
	}, text: `
		> agent a [1-9] gen_ai.agent.name=desk; plain b [1-9] @2 ai.operationId=ai.generateText ai.telemetry.functionId=desk
		> agent c [1-9] @3 gen_ai.agent.name=other; agent e [1-9] @5 tool_correctness.agent=desk
		> agent d [1-9] @4 gen_ai.agent.name=other tool_correctness.agent=earlier
		15s: a b c d e
		a: agent desk
		b: agent desk, expectation 0   # whatever the dialect
		c: agent -   # no expectation is for it
		d: agent -   # what another wrote there goes, too
		e: agent -   # its name is not known, and that of no other span is taken`,
	})
}

// A name that only an agent's steps have is on the run's span, in whatever order the spans arrive, and also after a crash.
func TestAnAgentHasTheNameOfItsSteps(t *testing.T) {
	const scope = "openinference.instrumentation.llama_index"
	run := agent("run", "", 1, 10).by(scope)
	run.name, run.attributes = "FunctionAgent.run", map[string]any{"openinference.span.kind": "CHAIN"}
	step := run.with("input.value", `{"ctx": "", "ev": "AgentInput(input=[], current_agent_name='desk')"}`)
	step.id, step.parent, step.name, step.start, step.end = "step", "run", "BaseWorkflowAgent.setup_agent", 2, 3
	sends := func(s span) func(*teller) { return func(h *teller) { require.NoError(h.t, h.send(s)) } }
	do := hooks{"a_run": sends(run), "a_step": sends(step), "a_step_of_another_process": sends(step.from("other"))}
	tell(t, story{name: "the step first", stored: true, do: do, text: `
		a_step
		crash
		a_run
		1m: run
		run: agent desk   # children leave before their parents`,
	}, story{name: "the step last", stored: true, do: do, text: `
		a_run
		crash
		a_step
		1m: run step
		run: agent desk   # batches arrive in any order`,
	}, story{name: "a step of another process", stored: true, do: do, text: `
		a_step_of_another_process
		crash
		a_run
		1m: run
		run: agent desk   # spans of a trace belong together, whoever sent them`,
	})
}

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

// Times, and the response that requested the calls, decide which calls have an order.
func TestConcurrentCallsOfSpans(t *testing.T) {
	const apart = "tool b<a [4-5] fetch id:call_of_fetch; tool c<a [6-7] search id:call_of_search"
	const both = "model m<a [2-3] asks:fetch#call_of_fetch asks:search#call_of_search"
	for _, tc := range []struct {
		name, spans     string
		either, started float64
		reason          string
	}{
		{"at the same time", "tool b<a [4-6] fetch; tool c<a [5-7] search", 1, 0.5, "they overlap"},
		{"one after the other", apart, 0.5, 0.5, "fetch was over"},
		{"asked for at once", both + ";" + apart, 1, 0.5, "the model left the order open"},
		{"asked for one by one", "model m<a [2-3] asks:fetch#call_of_fetch; model n<a [5-6] asks:search#call_of_search;" + apart, 0.5, 0.5,
			"the second response came after the first call"},
		{"asked for, and no spans", both, 1, 0.5, "both calls have the time of the response"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for concurrent, want := range map[scoring.Concurrent]float64{
				scoring.ConcurrentAnyOrder: tc.either, scoring.ConcurrentAsStarted: tc.started,
			} {
				withFakeClock(t, expectOrdered(t, scoring.InOrder, concurrent, "search", "fetch"), func(t *testing.T, r *rig) {
					sent := spans("agent a [1-9];" + tc.spans)
					require.NoError(t, r.send(sent...))
					r.after(time.Minute, len(sent))
					require.Equal(t, want, r.verdict("a")["tool_correctness.score"], "%s: %s", concurrent, tc.reason)
				})
			}
		})
	}
}

// Where nothing else of a run is recorded, the transcript on the agent's span says which calls were made: those with a result that is no
// refusal. Beside spans of calls or of models it proves none.
func TestATranscriptAloneProvesCalls(t *testing.T) {
	transcript := func(result string) string {
		return `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_search","name":"search","arguments":{}}]},` + result +
			`{"role":"assistant","parts":[{"type":"text","content":"done"}]}]`
	}
	const told = `{"role":"tool","parts":[{"type":"tool_call_response","id":"call_search","response":"two hits"}]},`
	for _, tc := range []struct {
		name, transcript string
		beside           []span
		want             []any
	}{
		{"answered", transcript(told), nil, []any{"search"}},
		{"without a result", transcript(""), nil, []any{}},
		{"there is no such tool", transcript(strings.Replace(told, "two hits", "tool search not found", 1)), nil, []any{}},
		{"beside a tool's span", transcript(told), []span{tool("t", "run", 1, 2, "fetch")}, []any{"fetch"}},
		{"beside a model's span", transcript(told), []span{model("m", "run", 1, 2, nil)}, []any{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, nil, func(t *testing.T, r *rig) {
				require.NoError(t, r.send(append(tc.beside, agent("run", "", 0, 9).with("gen_ai.output.messages", tc.transcript))...))
				r.after(11*time.Second, 1+len(tc.beside))
				require.Equal(t, tc.want, r.verdict("run")["tool_correctness.called"])
			})
		})
	}
}
