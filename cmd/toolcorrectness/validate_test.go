package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every example is valid.
func TestExamplesAreValid(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		got := command("", "validate", "-config", name)
		assert.Equal(t, exitPassed, got.code, got.stderr)
		assert.Contains(t, got.stdout, name+": processors::tool_correctness: valid: ")
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
			for want, have := range map[string]string{tc.stdout: got.stdout, tc.stderr: got.stderr} {
				if want == "" {
					continue
				}
				assert.Contains(t, have, want, tc.reason)
			}
			if tc.stdout == "" {
				assert.Empty(t, got.stdout, tc.reason)
			}
			if tc.stderr == "" {
				assert.Empty(t, got.stderr, tc.reason)
			}
		})
	}
	assert.Equal(t, result{exitUsage, "", "toolcorrectness: -config is required (suggest drafts one); -h explains it\n"}, command("", "validate"))
}

// What a collector refuses at start is not valid.
func TestPipelinesThatCannotStart(t *testing.T) {
	for _, tc := range []struct{ pipelines, storage, want string }{
		{"{metrics: {processors: [tool_correctness]}}", "", "service::pipelines::metrics: the processor is for pipelines of traces"},
		{"{traces: {processors: [tool_correctness, tool_correctness]}}", "", "service::pipelines::traces: has the processor twice"},
		{"{traces/a: {processors: [tool_correctness]}, traces/b: {processors: [tool_correctness]}}", "storage: file_storage, ", "storage: traces/a and traces/b use the processor"},
	} {
		file := filepath.Join(t.TempDir(), "config.yaml")
		require.NoError(t, os.WriteFile(file, []byte("extensions: {file_storage: {}}\nprocessors: {tool_correctness: {"+tc.storage+
			"expectations: [{tools: [a]}]}}\nservice: {extensions: [file_storage], pipelines: "+tc.pipelines+"}\n"), 0o600))
		got := command("", "validate", "-config", file)
		assert.Equal(t, exitUsage, got.code, tc.pipelines)
		assert.Contains(t, got.stderr, tc.want)
	}
}

// Several configurations are merged as the collector does it, and its feature gates are known.
func TestConfigurationOfSeveralFiles(t *testing.T) {
	metrics := file(t, "metrics.yaml", "processors: {tool_correctness: {metrics: {mine: {native: {}}}}}")
	expectations := file(t, "expectations.yaml", "processors: {tool_correctness: {expectations: [{tools: [search]}]}}")
	got := command("", "validate", "-config", metrics, "-config", expectations)
	assert.Equal(t, exitPassed, got.code, got.stderr)
	assert.Contains(t, got.stdout, metrics+", "+expectations+": processors::tool_correctness: valid: 1 metric, 1 expectation, 0 warnings")

	got = command("", "validate", "-config", metrics, "-config", expectations, "-feature-gates", "no.such.gate")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "no.such.gate")
}
