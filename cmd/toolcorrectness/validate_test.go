package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every example is valid, and so is a draft for any names of agents and tools.
func TestExamplesAreValid(t *testing.T) {
	t.Setenv("HOME", "/must/not/be/seen")
	for _, folder := range []string{"../../examples", "../../internal/draft/testdata/suggest"} {
		files, err := filepath.Glob(folder + "/*.yaml")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			assert.Contains(t, ends(t, exitPassed, "", "validate", "-config", name).stdout, name+": processors::tool_correctness: valid: ")
		}
	}
}

func TestValidate(t *testing.T) {
	const whole = `
extensions: {file_storage: {directory: /var/lib}}
processors:
  tool_correctness: {storage: file_storage, expectations: [{tools: [a]}]}
service:
  extensions: [file_storage]
  pipelines: {traces/agents: {processors: [tool_correctness]}}
`
	const pipelines = "extensions: {file_storage: {}}\nprocessors: {tool_correctness: {storage: file_storage, expectations: [{tools: [a]}]}}\n" +
		"service: {extensions: [file_storage], pipelines: "
	files := strings.NewReplacer("EXPECTATIONS", file(t, "good.yaml", "- tools: [a]\n"), "WRONG", file(t, "wrong.yaml", "- tools: [a]\n- tols: [b]\n"))
	for _, tc := range []struct {
		claim, yaml string
		args        []string
		code        int
		stdout      string
		stderr      string
		reason      string
	}{
		{"a whole configuration", whole, []string{"-strict"}, exitPassed, "valid: 1 metric, 1 expectation, 0 warnings\n", "", "all is there"},
		{"a storage that does not exist", "processors: {tool_correctness: {storage: file_storage, expectations: [{tools: [a]}]}}\nservice: {pipelines: {traces: {processors: [tool_correctness]}}}", nil, exitUsage, "",
			"processors::tool_correctness: storage: extensions has no file_storage\n", "the collector would not start"},
		{"a storage that is not started", "extensions: {file_storage: }\nprocessors: {tool_correctness: {storage: file_storage, expectations: [{tools: [a]}]}}\nservice: {pipelines: {traces: {processors: [tool_correctness]}}}", nil, exitUsage, "",
			"storage: service::extensions does not start file_storage\n", "the collector would not find it"},
		{"a storage that is no id", "processors: {tool_correctness: {storage: /var/lib, expectations: [{tools: [a]}]}}", nil, exitUsage, "", "storage: must be the id of a storage extension", "a common mistake"},
		{"a part of a configuration", "processors: {tool_correctness: {storage: file_storage, expectations: [{tools: [a]}]}}", nil, exitPassed, "1 warning\n",
			"storage: file_storage is not checked, because the file has no service", "the rest may stand elsewhere"},
		{"in no pipeline", "processors: {tool_correctness: {expectations: [{tools: [a]}]}}\nservice: {pipelines: {traces: {processors: [batch]}}}", nil, exitPassed, "1 warning\n",
			"no pipeline of traces uses processors::tool_correctness", "a collector would start and judge nothing"},
		{"with -strict", "processors: {tool_correctness: {expectations: [{tools: [a]}]}}\nservice: {pipelines: {}}", []string{"-strict"}, exitFailed, "1 warning\n",
			"toolcorrectness: 1 warning, and -strict allows none\n", "CI may want that"},
		{"files that are never read again", "processors: {tool_correctness: {reload_interval: 0, expectation_files: [EXPECTATIONS]}}", nil, exitPassed, "1 warning\n",
			"reload_interval: is 0, so files with expectations are read at start only", "it may be meant"},
		{"a file with a mistake", "processors: {tool_correctness: {expectation_files: [WRONG]}}", nil, exitUsage, "",
			"wrong.yaml:2: [1].tols: is no key of this configuration (did you mean \"tools\"?)", "the collector would not start"},
		{"a file that does not exist", "processors: {tool_correctness: {expectation_files: [/nowhere/x.yaml]}}", nil, exitUsage, "", "/nowhere/x.yaml: does not exist", "a wrong mount"},
		{"in a pipeline of metrics", pipelines + "{metrics: {processors: [tool_correctness]}}}", nil, exitUsage, "",
			"service::pipelines::metrics: the processor is for pipelines of traces", "the collector would not start"},
		{"twice in a pipeline", pipelines + "{traces: {processors: [tool_correctness, tool_correctness]}}}", nil, exitUsage, "",
			"service::pipelines::traces: has the processor twice", "the collector would not start"},
		{"in two pipelines, with a storage", pipelines + "{traces/a: {processors: [tool_correctness]}, traces/b: {processors: [tool_correctness]}}}", nil, exitUsage, "",
			"storage: traces/a and traces/b use the processor", "the second would not open it"},
		{"a doubt", "processors: {tool_correctness: {expectations: [{tools: [a]}, {tools: [b]}]}}", nil, exitPassed, "1 warning\n", "expectations[1]: it is never met", "as the collector would log"},
		{"all processors", "processors: {tool_correctness/a: {expectations: [{tools: [a]}]}, tool_correctness/b: {expectation: []}, tool_correctness/c: {run: {scope: x}}}", nil, exitUsage,
			"processors::tool_correctness/a: valid", "processors::tool_correctness/c: ", "all faults at once"},
		{"one of them", "processors: {tool_correctness/a: {expectations: [{tools: [a]}]}, tool_correctness/b: {expectation: []}}", []string{"-processor", "tool_correctness/a"}, exitPassed,
			"processors::tool_correctness/a: valid", "", "the user chose"},
		{"none of them", "processors: {batch: }", nil, exitUsage, "", "processors: has no tool_correctness\n", "nothing was checked"},
		{"no YAML", "processors: [", nil, exitUsage, "", "yaml: line 1", "unreadable"},
		{"files", whole, []string{"x.jsonl"}, exitUsage, "", "takes no files beside its flags, was given \"x.jsonl\"\n", "validate reads no traces"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			got := command("", append([]string{"validate", "-config", file(t, "config.yaml", files.Replace(tc.yaml))}, tc.args...)...)
			assert.Equal(t, tc.code, got.code, "%s: %s", tc.reason, got.stderr)
			says(t, tc.stdout, got.stdout, tc.reason)
			says(t, tc.stderr, got.stderr, tc.reason)
		})
	}
	assert.Equal(t, result{exitUsage, "", "toolcorrectness: -config is required (suggest drafts one); -h explains it\n"}, command("", "validate"))
}

// Several configurations are merged as the collector does it, and its feature gates are known.
func TestConfigurationOfSeveralFiles(t *testing.T) {
	metrics := file(t, "metrics.yaml", "processors: {tool_correctness: {metrics: {mine: {native: {}}}}}")
	expectations := file(t, "expectations.yaml", "processors: {tool_correctness: {expectations: [{tools: [search]}]}}")
	got := ends(t, exitPassed, "", "validate", "-config", metrics, "-config", expectations)
	assert.Contains(t, got.stdout, metrics+", "+expectations+": processors::tool_correctness: valid: 1 metric, 1 expectation, 0 warnings")

	got = ends(t, exitUsage, "", "validate", "-config", metrics, "-config", expectations, "-feature-gates", "no.such.gate")
	assert.Contains(t, got.stderr, "no.such.gate")
}
