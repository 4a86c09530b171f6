package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const cases = "../../internal/draft/testdata/import/"

// An eval set of another tool judges the trace that it was made from as that tool does.
func TestImportedEvalSets(t *testing.T) {
	for _, tc := range []struct {
		set, traces string
		code        int
		reason      string
	}{
		{"eval_set_helm.json", "helm", exitPassed, "the call has no arguments, as expected"},
		{"evalset_helm_3_2026-02-23.json", "helm_3", exitPassed, "the set was made of this trace"},
		{"evalset_k8s_2026-02-20.json", "k8s", exitPassed, "no tools are expected and none were called"},
		{"eval_set_helm.json", "helm_3", exitFailed, "EXACT compares arguments"},
		{"evalset_k8s_2026-02-20.json", "helm", exitFailed, "a tool was called that is not expected"},
		{"eval_set_helm.json", "k8s", exitFailed, "the expected tool was not called"},
	} {
		config := filepath.Join(t.TempDir(), "config.yaml")
		got := command("", "import", "-from", "adk", "-o", config, cases+tc.set)
		require.Equal(t, exitPassed, got.code, got.stderr)
		assert.Contains(t, got.stderr, "toolcorrectness: not imported: 1 x invocation.final_response\n")
		got = command("", "-config", config, filepath.Join("testdata", "agentevals", tc.traces+".json.gz"))
		assert.Equal(t, tc.code, got.code, "%s on %s: %s\n%s", tc.set, tc.traces, tc.reason, got.stdout)
	}
}

// What is imported is a configuration, whatever its method.
func TestImportsAreValid(t *testing.T) {
	for _, args := range [][]string{
		{"-from", "deepeval", cases + "goldens.json"}, {"-from", "deepeval", cases + "goldens.jsonl"}, {"-from", "adk", cases + "first_format.json"},
		{"-from", "agentevals", "-match", "subset", "-arguments", "ignore", cases + "trajectories.jsonl"},
	} {
		got := command("", append([]string{"import", "-key", "test.case.name"}, args...)...)
		require.Equal(t, exitPassed, got.code, got.stderr)
		valid := command("", "validate", "-config", file(t, "config.yaml", got.stdout))
		assert.Equal(t, exitPassed, valid.code, valid.stderr)
		assert.Contains(t, valid.stdout, "2 expectations")
	}
	got := command("", "import", "-from", "promptfoo", "-key", "test.case.name", cases+"promptfooconfig.yaml")
	require.Equal(t, exitPassed, got.code, got.stderr)
	assert.Contains(t, got.stdout, "# Imported from promptfoo: 3 cases.")
	valid := command("", "validate", "-strict", "-config", file(t, "config.yaml", got.stdout))
	assert.Equal(t, exitPassed, valid.code, "no metric is pointless: %s", valid.stderr)
	assert.Contains(t, valid.stdout, "14 expectations")
}

// The cases become a dataset, and the configuration reads it.
func TestImportsAsDatasets(t *testing.T) {
	dataset := filepath.Join(t.TempDir(), "cases.jsonl")
	got := command("", "import", "-from", "deepeval", "-key", "test.case.name", "-dataset", dataset, cases+"goldens.json")
	require.Equal(t, exitPassed, got.code, got.stderr)
	text, err := os.ReadFile(dataset)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 2)
	assert.JSONEq(t, `{"key":"refund","tools":[{"name":"search_orders","arguments":{"customer":12}},
		{"name":"refund_order","arguments":{"order_id":"A-1","currency":"EUR"},"output":{"status":"ok"}}]}`, lines[0])
	assert.JSONEq(t, `{"key":"Say hello","tools":[{"name":"greet"}]}`, lines[1])
	valid := command("", "validate", "-config", file(t, "config.yaml", got.stdout))
	assert.Equal(t, exitPassed, valid.code, valid.stderr)
	require.NoError(t, os.WriteFile(dataset, append(text, text...), 0o600))
	valid = command("", "validate", "-config", file(t, "config.yaml", got.stdout))
	assert.Equal(t, exitUsage, valid.code)
	assert.Contains(t, valid.stderr, dataset+`:3: key: "refund" is the key of line 1 already`, "validate reads the files that a collector would read")
}

func TestImportFaults(t *testing.T) {
	empty := file(t, "empty.json", `[{"input":"x"}]`)
	twice := file(t, "twice.json", `[{"input":"x","expected_tools":[{"name":"a"}]},{"input":"x","expected_tools":[{"name":"b"}]}]`)
	for _, tc := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{nil, exitUsage, "-from must be adk, agentevals, deepeval or promptfoo, is \"\""},
		{[]string{"-from", "excel", "x"}, exitUsage, "-from must be adk, agentevals, deepeval or promptfoo, is \"excel\""},
		{[]string{"-from", "agentevals", "-match", "exact", "x"}, exitUsage, "-match must be strict, unordered, subset or superset, is \"exact\""},
		{[]string{"-from", "deepeval", "-match", "exact", "x"}, exitUsage, "-match is not for this format"},
		{[]string{"-from", "deepeval", "-dataset", "x", "x"}, exitUsage, "-dataset needs -key: the attribute that has the key of a run's case"},
		{[]string{"-from", "promptfoo", "-key", "k", "-dataset", "x", "y"}, exitUsage, "-dataset is not for -from promptfoo: each assertion has a metric of its own"},
		{[]string{"-from", "promptfoo", cases + "promptfooconfig.yaml"}, exitUsage, "there are 3 cases: -key must name the attribute that has the key of a run's case"},
		{[]string{"-from", "adk"}, exitUsage, "no files: name the files with test cases"},
		{[]string{"-from", "deepeval", "-criteria", "x", "y"}, exitUsage, "-criteria is for -from adk"},
		{[]string{"-from", "adk", "missing.json"}, exitUsage, "open missing.json"},
		{[]string{"-from", "adk", cases + "goldens.json"}, exitUsage, "goldens.json: no eval set: "},
		{[]string{"-from", "adk", "-criteria", cases + "events.json", cases + "events.json"}, exitUsage, "events.json: no ADK criteria: criteria has no tool_trajectory_avg_score"},
		{[]string{"-from", "deepeval", empty}, exitFailed, "there are no cases with expected tools: 1 x golden without expected_tools"},
		{[]string{"-from", "adk", file(t, "wrong.json", `{"eval_cases":5}`)}, exitUsage, "wrong.json: eval_cases: must not be a JSON number\n"},
		{[]string{"-from", "deepeval", file(t, "numbers.json", `[5]`)}, exitUsage, "numbers.json: no goldens: must not be a JSON number\n"},
		{[]string{"-from", "deepeval", "-key", "k", twice}, exitUsage, `two cases have the key "x", and a run could not tell which one it is of`},
		{[]string{"-from", "deepeval", cases + "goldens.json"}, exitUsage, "there are 2 cases: -key must name the attribute that has the key of a run's case"},
	} {
		got := command("", append([]string{"import"}, tc.args...)...)
		assert.Equal(t, tc.code, got.code, tc.args)
		assert.Contains(t, got.stderr, "toolcorrectness: ", tc.args)
		assert.Contains(t, got.stderr, tc.stderr)
		assert.Empty(t, got.stdout)
	}
}
