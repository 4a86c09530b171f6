package toolcorrectnessprocessor

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
		{"no tools, by a method that minds", `{metrics: {m: {axion: }}, expectations: [{tools: []}]}`, nil},
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
