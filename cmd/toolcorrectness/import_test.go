package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const cases = "../../internal/importer/testdata/"

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
		{"-from", "deepeval", cases + "goldens.json"}, {"-from", "deepeval", cases + "goldens.jsonl"}, {"-from", "adk", cases + "events.json"},
	} {
		got := command("", append([]string{"import", "-key", "test.case.name"}, args...)...)
		require.Equal(t, exitPassed, got.code, got.stderr)
		valid := command("", "validate", "-config", file(t, "config.yaml", got.stdout))
		assert.Equal(t, exitPassed, valid.code, valid.stderr)
		assert.Contains(t, valid.stdout, "2 expectations")
	}
}

func TestImportFaults(t *testing.T) {
	empty := file(t, "empty.json", `[{"input":"x"}]`)
	for _, tc := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{nil, exitUsage, "-from must be adk, deepeval or tau2, is \"\""},
		{[]string{"-from", "excel", "x"}, exitUsage, "-from must be adk, deepeval or tau2, is \"excel\""},
		{[]string{"-from", "adk"}, exitUsage, "no files: name the files with test cases"},
		{[]string{"-from", "deepeval", "-criteria", "x", "y"}, exitUsage, "-criteria is for -from adk"},
		{[]string{"-from", "adk", "missing.json"}, exitUsage, "open missing.json"},
		{[]string{"-from", "adk", cases + "goldens.json"}, exitUsage, "goldens.json: no eval set: "},
		{[]string{"-from", "adk", "-criteria", cases + "events.json", cases + "events.json"}, exitUsage, "events.json: no ADK criteria: criteria has no tool_trajectory_avg_score"},
		{[]string{"-from", "deepeval", empty}, exitFailed, "there are no cases with expected tools: 1 x golden without expected_tools"},
		{[]string{"-from", "deepeval", cases + "goldens.json"}, exitUsage, "there are 2 cases: -key names the attribute that tells which one a run is of"},
	} {
		got := command("", append([]string{"import"}, tc.args...)...)
		assert.Equal(t, tc.code, got.code, tc.args)
		assert.Contains(t, got.stderr, "toolcorrectness: ", tc.args)
		assert.Contains(t, got.stderr, tc.stderr)
		assert.Empty(t, got.stdout)
	}
}
