package toolcorrectnessprocessor

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
)

// errorsOf returns the lines of an error, without the decoder's prefix.
func errorsOf(err error) []string {
	if err == nil {
		return nil
	}
	_, text, found := strings.Cut(err.Error(), "'' ")
	if !found {
		text = err.Error()
	}
	return strings.Split(text, "\n")
}

// Each row is a configuration with one fault and its error, which has the key, the value and the rule.
func TestErrors(t *testing.T) {
	const tools = "\nexpectations: [{tools: [a]}]"
	tool := func(yaml string) string { return "expectations: [{tools: [b, " + yaml + "]}]" }
	for _, tc := range []struct{ yaml, err string }{
		// No expectations.
		{`expectation_files: ["["]`, `expectation_files[0]: "[" is no pattern: a [ needs a ]`},
		{`expectation_files: [""]`, "expectation_files[0]: must be a file or a pattern such as /etc/tool-correctness/*.yaml, is empty"},
		{`{expectation_files: [a], reload_interval: -1s}`, "reload_interval: must not be negative, is -1s (0: files are read at start only)"},
		{`{expectation_file: [a], expectations: [{tools: [a]}]}`, `expectation_file: is no key of this configuration (did you mean "expectation_files"?)`},
		{`{}`, "expectations: must not be empty: say which tools a run is expected to call"},
		{`expectations: []`, "expectations: must not be empty: say which tools a run is expected to call"},
		{`expectations:`, "expectations: must not be empty: say which tools a run is expected to call"},
		{`expectations: [{}]`, "expectations[0]: says nothing: give `tools`, `any_of`, `from_attribute`, `dataset`, `forbidden`, `allowed`, `max_calls`, `max_repeats` or `turns`"},
		{`expectations: [{name: x}]`, "expectations[0]: says nothing: give `tools`, `any_of`, `from_attribute`, `dataset`, `forbidden`, `allowed`, `max_calls`, `max_repeats` or `turns`"},
		{`expectations: [{any_of: []}]`, "expectations[0]: says nothing: give `tools`, `any_of`, `from_attribute`, `dataset`, `forbidden`, `allowed`, `max_calls`, `max_repeats` or `turns`"},
		{`expectations: [null]`, "expectations[0]: is empty: give it a value, or leave it out"},
		{`expectations: [{any_of: [[a], null]}]`, "expectations[0].any_of[1]: is empty: give it a value, or leave it out"},

		// Unknown keys, at every level.
		{`expectation: []` + tools, `expectation: is no key of this configuration (did you mean "expectations"?)`},
		{`run: {idle_timout: 1s}` + tools, `run.idle_timout: is no key of this configuration (did you mean "idle_timeout"?)`},
		{`limits: {memory_mb: 1}` + tools, `limits.memory_mb: is no key of this configuration (did you mean "memory_mib"?)`},
		{`metrics: {m: {native: , threshold: 1}}` + tools, `metrics.m.threshold: is no key of this configuration`},
		{`metrics: {m: {native: {treshold: 1}}}` + tools, `metrics.m.native.treshold: is no key of this configuration (did you mean "threshold"?)`},
		{`expectations: [{tools: [a], metric: m}]`, `expectations[0].metric: is no key of this configuration (did you mean "metrics"?)`},
		{tool(`{name: a, were: 'index == 0'}`), `expectations[0].tools[1].were: is no key of this configuration (did you mean "where"?)`},
		{tool(`{name: a, where: 7}`), `expectations[0].tools[1].where: must be a string (put it in quotes), is the number 7`},
		{tool(`{name: a, where: 'index == 0 and argument["x"] == 1'}`), `expectations[0].tools[1].where: "index == 0 and argument[\"x\"] == 1" is no condition on a call: ` +
			`1:16: the path "argument" is unknown: a call has name, arguments, output, status, duration, index, calls["NAME"].output, run.attributes, run.resource.attributes, run.start_time (did you mean "arguments"?)`},
		{tool(`{name: a, where: 'arguments.x == 1'}`), `expectations[0].tools[1].where: "arguments.x == 1" is no condition on a call: ` +
			`1:1: the path "arguments.x" has no parts: write a key in brackets, as in arguments["a"]["b"]`},
		{tool(`{name: a, where: 'name["x"] == "name"'}`), `expectations[0].tools[1].where: "name[\"x\"] == \"name\"" is no condition on a call: 1:1: the path "name" has no keys`},
		{tool(`{name: a, where: 'attributes["x"] == 1'}`), `expectations[0].tools[1].where: "attributes[\"x\"] == 1" is no condition on a call: ` +
			`1:1: the path "attributes" is unknown: a call has name, arguments, output, status, duration, index, calls["NAME"].output, run.attributes, run.resource.attributes, run.start_time`},
		{tool(`{name: a, where: 'run.attribute["x"] == 1'}`), `expectations[0].tools[1].where: "run.attribute[\"x\"] == 1" is no condition on a call: ` +
			`1:1: the path "run.attribute" is unknown: a call has name, arguments, output, status, duration, index, calls["NAME"].output, run.attributes, run.resource.attributes, run.start_time (did you mean "run.attributes"?)`},
		{`error_mode: ignored` + tools, `error_mode: must be ignore, silent or propagate, is "ignored" (did you mean "ignore"?)`},
		{tool(`{name: a, args: {}}`), `expectations[0].tools[1].args: is no key of this configuration`},
		{tool(`{name: a, count: {minimum: 1}}`), `expectations[0].tools[1].count.minimum: is no key of this configuration`},
		{`expectations: [{forbidden: [{name: a, argument: {}}]}]`, `expectations[0].forbidden[0].argument: is no key of this configuration (did you mean "arguments"?)`},
		{`expectations: [{any_of: [[a], [{nam: a, name: a}]]}]`, `expectations[0].any_of[1][0].nam: is no key of this configuration (did you mean "name"?)`},
		{`expectations: [{tools: [a], dataset: {file: cases.jsonl, key: name}}]`, "expectations[0].dataset: must not be combined with `tools`"},
		{`expectations: [{from_attribute: x, dataset: {file: cases.jsonl, key: name}}]`, "expectations[0].dataset: must not be combined with `from_attribute`"},
		{`expectations: [{dataset: {key: name}}]`, `expectations[0].dataset.file: must be a file of cases, is empty`},
		{`expectations: [{dataset: {file: a}}]`, `expectations[0].dataset.key: must be an OTTL value such as attributes["test.case.name"], is empty`},
		{`expectations: [{unknown_key: report, tools: [a]}]`, "expectations[0].unknown_key: is for an expectation with a `dataset`"},
		{`expectations: [{unknown_key: reprot, dataset: {file: a, key: name}}]`, `expectations[0].unknown_key: must be next or report, is "reprot" (did you mean "report"?)`},

		// Values of a wrong type.
		{`run: agent` + tools, `run: must be a map, is "agent"`},
		{`annotate: {calls: yes please}` + tools, `annotate.calls: must be true or false, is "yes please"`},
		{`metrics: {m: {native: true}}` + tools, `metrics.m.native: must be a map, is the boolean true`},
		{`limits: {memory_mib: "256"}` + tools, `limits.memory_mib: must be a whole number, is "256"`},
		{`metrics: {m: {native: {threshold: "0.5"}}}` + tools, `metrics.m.native.threshold: must be a number, is "0.5"`},
		{`metrics: native` + tools, `metrics: must be a map, is "native"`},
		{`expectations: [{any_of: a}]`, `expectations[0].any_of: must be a list, is "a"`},
		{`expectations: {tools: [a]}`, `expectations: must be a list, is a map`},
		{`expectations: [a]`, `expectations[0]: must be a map, is "a"`},
		{`expectations: [{tools: a}]`, `expectations[0].tools: must be a list, is "a"`},
		{`expectations: [{any_of: [a, [b]]}]`, `expectations[0].any_of[0]: must be a list, is "a"`},
		{tool(`5`), `expectations[0].tools[1]: must be the name of a tool, or a map, is the number 5`},
		{tool(`[a]`), `expectations[0].tools[1]: must be the name of a tool, or a map, is a list`},
		{tool(`null`), `expectations[0].tools[1]: is empty: give it a value, or leave it out`},
		{tool(`{name: 404}`), `expectations[0].tools[1].name: must be a string (put it in quotes), is the number 404`},
		{tool(`{name: 2026-01-01}`), `expectations[0].tools[1].name: must be a string, is a timestamp to YAML (put it in quotes)`},
		{tool(`{any_of: [a, 404]}`), `expectations[0].tools[1].any_of[1]: must be a string (put it in quotes), is the number 404`},
		{tool(`{name: a, optional: "yes"}`), `expectations[0].tools[1].optional: must be true or false, is "yes"`},
		{tool(`{name: a, count: {max: 1.5}}`), `expectations[0].tools[1].count.max: must be a whole number, is the number 1.5`},
		{`expectations: [{from_attribute: 5}]`, `expectations[0].from_attribute: must be a string (put it in quotes), is the number 5`},
		{`expectations: [{tools: [a], max_calls: 2.5}]`, `expectations[0].max_calls: must be a whole number, or a map from the name of a tool to one, is the number 2.5`},
		{`expectations: [{max_calls: many}]`, `expectations[0].max_calls: must be a whole number, or a map from the name of a tool to one, is "many"`},
		{`expectations: [{tools: [a], max_calls: many}]`, `expectations[0].max_calls: must be a whole number, or a map from the name of a tool to one, is "many"`},
		{`expectations: [{tools: [a], max_calls: {}}]`, `expectations[0].max_calls: must not be an empty map`},
		{`expectations: [{tools: [a], max_calls: {a: 1.5}}]`, `expectations[0].max_calls["a"]: must be a whole number, is the number 1.5`},
		{`expectations: [{tools: [a], max_calls: {a: }}]`, `expectations[0].max_calls["a"]: must be a whole number, is nothing`},
		{`expectations: [{tools: [a], max_calls: {a: 0}}]`, `expectations[0].max_calls["a"]: is 0, but the expected tools ask for 1`},
		{`expectations: [{tools: [b], max_calls: {a: -1}}]`, `expectations[0].max_calls["a"]: must not be negative, is -1`},
		{`expectations: [{turns: [{tools: [a]}]}]`, "expectations[0].turns: needs `run.scope: conversation`"},
		{`{run: {scope: conversation}, expectations: [{turns: []}]}`, "expectations[0].turns: must not be empty"},
		{`{run: {scope: conversation}, expectations: [{turns: [{}]}]}`,
			"expectations[0].turns[0]: says nothing: give `tools`, `any_of`, `from_attribute`, `dataset`, `forbidden`, `allowed`, `max_calls`, `max_repeats` or `turns`"},
		{`{run: {scope: conversation}, expectations: [{turns: [{tools: [a]}], turns_score: average}]}`, `expectations[0].turns_score: must be mean or all, is "average"`},
		{`expectations: [{tools: [a], turns_score: all}]`, "expectations[0].turns_score: is for an expectation with `turns`"},
		{`{run: {scope: conversation}, expectations: [{forbidden: [b], turns: [{tools: [a]}]}]}`,
			"expectations[0].turns: must not be combined with `forbidden`: a turn may have it"},
		{`{run: {scope: conversation}, expectations: [{turns: [{tools: [a]}, {tools: [{name: a, count: {min: -1}}]}]}]}`,
			"expectations[0].turns[1].tools[0].count: min must not be negative, is -1"},
		{`{run: {scope: conversation}, expectations: [{turns: [{tools: [a], turn: 1}]}]}`, "expectations[0].turns[0].turn: is no key of this configuration"},
		{`{run: {scope: conversation}, metrics: {m: {axion: {}}}, expectations: [{turns: [{tools: [a], max_calls: 2}]}]}`,
			`expectations[0]: uses max_calls, which only the native method understands, but is scored by the metric "m", whose method is axion: ` +
				"define a metric with the native method and name it in `metrics`"},
		{`expectations: [{tools: [a], max_repeats: 0}]`, `expectations[0].max_repeats: must be at least 1, is 0`},
		{`expectations: [{allowed: [""]}]`, `expectations[0].allowed[0]: must not be empty`},
		{tool(`{name: a, matchers: {x: {near: 1}}}`), `expectations[0].tools[1].matchers["x"].near: needs ` + "`within`, a number such as 0.5 or a share such as 5%"},
		{tool(`{name: a, matchers: {x: {near: 1, within: 5 percent}}}`), `expectations[0].tools[1].matchers["x"].near: needs ` + "`within`, a number such as 0.5 or a share such as 5%"},
		{tool(`{name: a, matchers: {x: {one_of: [1], loose: a}}}`), `expectations[0].tools[1].matchers["x"]: must have one of one_of, near, loose and any_order, has 2`},
		{tool(`{name: a, matchers: {x: {one_of: [2026-11-25]}}}`), `expectations[0].tools[1].matchers["x"].one_of[0]: is a timestamp to YAML, which forgets how it was written: put it in quotes`},
		{tool(`{name: a, where: 'calls.output == 1'}`), `expectations[0].tools[1].where: "calls.output == 1" is no condition on a call: 1:1: the path "calls" has the name of a tool as its key, and the part output: calls["search"].output`},
		{`{metrics: {m: {native: {credit: all}}}, expectations: [{tools: [a]}]}`, `metrics.m.native.credit: must be both or expected, is "all"`},
		{`{metrics: {m: {axion: {}}}, expectations: [{tools: [{name: a, matchers: {x: {loose: a}}, after: [b]}], allowed: [c], max_repeats: 1}]}`,
			`expectations[0]: uses matchers, after, max_repeats, allowed, which only the native method understands, but is scored by the metric "m", whose method is axion: ` +
				"define a metric with the native method and name it in `metrics`"},
		{`expectations: [{tools: [get_a, get_b], max_calls: {"get_*": 1}}]`, `expectations[0].max_calls["get_*"]: is 1, but the expected tools ask for 2`},
		{tool(`{name: a, ignore_arguments: [x]}`), "expectations[0].tools[1].ignore_arguments: needs `arguments` to compare"},
		{tool(`{name: a, arguments: {x: 1}, ignore_arguments: [""]}`), "expectations[0].tools[1].ignore_arguments[0]: must not be empty"},
		{tool(`{name: a, argument_defaults: {x: 1}}`), "expectations[0].tools[1].argument_defaults: needs `arguments` to compare"},
		{tool(`{name: a, arguments: {}, argument_defaults: [x]}`), "expectations[0].tools[1].argument_defaults: must be a map, or a string that holds a JSON object, is a list"},
		{`limits: {memory_mib: 256MiB}` + tools, `limits.memory_mib: must be a whole number, is "256MiB"`},
		{`limits: {open_runs: 18446744073709551615}` + tools, `limits.open_runs: must be a whole number, is the number 18446744073709551615`},
		{`limits: {open_runs: 1e99}` + tools, `limits.open_runs: must be a whole number, is the number 1e+99`},
		{`run: {wait: 5}` + tools, `run.wait: must be a time with its unit, such as 5s or 2m, is the number 5`},
		{`run: {wait: "5"}` + tools, `run.wait: must be a time with its unit, such as 5s or 2m, is "5"`},
		{`run: {scope: [agent]}` + tools, `run.scope: must be a string, is a list`},
		{`metrics: {m: {native: {threshold: high}}}` + tools, `metrics.m.native.threshold: must be a number, is "high"`},
		{`metrics: {m: {native: {order: 1}}}` + tools, `metrics.m.native.order: must be a string (put it in quotes), is the number 1`},
		{`metrics: {m: {native: {include_reason: 1}}}` + tools, `metrics.m.native.include_reason: must be true or false, is the number 1`},

		// Values that are not one of the words.
		{`run: {scope: trase}` + tools, `run.scope: must be agent, trace or conversation, is "trase" (did you mean "trace"?)`},
		{`run: {scope: Agent}` + tools, `run.scope: must be agent, trace or conversation, is "Agent" (did you mean "agent"?)`},
		{`run: {scope: conversations}` + tools, `run.scope: must be agent, trace or conversation, is "conversations" (did you mean "conversation"?)`},
		{`run: {scope: ""}` + tools, `run.scope: must be agent, trace or conversation, is ""`},
		{`run: {nested: included}` + tools, `run.nested: must be separate or include, is "included" (did you mean "include"?)`},
		{`run: {nested: include, scope: trace}` + tools, `run.nested: must be separate unless run.scope is agent, because such a run has the calls of all its agents`},
		{`run: {conversation_attributes: [a, ""]}` + tools, `run.conversation_attributes[1]: must not be empty`},
		{`run: {partition_by: [tenant.id, ""]}` + tools, `run.partition_by[1]: must not be empty`},
		{`run: {partition_by: [tenant.id, env, tenant.id]}` + tools, `run.partition_by[2]: must not be listed twice, is "tenant.id"`},
		{`calls: {sources: message}` + tools, `calls.sources: must be auto, spans or messages, is "message" (did you mean "messages"?)`},
		{`calls: {exclude: [""]}` + tools, `calls.exclude[0]: must not be empty`},
		{`calls: {failed: ignored}` + tools, `calls.failed: must be count or ignore, is "ignored" (did you mean "ignore"?)`},
		{`metrics: {m: {native: {order: inorder}}}` + tools, `metrics.m.native.order: must be any, in_order or exact, is "inorder" (did you mean "in_order"?)`},
		{`metrics: {m: {native: {arguments: supset}}}` + tools, `metrics.m.native.arguments: must be ignore, exact, subset, superset, partial or fuzzy, is "supset" (did you mean "subset"?)`},
		{`metrics: {m: {native: {output: partial}}}` + tools, `metrics.m.native.output: must be ignore, exact or subset, is "partial"`},
		{`metrics: {m: {native: {score: F1}}}` + tools, `metrics.m.native.score: must be recall, precision, f1 or all_or_nothing, is "F1" (did you mean "f1"?)`},
		{`metrics: {m: {native: {extra_calls: forbidden}}}` + tools, `metrics.m.native.extra_calls: must be allow or forbid, is "forbidden" (did you mean "forbid"?)`},
		{`metrics: {m: {native: {repeats: once}}}` + tools, `metrics.m.native.repeats: must be count, collapse or unique, is "once"`},
		{`metrics: {m: {native: {concurrent: free}}}` + tools, `metrics.m.native.concurrent: must be any_order or as_started, is "free"`},
		{`metrics: {m: {axion: {scoring: all}}}` + tools, `metrics.m.axion.scoring: must be recall, precision or f1, is "all"`},
		{`metrics: {m: {axion: {parameter_matching_strategy: fuzy}}}` + tools, `metrics.m.axion.parameter_matching_strategy: must be exact, subset or fuzzy, is "fuzy" (did you mean "fuzzy"?)`},
		{`metrics: {m: {deepeval: {evaluation_params: [output, input_parameter]}}}` + tools, `metrics.m.deepeval.evaluation_params[1]: must be tool, input_parameters or output, is "input_parameter" (did you mean "input_parameters"?)`},
		{`metrics: {m: {deepeval_multimodal: {evaluation_params: [Output]}}}` + tools, `metrics.m.deepeval_multimodal.evaluation_params[0]: must be tool, input_parameters or output, is "Output" (did you mean "output"?)`},
		{`metrics: {m: {evalsharp: {evaluation_params: [name]}}}` + tools, `metrics.m.evalsharp.evaluation_params[0]: must be tool, input_parameters or output, is "name"`},
		{`metrics: {m: {deepeval: {uncaptured: nothing}}}` + tools, `metrics.m.deepeval.uncaptured: must be unknown or none, is "nothing"`},
		{`metrics: {m: {deepeval_multimodal: {uncaptured: unknow}}}` + tools, `metrics.m.deepeval_multimodal.uncaptured: must be unknown or none, is "unknow" (did you mean "unknown"?)`},
		{`metrics: {m: {eval_lib: {version: "0.8.2"}}}` + tools, `metrics.m.eval_lib.version: must be 0.8 or 0.7, is "0.8.2" (did you mean "0.8"?)`},
		{`metrics: {m: {eval_lib: {version: 0.8}}}` + tools, `metrics.m.eval_lib.version: must be a string (put it in quotes), is the number 0.8`},
		{tool(`{name: a, arguments: {}, arguments_match: equal}`), `expectations[0].tools[1].arguments_match: must be ignore, exact, subset, superset, partial or fuzzy, is "equal"`},

		// Numbers out of range.
		{`run: {wait: -1s}` + tools, `run.wait: must not be negative, is -1s`},
		{`run: {idle_timeout: 0s}` + tools, `run.idle_timeout: must be positive, is 0s`},
		{`limits: {open_runs: 0}` + tools, `limits.open_runs: must be from 1 to 1073741824, is 0`},
		{`limits: {memory_mib: -1}` + tools, `limits.memory_mib: must be from 1 to 1048576, is -1`},
		{`limits: {calls_per_run: 50001}` + tools, `limits.calls_per_run: must be from 1 to 50000, is 50001`},
		{`annotate: {as: [native, langwach]}` + tools, `annotate.as[1]: must be native or langwatch, is "langwach" (did you mean "langwatch"?)`},
		{`annotate: {as: [langwatch]}` + tools, `annotate.as: must contain native, is [langwatch]`},
		{`annotate: {as: [native, langwatch, langwatch]}` + tools, `annotate.as[2]: is listed twice: "langwatch"`},
		{`telemetry: {agent_names: -1}` + tools, `telemetry.agent_names: must be from 0 to 1000, is -1`},
		{`telemetry: {agent_names: 1001}` + tools, `telemetry.agent_names: must be from 0 to 1000, is 1001`},
		{`limits: {arguments_kib: 1048577}` + tools, `limits.arguments_kib: must be from 1 to 1048576, is 1048577`},
		{`metrics: {m: {native: {threshold: 1.01}}}` + tools, `metrics.m.native.threshold: must be from 0 to 1, is 1.01`},
		{`metrics: {m: {native: {threshold: .nan}}}` + tools, `metrics.m.native.threshold: must be from 0 to 1, is NaN`},
		{`metrics: {m: {native: {fuzzy_threshold: -0.1}}}` + tools, `metrics.m.native.fuzzy_threshold: must be from 0 to 1, is -0.1`},
		{`metrics: {m: {axion: {threshold: 80}}}` + tools, `metrics.m.axion.threshold: must be from 0 to 1, is 80`},
		{`metrics: {m: {axion: {fuzzy_threshold: 1.2}}}` + tools, `metrics.m.axion.fuzzy_threshold: must be from 0 to 1.1, is 1.2`},
		{`metrics: {m: {deepeval: {threshold: -1}}}` + tools, `metrics.m.deepeval.threshold: must be from 0 to 1, is -1`},
		{`metrics: {m: {deepeval_multimodal: {threshold: 2}}}` + tools, `metrics.m.deepeval_multimodal.threshold: must be from 0 to 1, is 2`},
		{`metrics: {m: {evalsharp: {threshold: .inf}}}` + tools, `metrics.m.evalsharp.threshold: must be from 0 to 1, is +Inf`},
		{`metrics: {m: {eval_lib: {threshold: 1.5}}}` + tools, `metrics.m.eval_lib.threshold: must be from 0 to 1, is 1.5`},
		{`metrics: {m: {galtea: {strip_prefixes: [x, ""]}}}` + tools, `metrics.m.galtea.strip_prefixes[1]: must not be empty`},
		{`expectations: [{tools: [a], max_calls: -1}]`, `expectations[0].max_calls: must not be negative, is -1`},
		{tool(`{name: a, count: {min: -1}}`), `expectations[0].tools[1].count: min must not be negative, is -1`},
		{tool(`{name: a, count: {min: 1001}}`), `expectations[0].tools[1].count: must not exceed 1000`},
		{tool(`{name: a, count: {max: 0}}`), "expectations[0].tools[1].count.max: must be at least 1, is 0 (a tool that must not be called belongs under `forbidden`)"},
		{tool(`{name: a, count: {max: -1}}`), "expectations[0].tools[1].count.max: must be at least 1, is -1 (a tool that must not be called belongs under `forbidden`)"},
		{tool(`{name: a, count: {min: 3, max: 2}}`), `expectations[0].tools[1].count: max 2 is less than min 3`},

		// Metrics.
		{`metrics: {m: }` + tools, `metrics.m: must have exactly one method (native, axion, deepeval, deepeval_multimodal, evalsharp, galtea or eval_lib), has none`},
		{`metrics: {m: {}}` + tools, `metrics.m: must have exactly one method (native, axion, deepeval, deepeval_multimodal, evalsharp, galtea or eval_lib), has none`},
		{`metrics: {m: {native: , axion: }}` + tools, `metrics.m: must have exactly one method (native, axion, deepeval, deepeval_multimodal, evalsharp, galtea or eval_lib), has axion and native`},
		{`metrics: {"": {native: }}` + tools, `metrics: must have names that can be prefixes of attributes, not "": it is empty`},
		{`metrics: {gen_ai.score: {native: }}` + tools, `metrics: must have names that can be prefixes of attributes, not "gen_ai.score": names under gen_ai. belong to the semantic conventions`},
		{`metrics: {tool_correctness.agent: {native: }}` + tools, `metrics: must have names that can be prefixes of attributes, not "tool_correctness.agent": an attribute has that name`},
		{`metrics: {tool_correctness.expected: {native: }}` + tools, `metrics: must have names that can be prefixes of attributes, not "tool_correctness.expected": an attribute has that name`},

		// Expectations with contradictions.
		{`expectations: [{tools: [a], metrics: [tool_corectness]}]`, `expectations[0].metrics[0]: must be one of the metrics (tool_correctness), is "tool_corectness" (did you mean "tool_correctness"?)`},
		{`metrics: {m: {native: }, n: {native: }}` + "\nexpectations: [{tools: [a], metrics: [n, tool_correctness]}]", `expectations[0].metrics[1]: must be one of the metrics (m, n), is "tool_correctness"`},
		{`expectations: [{name: x, tools: [a]}, {name: x, tools: [a]}]`, `expectations[1].name: "x" is the name of expectations[0] already`},
		{`expectations: [{tools: [a]}, {name: "0", tools: [a]}]`, `expectations[1].name: "0" is the name of expectations[0] already`},
		{`expectations: [{tools: [a], from_attribute: x}]`, "expectations[0].from_attribute: must not be combined with `tools`"},
		{`expectations: [{tools: [], from_attribute: x}]`, "expectations[0].from_attribute: must not be combined with `tools`"},
		{`expectations: [{any_of: [[a]], from_attribute: x}]`, "expectations[0].from_attribute: must not be combined with `any_of`"},
		{`expectations: [{forbidden: [a], from_attribute: x}]`, "expectations[0].from_attribute: must not be combined with `forbidden`"},
		{`expectations: [{max_calls: 3, from_attribute: x}]`, "expectations[0].from_attribute: must not be combined with `max_calls`"},
		{`expectations: [{tools: [a], any_of: [[b]]}]`, "expectations[0].any_of: must not be combined with `tools`"},
		{`expectations: [{tools: [a, b], max_calls: 1}]`, `expectations[0].max_calls: is 1, but tools asks for 2`},
		{`expectations: [{tools: [get_a], forbidden: ["get_*"]}]`, `expectations[0].tools[0]: "get_a" is required and forbidden`},
		{`expectations: [{forbidden: [{name: a, optional: true}]}]`, `expectations[0].forbidden[0].optional: has no meaning for a forbidden tool`},
		{`expectations: [{forbidden: [{name: a, count: {min: 2}}]}]`, `expectations[0].forbidden[0].count: has no meaning for a forbidden tool`},
		{tool(`""`), `expectations[0].tools[1].name: must not be empty`},
		{tool(`{arguments: {}}`), `expectations[0].tools[1].name: must not be empty`},
		{tool(`{name: a, any_of: [c]}`), "expectations[0].tools[1].any_of: must not be combined with `name`"},
		{tool(`{any_of: [c, ""]}`), `expectations[0].tools[1].any_of[1]: must not be empty`},
		{tool(`{name: a, optional: true, count: {min: 1}}`), "expectations[0].tools[1].count: min 1 contradicts `optional`"},
		{tool(`{name: a, arguments_match: exact}`), "expectations[0].tools[1].arguments_match: needs `arguments` to compare"},

		// Conditions.
		{`expectations: [{tools: [a], when: 'attributes["x"] = 1'}]`, `expectations[0].when: "attributes[\"x\"] = 1" is no OTTL condition: ` + errorOfOTTL(t, `attributes["x"] = 1`)},
		{`expectations: [{tools: [a], when: " "}]`, `expectations[0].when: " " is no OTTL condition: ` + errorOfOTTL(t, " ")},

		// Arguments and outputs.
		{tool(`{name: a, arguments: [1]}`), `expectations[0].tools[1].arguments: must be a map, or a string that holds a JSON object, is a list`},
		{tool(`{name: a, arguments: 5}`), `expectations[0].tools[1].arguments: must be a map, or a string that holds a JSON object, is the number 5`},
		{tool(`{name: a, arguments: '[1]'}`), `expectations[0].tools[1].arguments: must be a map, or a string that holds a JSON object, is "[1]"`},
		{tool(`{name: a, arguments: '{"x": }'}`), `expectations[0].tools[1].arguments: must be a map, or a string that holds a JSON object: no JSON at byte 6: no value`},
		{tool(`{name: a, arguments: {since: 2026-01-01}}`), `expectations[0].tools[1].arguments.since: is a timestamp to YAML, which forgets how it was written: put it in quotes`},
		{tool(`{name: a, arguments: {x: [{y: .nan}]}}`), `expectations[0].tools[1].arguments.x[0].y: is NaN, which JSON cannot say`},
		{tool(`{name: a, output: 2026-01-01T10:00:00Z}`), `expectations[0].tools[1].output: is a timestamp to YAML, which forgets how it was written: put it in quotes`},
		{tool(`{name: a, output: .inf}`), `expectations[0].tools[1].output: is +Inf, which JSON cannot say`},
		{tool(`{name: a, arguments: {x: ` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}`), `expectations[0].tools[1].arguments: no JSON at byte 1004: nested too deep`},
	} {
		t.Run(tc.yaml, func(t *testing.T) {
			_, err := load(t, tc.yaml)
			assert.Equal(t, []string{tc.err}, errorsOf(err))
		})
	}
}

// OTTL's messages differ from release to release. Each error has one place, and the name that was probably meant.
func TestErrorsInOTTLSayTheirPlace(t *testing.T) {
	for _, tc := range []struct{ yaml, begins, ends string }{
		{`expectations: [{tools: [a], when: IsThere(name)}]`, `expectations[0].when: "IsThere(name)" is no OTTL condition: 1:1: `, `undefined function "IsThere"`},
		{`expectations: [{tools: [a], when: 'name == "IsMatsh" and IsMatsh(name, "x")'}]`,
			`expectations[0].when: "name == \"IsMatsh\" and IsMatsh(name, \"x\")" is no OTTL condition: 1:23: `,
			`undefined function "IsMatsh" (did you mean "IsMatch"?)`},
		{`expectations: [{tools: [a], when: 'name == "x" and resource.attribute["x"] == "y"'}]`,
			`expectations[0].when: "name == \"x\" and resource.attribute[\"x\"] == \"y\"" is no OTTL condition: 1:17: `,
			` (did you mean "resource.attributes"?)`},
		{`expectations: [{dataset: {file: x, key: 'attribute["x"]'}}]`,
			`expectations[0].dataset.key: "attribute[\"x\"]" is no OTTL value: 1:1: `, ` (did you mean "attributes"?)`},
		{`expectations: [{tools: [a], when: "\nattribute[\"x\"] == 1"}]`, `expectations[0].when: "\nattribute[\"x\"] == 1" is no OTTL condition: 2:1: `, ` (did you mean "attributes"?)`},
		{`expectations: [{tools: [a], when: 'name == "é" and status.cod == 1'}]`,
			`expectations[0].when: "name == \"é\" and status.cod == 1" is no OTTL condition: 1:17: `, ` (did you mean "status.code"?)`},
		{`expectations: [{tools: [a], when: 'name == "status.cod" and status.cod == 1'}]`, // OTTL does not say its place, and no wrong one is named
			`expectations[0].when: "name == \"status.cod\" and status.cod == 1" is no OTTL condition: condition `, ` (did you mean "status.code"?)`},
		{`expectations: [{tools: [a], when: unlike_any == 1}]`, `expectations[0].when: "unlike_any == 1" is no OTTL condition: 1:1: `, `to see all valid paths`},
		{`expectations: [{tools: [{name: a, where: 'IsMatsh(name, "x")'}]}]`,
			`expectations[0].tools[0].where: "IsMatsh(name, \"x\")" is no condition on a call: 1:1: `,
			`undefined function "IsMatsh" (did you mean "IsMatch"?)`},
	} {
		t.Run(tc.yaml, func(t *testing.T) {
			_, err := load(t, tc.yaml)
			said := errorsOf(err)
			require.Len(t, said, 1)
			rest, begins := strings.CutPrefix(said[0], tc.begins)
			assert.True(t, begins, said[0])
			assert.True(t, strings.HasSuffix(rest, tc.ends), said[0])
			assert.NotRegexp(t, `^\d+:\d+: `, rest, "a second place")
		})
	}
}

// Keys that only the native method supports are refused with every reference method, and accepted with native.
func TestNativeOnlyKeys(t *testing.T) {
	for key, expectation := range map[string]string{
		"any_of":          `tools: [{any_of: [a, b]}]`,
		"count":           `tools: [{name: a, count: {max: 2}}]`,
		"optional":        `tools: [{name: a, optional: true}]`,
		"arguments_match": `tools: [{name: a, arguments: {}, arguments_match: exact}]`,
		"* in a name":     `tools: ["a*"]`,
		"forbidden":       `tools: [a], forbidden: [b]`,
		"max_calls":       `tools: [a], max_calls: 5`,
	} {
		for _, method := range []string{"axion", "deepeval", "deepeval_multimodal", "evalsharp", "galtea", "eval_lib"} {
			_, err := load(t, `{metrics: {m: {`+method+`: }, n: {native: }}, expectations: [{`+expectation+`}]}`)
			assert.Equal(t, []string{"expectations[0]: uses " + key + `, which only the native method understands, but is scored by the metric "m", whose method is ` + method +
				": say metrics: [n]"}, errorsOf(err))
		}
		mustLoad(t, `{metrics: {m: {axion: }, n: {native: }}, expectations: [{metrics: [n], `+expectation+`}]}`)
	}
	_, err := load(t, `{metrics: {m: {axion: }}, expectations: [{any_of: [[a], ["b*"]], max_calls: 3}]}`)
	assert.Equal(t, []string{`expectations[0]: uses any_of, * in a name, max_calls, which only the native method understands, but is scored by the metric "m", whose method is axion: ` +
		"define a metric with the native method and name it in `metrics`"}, errorsOf(err))
	_, err = load(t, `{metrics: {m: {axion: }, n: {native: }, o: {native: }}, expectations: [{tools: [a], max_calls: 3, metrics: [m, o]}]}`)
	assert.Equal(t, []string{`expectations[0]: uses max_calls, which only the native method understands, but is scored by the metric "m", whose method is axion: ` +
		"say metrics: [o]"}, errorsOf(err), "of the metrics that it names, the native one")
	_, err = load(t, `{metrics: {m: {axion: }, n: {native: }, o: {native: }}, expectations: [{tools: [a], max_calls: 3, metrics: [m]}]}`)
	assert.Equal(t, []string{`expectations[0]: uses max_calls, which only the native method understands, but is scored by the metric "m", whose method is axion: ` +
		"say metrics: [n, o]"}, errorsOf(err), "it names no native one")
}

// errorOfOTTL returns OTTL's error for a condition. Its words differ between releases.
func errorOfOTTL(t *testing.T, condition string) string {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	_, err = parser.ParseCondition(condition)
	require.Error(t, err)
	return err.Error()
}

// An error lists all faults of all kinds, and no fault causes a second one.
func TestAllErrorsAtOnce(t *testing.T) {
	_, err := load(t, `
storage: file storage
run: { scope: trase, wait: 5, idle_timeout: -1s, nested: 7 }
calls: { failed: maybe, source: auto }
limits: { open_runs: many, memory_mib: 0 }
metrics:
  m: { native: { threshold: high, order: sorted, score: 1 } }
  n: { axion: { scoring: f2, fuzzy_threshold: 3, treshold: 1 } }
  o: deepeval
  p: { native: , galtea: }
expectations:
  - name: one
    when: attributes[
    metrics: [m, n, q]
    tools: [a, 5, { name: b, count: { min: x, max: 0 }, arguments: [1] }, { any_of: [c], arguments_match: exakt, arguments: { at: 2026-01-01 } }]
    max_calls: 2.5
  - { name: one, metrics: [m], tools: search }
  - { metrics: [n], from_attribute: x, tools: [a] }
  - { metrics: [n], tools: ["a*", ""] }
  - { from_attribut: x }
annotate: yes
`)
	require.Error(t, err)
	assert.Equal(t, []string{
		`annotate: must be a map, is "yes"`,
		`calls.source: is no key of this configuration (did you mean "sources"?)`,
		`expectations[0].tools[1]: must be the name of a tool, or a map, is the number 5`,
		`expectations[0].tools[2].count.min: must be a whole number, is "x"`,
		`expectations[1].tools: must be a list, is "search"`,
		`expectations[4].from_attribut: is no key of this configuration (did you mean "from_attribute"?)`,
		`limits.open_runs: must be a whole number, is "many"`,
		`metrics.m.native.score: must be a string (put it in quotes), is the number 1`,
		`metrics.m.native.threshold: must be a number, is "high"`,
		`metrics.n.axion.treshold: is no key of this configuration (did you mean "threshold"?)`,
		`metrics.o: must be a map, is "deepeval"`,
		`run.nested: must be a string (put it in quotes), is the number 7`,
		`run.wait: must be a time with its unit, such as 5s or 2m, is the number 5`,
		`run.scope: must be agent, trace or conversation, is "trase" (did you mean "trace"?)`,
		`calls.failed: must be count or ignore, is "maybe"`,
		`run.idle_timeout: must be positive, is -1s`,
		`limits.memory_mib: must be from 1 to 1048576, is 0`,
		`storage: must be the id of a storage extension, such as file_storage or file_storage/runs, is "file storage"`,
		`metrics.m.native.order: must be any, in_order or exact, is "sorted"`,
		`metrics.n.axion.scoring: must be recall, precision or f1, is "f2" (did you mean "f1"?)`,
		`metrics.n.axion.fuzzy_threshold: must be from 0 to 1.1, is 3`,
		`metrics.p: must have exactly one method (native, axion, deepeval, deepeval_multimodal, evalsharp, galtea or eval_lib), has galtea and native`,
		`expectations[0].when: "attributes[" is no OTTL condition: ` + errorOfOTTL(t, "attributes["),
		`expectations[0].metrics[2]: must be one of the metrics (m, n, o, p), is "q"`,
		"expectations[0].tools[2].count.max: must be at least 1, is 0 (a tool that must not be called belongs under `forbidden`)",
		`expectations[0].tools[2].arguments: must be a map, or a string that holds a JSON object, is a list`,
		`expectations[0].tools[3].arguments_match: must be ignore, exact, subset, superset, partial or fuzzy, is "exakt" (did you mean "exact"?)`,
		`expectations[0].tools[3].arguments.at: is a timestamp to YAML, which forgets how it was written: put it in quotes`,
		`expectations[0].max_calls: must be a whole number, or a map from the name of a tool to one, is the number 2.5`,
		`expectations[1].name: "one" is the name of expectations[0] already`,
		"expectations[2].from_attribute: must not be combined with `tools`",
		`expectations[3].tools[1].name: must not be empty`,
		"expectations[4]: says nothing: give `tools`, `any_of`, `from_attribute`, `dataset`, `forbidden`, `allowed`, `max_calls`, `max_repeats` or `turns`",
	}, errorsOf(err))
}

// nested is a list in a list, so many levels deep.
func nested(levels int) (list any) {
	for range levels {
		list = []any{list}
	}
	return list
}

// The same rules hold for configurations that are made in code.
func TestErrorsOfConfigurationsInCode(t *testing.T) {
	for _, tc := range []struct {
		claim string
		spoil func(*Config)
		err   string
	}{
		{"scope", func(c *Config) { c.Run.Scope = "span" }, `run.scope: must be agent, trace or conversation, is "span"`},
		{"wait", func(c *Config) { c.Run.Wait = -time.Second }, `run.wait: must not be negative, is -1s`},
		{"telemetry", func(c *Config) { c.Telemetry.AgentNames = -1 }, `telemetry.agent_names: must be from 0 to 1000, is -1`},
		{"limits", func(c *Config) { c.Limits.ArgumentsKiB = 0 }, `limits.arguments_kib: must be from 1 to 1048576, is 0`},
		{"two methods", func(c *Config) {
			c.Metrics = map[string]MetricConfig{"m": {DeepEval: &DeepEvalConfig{}, EvalSharp: &DeepEvalConfig{}, Galtea: &GalteaConfig{}}}
		}, `metrics.m: must have exactly one method (native, axion, deepeval, deepeval_multimodal, evalsharp, galtea or eval_lib), has deepeval and evalsharp and galtea`},
		{"threshold", func(c *Config) {
			c.Metrics = map[string]MetricConfig{"m": {Native: &NativeConfig{Threshold: new(math.NaN())}}}
		}, `metrics.m.native.threshold: must be from 0 to 1, is NaN`},
		{"arguments", func(c *Config) { c.Expectations[0].Tools[0].Arguments = struct{}{} },
			`expectations[0].tools[0].arguments: must be a map, or a string that holds a JSON object, is a struct {}`},
		{"what has no JSON", func(c *Config) { c.Expectations[0].Tools[0].Arguments = map[string]any{"x": make(chan int)} },
			`expectations[0].tools[0].arguments: json: unsupported type: chan int`},
		{"what nests too deep", func(c *Config) { c.Expectations[0].Tools[0].Output = nested(2000) },
			`expectations[0].tools[0].output: no JSON at byte 1000: nested too deep`},
		{"output", func(c *Config) { c.Expectations[0].Tools[0].Output = math.Inf(1) },
			`expectations[0].tools[0].output: is +Inf, which JSON cannot say`},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			cfg := createDefaultConfig().(*Config)
			cfg.Expectations = []ExpectationConfig{{Tools: []ToolConfig{{Name: "a"}}}}
			require.NoError(t, cfg.Validate())
			tc.spoil(cfg)
			assert.EqualError(t, cfg.Validate(), tc.err)
		})
	}
	assert.Len(t, errorsOf((&Config{}).Validate()), 13, "an empty configuration has no defaults")
}
