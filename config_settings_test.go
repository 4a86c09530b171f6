package toolcorrectnessprocessor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A call is compared with an argument as YAML has it: types of numbers, digits, order of keys.
func TestPayloads(t *testing.T) {
	for _, tc := range []struct{ claim, yaml, arguments, output string }{
		{"an integer is none with a point", `{name: a, arguments: {x: 1}}`, `{"x":1}`, `null`},
		{"a float keeps its point", `{name: a, arguments: {x: 1.0, y: -0.0, z: 1e30}}`, `{"x":1.0,"y":-0.0,"z":1e+30}`, `null`},
		{"shortest digits", `{name: a, arguments: {x: 0.1}}`, `{"x":0.1}`, `null`},
		{"64 bits fit", `{name: a, arguments: {x: 18446744073709551615, y: -9223372036854775808}}`, `{"x":18446744073709551615,"y":-9223372036854775808}`, `null`},
		{"a string that holds JSON is kept as it stands", `{name: a, arguments: '{"z": 1.50, "a": 123456789012345678901234567890}'}`, `{"z": 1.50, "a": 123456789012345678901234567890}`, `null`},
		{"every kind", `{name: a, arguments: {a: null, b: true, c: "1", d: [], e: {}, f: [1, [2.0]]}}`, `{"a":null,"b":true,"c":"1","d":[],"e":{},"f":[1,[2.0]]}`, `null`},
		{"no arguments are not empty arguments", `{name: a, arguments: {}}`, `{}`, `null`},
		{"words of YAML in quotes are texts", `{name: a, arguments: {on: "2026-01-01", at: "null"}}`, `{"at":"null","on":"2026-01-01"}`, `null`},
		{"an output that is a string is a text, not JSON", `{name: a, output: '{"x": 1}'}`, `null`, `"{\"x\": 1}"`},
		{"an output may be anything", `{name: a, output: [1.0, {x: y}]}`, `null`, `[1.0,{"x":"y"}]`},
		{"or false", `{name: a, output: false}`, `null`, `false`},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			set := settingsOf(t, `expectations: [{tools: [`+tc.yaml+`]}]`)
			tool := set.Expectations[0].Expected.Tools()[0]
			assert.Equal(t, tc.arguments, string(tool.Arguments.AppendJSON(nil)))
			assert.Equal(t, tc.output, string(tool.Output.AppendJSON(nil)))
		})
	}
}

func TestCounts(t *testing.T) {
	for _, tc := range []struct {
		yaml string
		want scoring.Count
	}{
		{`{name: a}`, scoring.Count{}},
		{`{name: a, count: }`, scoring.Count{}},
		{`{name: a, count: {}}`, scoring.Count{Min: 1, Max: scoring.Unlimited}},
		{`{name: a, count: {min: 0}}`, scoring.Count{Min: 0, Max: scoring.Unlimited}},
		{`{name: a, count: {max: 3}}`, scoring.Count{Min: 1, Max: 3}},
		{`{name: a, count: {min: 2, max: 2}}`, scoring.Count{Min: 2, Max: 2}},
		{`{name: a, optional: true, count: {max: 3}}`, scoring.Count{Min: 0, Max: 3}},
	} {
		t.Run(tc.yaml, func(t *testing.T) {
			set := settingsOf(t, `expectations: [{tools: [`+tc.yaml+`]}]`)
			assert.Equal(t, tc.want, set.Expectations[0].Expected.Tools()[0].Count)
		})
	}
}

// Arguments and outputs are kept only if a metric compares them.
func TestPayloadsAreKeptIfTheyAreCompared(t *testing.T) {
	for _, tc := range []struct {
		claim, yaml       string
		arguments, output bool
	}{
		{"names need neither", `expectations: [{tools: [{name: a, arguments: {x: 1}, output: y}]}]`, false, false},
		{"arguments", `{metrics: {m: {native: {arguments: subset}}}, expectations: [{tools: [a]}]}`, true, false},
		{"output", `{metrics: {m: {native: {output: exact}}}, expectations: [{tools: [a]}]}`, false, true},
		{"identical calls have identical arguments", `{metrics: {m: {native: {repeats: collapse}}}, expectations: [{tools: [a]}]}`, true, false},
		{"a metric that no expectation uses keeps nothing", `{metrics: {m: {native: {arguments: exact}}, n: {native: }}, expectations: [{tools: [a], metrics: [n]}]}`, false, false},
		{"one expectation is enough", `{metrics: {m: {native: {arguments: exact}}, n: {native: }}, expectations: [{name: x, tools: [a], metrics: [n]}, {tools: [b], metrics: [m]}]}`, true, false},
		{"an expectation that its metric never meets keeps nothing",
			`{metrics: {m: {native: {arguments: exact}}, n: {native: }}, expectations: [{tools: [a], metrics: [n]}, {name: x, tools: [{name: c, arguments: {x: 1}, arguments_match: exact}], metrics: [n]}]}`,
			false, false},
		{"a tool may want its arguments compared", `expectations: [{tools: [{name: a, arguments: {x: 1}, arguments_match: exact}]}]`, true, false},
		{"so may a forbidden one", `expectations: [{forbidden: [{name: a, arguments: {x: 1}, output: y}]}]`, true, true},
		{"tools from an attribute are read with the metric's eyes", `{metrics: {m: {axion: {check_parameters: true}}}, expectations: [{from_attribute: x}]}`, true, false},
		{"galtea reads names", `{metrics: {m: {galtea: }}, expectations: [{tools: [a]}]}`, false, false},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			set := settingsOf(t, tc.yaml)
			assert.Equal(t, tc.arguments, set.Run.KeepArguments, "arguments")
			assert.Equal(t, tc.output, set.Run.KeepOutput, "output")
		})
	}
}

// Payloads that are stated but never compared are a warning.
func TestWarnings(t *testing.T) {
	const arguments = "expectations[0]: arguments are given, and no metric of it compares arguments"
	const output = "expectations[0]: an output is given, and no metric of it compares outputs"
	const most = "expectations[0]: count.max is given, and no metric of it gives more calls a lower score; order: exact, extra_calls: forbid, score: precision or score: f1 would"
	for _, tc := range []struct {
		claim, yaml string
		want        []string
	}{
		{"names only, and names only are compared", `expectations: [{tools: [a]}]`, nil},
		{"arguments that no metric compares, said once", `expectations: [{tools: [{name: a, arguments: {x: 1}}, {name: b, arguments: {x: 1}}]}]`, []string{arguments}},
		{"both", `expectations: [{any_of: [[a], [{name: b, arguments: {}, output: x}]]}]`, []string{arguments, output}},
		{"arguments that the metric compares", `{metrics: {m: {native: {arguments: exact}}}, expectations: [{tools: [{name: a, arguments: {x: 1}}]}]}`, nil},
		{"one metric of several is enough", `{metrics: {m: {native: {arguments: exact}}, n: {galtea: }}, expectations: [{tools: [{name: a, arguments: {x: 1}}]}]}`, nil},
		{"no tools, and calls do no harm", `expectations: [{tools: []}]`,
			[]string{`expectations[0]: no tools are expected, and the metric "tool_correctness" passes whatever is called; with extra_calls: forbid it would not`}},
		{"no tools, and none may be called", `{metrics: {m: {native: {extra_calls: forbid}}}, expectations: [{tools: []}]}`, nil},
		{"no tools, and calls cost precision", `{metrics: {m: {native: {score: f1}}}, expectations: [{tools: []}]}`, nil},
		{"no tools, and the order wants as many calls", `{metrics: {m: {native: {order: exact}}}, expectations: [{tools: []}]}`, nil},
		{"no tools, and nothing can fail", `{metrics: {m: {native: {threshold: 0}}}, expectations: [{tools: []}]}`,
			[]string{`expectations[0]: no tools are expected, and the metric "m" passes whatever is called`}},
		{"optional tools only", `expectations: [{tools: [{name: a, optional: true}]}]`,
			[]string{`expectations[0]: no tools are required, and the metric "tool_correctness" passes whatever is called; with extra_calls: forbid it would not`}},
		{"no tools, and a limit", `expectations: [{tools: [], max_calls: 3}]`, nil},
		{"no tools, by methods that mind", `{metrics: {m: {axion: }, n: {deepeval: }, o: {deepeval_multimodal: }, p: {evalsharp: }, q: {galtea: }}, expectations: [{tools: []}]}`, nil},
		{"no tools, by one that does not", `{metrics: {m: {eval_lib: }}, expectations: [{tools: []}]}`, []string{`expectations[0]: no tools are expected, and the metric "m" passes whatever is called`}},
		{"a tool, whose score says something though nothing can fail", `{metrics: {m: {native: {threshold: 0}}}, expectations: [{tools: [a]}]}`, nil},
		{"no tools but forbidden ones", `expectations: [{tools: [], forbidden: [a]}]`, nil},
		{"arguments that the tool wants compared", `expectations: [{tools: [{name: a, arguments: {x: 1}, arguments_match: exact}]}]`, nil},
		{"a most that recall does not see, said once", `expectations: [{tools: [{name: a, count: {max: 2}}, {name: b, count: {max: 2}}]}]`, []string{most}},
		{"conditions that no call meets", `expectations: [{tools: [a, {name: b, where: 'output["x"] == "1" and output["x"] == "2"'}], forbidden: [{name: c, where: 'status == "ok" and status == "error"'}]}]`, []string{
			`expectations[0].forbidden[0]: it forbids nothing: its ` + "`where`" + ` never holds: status == "ok" and status == "error" contradict each other`,
			`expectations[0].tools[1]: no call matches it: its ` + "`where`" + ` never holds: output["x"] == "1" and output["x"] == "2" contradict each other`,
		}},
		{"a condition that no run meets", `expectations: [{tools: [{name: a, arguments: {x: 1}}], when: 'name == "x" and name == "y"'}]`, []string{
			`expectations[0]: it is never met: its ` + "`when`" + ` never holds: name == "x" and name == "y" contradict each other`,
		}},
		{"tools whose calls are left out", `{calls: {exclude: ["final_*", b]}, expectations: [{any_of: [[a, {any_of: [b, final_answer]}], [{any_of: [a, b]}, "final_a*"]], forbidden: [b]}]}`, []string{
			`expectations[0].forbidden[0]: it forbids nothing: calls.exclude leaves out all of its calls, by "b"`,
			`expectations[0].any_of[0][1]: no call matches it: calls.exclude leaves out all of its calls, by "final_*"`,
			`expectations[0].any_of[1][1]: no call matches it: calls.exclude leaves out all of its calls, by "final_*"`,
		}},
		{"more calls than a run keeps", `{limits: {calls_per_run: 2}, expectations: [{tools: [a, {name: b, count: {min: 2}}, {name: c, optional: true}]}]}`, []string{
			`expectations[0].tools: 3 calls are required, and limits.calls_per_run keeps 2 of a run`,
		}},
		{"as many calls as a run keeps", `{limits: {calls_per_run: 2}, expectations: [{tools: [a, b]}]}`, nil},
		{"a least", `expectations: [{tools: [{name: a, count: {min: 2}}]}]`, nil},
		{"a most that one metric of several sees", `{metrics: {m: {native: }, n: {native: {score: f1}}}, expectations: [{tools: [{name: a, count: {max: 2}}]}]}`, nil},
		{"a most of one that is for another metric", `{metrics: {m: {native: }, n: {native: {score: f1}}}, expectations: [{tools: [{name: a, count: {max: 2}}], metrics: [m]}]}`, []string{most}},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			assert.Equal(t, tc.want, settingsOf(t, tc.yaml).Warnings)
		})
	}
}

// Backends keep the fingerprint on spans for long, so it must not change between releases.
func TestFingerprint(t *testing.T) {
	const base = `{metrics: {m: {native: {threshold: 0.8}}}, expectations: [{name: x, tools: [{name: a, arguments: {x: 1, y: [b]}}]}]}`
	assert.Equal(t, "78547e1e", mustLoad(t, base).fingerprint(), "it changed for a configuration that did not")
	seen := map[string]string{}
	for _, yaml := range append([]string{base},
		strings.Replace(base, "0.8", "0.9", 1),
		strings.Replace(base, "x: 1,", "x: 1.0,", 1),
		strings.Replace(base, "x: 1,", `x: "1",`, 1),
		strings.Replace(base, "x: 1,", "x: true,", 1),
		strings.Replace(base, "[b]", "b", 1),
		strings.Replace(base, "name: x,", "name: z,", 1),
		strings.Replace(base, "name: x,", `name: x, when: "true",`, 1),
		strings.Replace(base, "arguments:", "output:", 1),
		strings.Replace(base, "name: a,", "name: a, optional: true,", 1),
		strings.Replace(base, "name: a,", "name: a, where: index == 0,", 1),
		strings.Replace(base, "name: a,", "name: a, ignore_arguments: [z],", 1),
		strings.Replace(base, "name: a,", "name: a, argument_defaults: {z: 1},", 1),
		strings.Replace(base, "name: a,", "name: a, argument_defaults: {z: 1.0},", 1),
		strings.Replace(base, "name: x,", "name: x, max_calls: 3,", 1),
		strings.Replace(base, "name: x,", "name: x, max_calls: {a: 3},", 1),
		strings.Replace(base, "name: a,", "name: a, where: index == 1,", 1),
		strings.Replace(base, "metrics:", "error_mode: propagate, metrics:", 1),
		strings.Replace(base, "m: {", "n: {", 1),
		strings.Replace(base, "metrics:", "run: {wait: 1s}, metrics:", 1),
		strings.Replace(base, "metrics:", "annotate: {values: true}, metrics:", 1),
		strings.Replace(base, "metrics:", "annotate: {calls: true}, metrics:", 1),
		`expectations: [{tools: []}]`, `expectations: [{tools: [], forbidden: [a]}]`, `expectations: [{forbidden: [a]}]`,
	) {
		print := mustLoad(t, yaml).fingerprint()
		assert.Empty(t, seen[print], "the fingerprint of %s is that of another", yaml)
		seen[print] = yaml
	}
	for i := range 20 {
		assert.Equal(t, mustLoad(t, base).fingerprint(), settingsOf(t, base).Fingerprint, "try "+strconv.Itoa(i))
	}
}

// There is a warning if and only if no metric can reach an expectation.
func TestExpectationsThatAreNeverMet(t *testing.T) {
	const both = `metrics: {m: {native: }, n: {galtea: }}, `
	for _, tc := range []struct {
		claim, yaml string
		want        []string
	}{
		{"behind one without a condition", `expectations: [{name: x, tools: [a]}, {name: y, tools: [b]}, {name: z, tools: [c], when: 'name == "x"'}]`, []string{
			"expectations[1]: it is never met: expectations[0] stands before it, is for the same metrics, and has no `when`",
			"expectations[2]: it is never met: expectations[0] stands before it, is for the same metrics, and has no `when`",
		}},
		{"behind one with the same condition", `expectations: [{name: x, tools: [a], when: 'name == "x"'}, {name: y, tools: [b], when: 'name != "x"'}, {name: z, tools: [c], when: 'name=="x" '}]`, []string{
			"expectations[2]: it is never met: expectations[0] stands before it, is for the same metrics, and has the same `when`",
		}},
		{"behind several, of which the first that is met is named", both + `expectations: [{name: w, tools: [a], when: 'name == "x"'}, {name: x, tools: [a], when: 'name == "x"'}, {name: y, tools: [b]}, {name: z, tools: [c], when: 'name == "x"'}]`, []string{
			"expectations[1]: it is never met: expectations[0] stands before it, is for the same metrics, and has the same `when`",
			"expectations[3]: it is never met: expectations[2] stands before it, is for the same metrics, and has no `when`",
		}},
		{"a text with a space is another text", `expectations: [{name: x, tools: [a], when: 'name == "x"'}, {name: y, tools: [b], when: 'name == " x"'}]`, nil},
		{"a text is no path", `expectations: [{name: x, tools: [a], when: 'name == "name"'}, {name: y, tools: [b], when: 'name == name'}]`, nil},
		{"the same condition, of which little is understood", `expectations: [{name: x, tools: [a], when: 'name == "\"x"'}, {name: y, tools: [b], when: 'name == "\"x"'}]`, []string{
			"expectations[1]: it is never met: expectations[0] stands before it, is for the same metrics, and has the same `when`",
		}},
		{"a condition that may hold the second time", `expectations: [{name: x, tools: [a], when: 'HasPrefix(UUID(), "a")'}, {name: y, tools: [b], when: 'HasPrefix(UUID(), "a")'}]`, nil},
		{"for other metrics", both + `expectations: [{name: x, tools: [a], metrics: [m]}, {name: y, tools: [b], metrics: [n]}]`, nil},
		{"for one other metric", both + `expectations: [{name: x, tools: [a], metrics: [m]}, {name: y, tools: [b]}]`, nil},
		{"for each metric another one stands before it", both + `expectations: [{name: x, tools: [a], metrics: [m]}, {name: y, tools: [b], metrics: [n], when: 'name == "x"'}, {name: z, tools: [c], when: 'name == "x"'}]`, []string{
			"expectations[2]: it is never met: for the metric \"m\", expectations[0] stands before it and has no `when`; " +
				"for the metric \"n\", expectations[1] stands before it and has the same `when`",
		}},
		{"what is never met has no other warning", `expectations: [{name: x, tools: [a]}, {name: y, tools: [{name: b, arguments: {x: 1}}]}]`, []string{
			"expectations[1]: it is never met: expectations[0] stands before it, is for the same metrics, and has no `when`",
		}},
		{"nor do metrics compare that never meet it",
			`metrics: {m: {native: {arguments: exact}}, n: {native: }}, expectations: [{name: x, tools: [a], metrics: [m]}, {name: y, tools: [{name: b, arguments: {x: 1}}]}]`,
			[]string{"expectations[1]: arguments are given, and no metric of it compares arguments"}},
		{"from an attribute, too", `expectations: [{name: x, tools: [a]}, {name: y, from_attribute: z}]`, []string{
			"expectations[1]: it is never met: expectations[0] stands before it, is for the same metrics, and has no `when`",
		}},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			assert.Equal(t, tc.want, settingsOf(t, "{"+tc.yaml+"}").Warnings)
		})
	}
}

// A warning about the native method is true of every run. Without a warning, it would be false for some run.
func TestWarningsAreTrue(t *testing.T) {
	runs, recall := someRuns(), settingsOf(t, "expectations: [{tools: [a]}]").Metrics[0].Method
	for i, options := range nativeOptions() {
		if testing.Short() && i%4 != 0 { // every option of each kind is among these
			continue
		}
		for _, tools := range []string{
			`[]`, `[{name: a, optional: true}]`, `[{name: a, count: {min: 0}}]`, `[a]`, `[{name: "*", optional: true}, a]`, `[{name: "*", count: {min: 0, max: 2}}]`,
			`[{name: a, count: {min: 1, max: 2}}]`, `[{name: a, count: {max: 3}}, b]`, `[b, {name: a, count: {min: 0, max: 1}}, a]`, `[{name: a, count: {min: 2, max: 2}}]`,
		} {
			yaml := fmt.Sprintf(`{metrics: {m: {native: {%s}}}, expectations: [{tools: %s}]}`, options, tools)
			set := settingsOf(t, yaml)
			warned := strings.Join(set.Warnings, "\n")
			method, expected := set.Metrics[0].Method, set.Expectations[0].Expected
			if tools != `[{name: "*", count: {min: 0, max: 2}}]` { // where more calls cost precision, it may take longer runs to fail
				passes := !slices.ContainsFunc(runs, func(calls []scoring.Call) bool { return !method.Judge(expected, calls).Passed })
				assert.Equal(t, passes && recall.Judge(expected, []scoring.Call{}).Score == 1, strings.Contains(warned, "passes whatever is called"), yaml)
			}
			if strings.Contains(warned, "with extra_calls: forbid it would not") {
				strict := settingsOf(t, strings.Replace(yaml, "extra_calls: allow", "extra_calls: forbid", 1))
				assert.True(t, slices.ContainsFunc(runs, func(calls []scoring.Call) bool { return !strict.Metrics[0].Method.Judge(expected, calls).Passed }), yaml)
			}
			if !strings.Contains(tools, "max") {
				continue
			}
			endless := settingsOf(t, strings.NewReplacer(", max: 1", "", ", max: 2", "", ", max: 3", "", "max: 3", "min: 1").Replace(yaml)).Expectations[0].Expected
			matters := slices.ContainsFunc(runs, func(calls []scoring.Call) bool {
				return method.Judge(expected, calls).Score != method.Judge(endless, calls).Score
			})
			assert.Equal(t, matters, !strings.Contains(warned, "count.max is given"), yaml)
		}
	}
}

// nativeOptions returns all combinations of options on which warnings depend.
func nativeOptions() (all []string) {
	for _, order := range scoring.Words[scoring.Order]() {
		for _, score := range scoring.Words[scoring.Measure]() {
			for _, extra := range scoring.Words[scoring.ExtraCalls]() {
				for _, threshold := range []string{"0", "0.5", "1"} {
					all = append(all, fmt.Sprintf("order: %s, score: %s, extra_calls: %s, threshold: %s", order, score, extra, threshold))
				}
			}
		}
	}
	return all
}

// someRuns returns all runs of up to 5 calls of three tools.
func someRuns() [][]scoring.Call {
	runs := [][]scoring.Call{{}}
	for from, length := 0, 1; length <= 5; length++ {
		to := len(runs)
		for _, run := range runs[from:to] {
			for _, name := range []string{"a", "b", "z"} {
				runs = append(runs, append(slices.Clone(run), scoring.Call{Name: name}))
			}
		}
		from = to
	}
	return runs
}

// With an index over many conditions, verdicts are the same as if each condition were evaluated. Some conditions read the
// agent's name from the attribute that the processor sets.
func TestIndexedConditionsDoNotChangeVerdicts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	others := []string{`true`, `name == "x" or attributes["a"] == "y"`, `not (attributes["a"] == "x")`, `IsMatch(name, "^x")`, `attributes["a"]["b"] == "x"`}
	var yaml strings.Builder
	yaml.WriteString("expectations:\n")
	for i := range 300 {
		when := fmt.Sprintf(`attributes["tool_correctness.agent"] == "agent-%d"`, random.IntN(100))
		switch i % 3 {
		case 0:
			when += ` and attributes["a"] == "` + []string{"x", "y", ""}[random.IntN(3)] + `"`
		case 1:
			when += ` and attributes["a"] == "x" and (` + others[random.IntN(len(others))] + ")"
		}
		fmt.Fprintf(&yaml, "- {tools: [search], when: %q}\n", when)
	}
	set := settingsOf(t, yaml.String())
	requests := agentSpans(random)
	fast := expectationsOf(t, set, requests)
	indexed, chosen := 0, map[string]bool{}
	for i := range set.Expectations {
		indexed += len(set.Expectations[i].Required)
		set.Expectations[i].Required = nil
	}
	for _, name := range fast {
		chosen[name] = true
	}
	require.Greater(t, indexed, 300)
	require.Greater(t, len(chosen), 20, "expectations that were met")
	require.Contains(t, chosen, "", "a run that no expectation is for")
	require.Equal(t, expectationsOf(t, set, requests), fast)
}

// agentSpans returns runs of agents, each in a trace of its own.
func agentSpans(random *rand.Rand) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range 500 {
		span := spans.AppendEmpty()
		span.SetTraceID(pcommon.TraceID{1, byte(i >> 8), byte(i)})
		span.SetSpanID(pcommon.SpanID{1, byte(i >> 8), byte(i)})
		span.SetName("x")
		span.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
		span.Attributes().PutStr("gen_ai.agent.name", fmt.Sprintf("agent-%d", random.IntN(110)))
		switch random.IntN(8) {
		case 0:
		case 1:
			span.Attributes().PutInt("a", 7)
		default:
			span.Attributes().PutStr("a", []string{"x", "y", ""}[random.IntN(3)])
		}
	}
	return td
}

// expectationsOf returns the names of the chosen expectations, by trace.
func expectationsOf(t *testing.T, set toolcorrectness.Settings, td ptrace.Traces) map[pcommon.TraceID]string {
	p, err := toolcorrectness.New(set, componenttest.NewNopTelemetrySettings(), consumertest.NewNop())
	require.NoError(t, err)
	names := map[pcommon.TraceID]string{}
	p.DryRun(func(r evaluate.Report) { names[r.Run.Trace] = r.Expectation })
	sent := ptrace.NewTraces()
	td.CopyTo(sent)
	require.NoError(t, p.ConsumeTraces(t.Context(), sent))
	p.Advance(t.Context(), set.Wait)
	require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	require.Len(t, names, td.SpanCount())
	return names
}
