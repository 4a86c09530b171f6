package draft

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Files of the other tools become configurations, and what is not in them is listed.
func TestImports(t *testing.T) {
	for _, tc := range []struct{ file, format, criteria string }{
		{"eval_set_helm.json", "adk", ""},
		{"evalset_helm_3_2026-02-23.json", "adk", `{"criteria":{"tool_trajectory_avg_score":{"threshold":1,"match_type":"IN_ORDER"},"response_match_score":0.8}}`},
		{"evalset_k8s_2026-02-20.json", "adk", `{"criteria":{"tool_trajectory_avg_score":0.9}}`},
		{"first_format.json", "adk", ""},
		{"events.json", "adk", `{"criteria":{"tool_trajectory_avg_score":{"threshold":1,"match_type":2,"ignore_args":true}}}`},
		{"goldens.json", "deepeval", ""},
		{"goldens.jsonl", "deepeval", ""},
		{"trajectory.json", "agentevals", ""},
		{"trajectories.jsonl", "agentevals", ""},
		{"promptfooconfig.yaml", "promptfoo", ""},
	} {
		t.Run(tc.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "import", tc.file))
			require.NoError(t, err)
			var s Set
			f := Formats[tc.format]
			require.NoError(t, f.Read(&s, text))
			if tc.criteria != "" {
				require.NoError(t, s.Criteria([]byte(tc.criteria)))
			}
			var b strings.Builder
			require.NoError(t, s.YAML(&b, f, "test.case.name", "Imported by a test."))
			golden(t, filepath.Join("testdata", "import", tc.file+".yaml"), b.String())
		})
	}
}

// A file of another kind is an error that says what is missing.
func TestFaults(t *testing.T) {
	for _, tc := range []struct{ format, text, want string }{
		{"adk", "5", "no eval set: it has no eval_cases, and is no list of cases"},
		{"adk", "{}", "no eval set: it has no eval_cases, and is no list of cases"},
		{"adk", `[{"data": 5}]`, `eval case "": it has no eval_id`},
		{"adk", `[{"query": "x", "expected_tool_use": [{}]}]`, `eval case "conversation": conversation[0]: a tool use has no name`},
		{"adk", `{"eval_cases":{}}`, "eval_cases: json: cannot unmarshal object"},
		{"adk", `{"eval_cases":[{}]}`, `eval case "": it has no eval_id`},
		{"adk", `{"eval_cases":[{"eval_id":"x","conversation":[{"intermediate_data":{"tool_uses":[{}]}}]}]}`, `eval case "x": conversation[0]: a tool use has no name`},
		{"agentevals", `{`, "number 1 is no JSON: unexpected EOF"},
		{"agentevals", `{"id":"x"}`, "case 1: it has no list of messages in reference_outputs, reference_trajectory or messages"},
		{"agentevals", `[{"role":"assistant","tool_calls":[{"function":{}}]}]`, "messages[0].tool_calls[0]: it has no name"},
		{"agentevals", `[{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":"{"}}]}]`, "messages[0].tool_calls[0]: its arguments are no JSON"},
		{"deepeval", `[5]`, "no goldens: json: cannot unmarshal number"},
		{"deepeval", "{\"input\":\"x\"}\noops", "no goldens: number 2 is no JSON: invalid character 'o'"},
		{"deepeval", `{}`, "golden 1: it has no input"},
		{"deepeval", `[{"input":"x","expected_tools":[{}]}]`, "golden 1: an expected tool has no name"},
		{"promptfoo", "a: [", "no promptfoo tests: yaml: "},
		{"promptfoo", "a: &a [*a]", "no promptfoo tests: yaml: anchor 'a' value contains itself"},
		{"promptfoo", "a: .nan", "no promptfoo tests: json: unsupported value: NaN"},
		{"promptfoo", "5", "no promptfoo tests: json: cannot unmarshal number"},
		{"promptfoo", "prompts: []", "no promptfoo tests: it has no tests"},
		{"promptfoo", "- assert: {}", "test 1: assert: json: cannot unmarshal object"},
		{"promptfoo", "- assert: [{}]", "test 1: an assertion has no type"},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-used'}]", "test 1: trajectory:tool-used: value must be a text, a list or a map"},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-used', value: []}]", "test 1: trajectory:tool-used: it must have a tool"},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-used', value: {min: 2}}]", "test 1: trajectory:tool-used: it must have a name or a pattern"},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-sequence', value: 5}]", "trajectory:tool-sequence: value must be a list, or a map with steps"},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-sequence', value: {mode: exact}}]", "trajectory:tool-sequence: it must have a step"},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-sequence', value: [x, {}]}]", "trajectory:tool-sequence: steps[1]: it must have a name or a pattern"},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-args-match', value: {name: x}}]", "trajectory:tool-args-match: it must have args or arguments"},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-args-match', value: {name: x, args: {}, mode: fuzzy}}]", `mode must be partial or exact, is "fuzzy"`},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-args-match', value: {name: x, args: {}, ignore: [1]}}]", "ignore must be a text, or a list of texts"},
		{"promptfoo", "- assert: [{type: 'trajectory:tool-args-match', value: {name: x, args: {}, defaults: 1}}]", "defaults must be a map"},
		{"promptfoo", "- assert: [{type: 'trajectory:step-count', value: {type: tool}}]", "trajectory:step-count: it must have min or max"},
	} {
		var s Set
		require.ErrorContains(t, Formats[tc.format].Read(&s, []byte(tc.text)), tc.want)
	}
	for text, want := range map[string]string{
		"oops": "no ADK criteria", `{"criteria":{}}`: "criteria has no tool_trajectory_avg_score",
		`{"criteria":{"tool_trajectory_avg_score":{"match_type":"FUZZY"}}}`: `match_type must be EXACT, IN_ORDER or ANY_ORDER, is "FUZZY"`,
		`{"criteria":{"tool_trajectory_avg_score":{"match_type":3}}}`:       "match_type must be EXACT, IN_ORDER or ANY_ORDER",
	} {
		var s Set
		require.ErrorContains(t, s.Criteria([]byte(text)), want)
	}
}

// A run that calls something passes a case without tools where the other tool passes it, and the import says so.
func TestCasesThatEveryRunPasses(t *testing.T) {
	for match, notes := range map[string]int{"strict": 0, "unordered": 0, "subset": 0, "superset": 1} {
		f, s := Formats["agentevals"], Set{Match: match}
		require.NoError(t, f.Read(&s, []byte(`{"id":"joke","messages":[]}`)))
		require.NoError(t, s.Check(f))
		assert.Len(t, s.Notes(), notes, match)
	}
}

// A case that expects no tools of its own is no expectation.
func TestCasesWithoutTools(t *testing.T) {
	var s Set
	require.NoError(t, Formats["adk"].Read(&s, []byte(`{"eval_cases":[{"eval_id":"x","conversation_scenario":{"starting_prompt":"Hello"}}]}`)))
	require.Empty(t, s.Cases)
	require.Equal(t, []string{"1 x eval case without a conversation, which expects no tools", "1 x eval case.conversation_scenario"}, s.Notes())
}
