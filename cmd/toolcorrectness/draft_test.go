package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// scenarioOf is the file of a scenario of all libraries of the corpus.
func scenarioOf(t *testing.T, name string) string {
	t.Helper()
	var all bytes.Buffer
	for _, l := range corpus.Libraries(t) {
		for _, s := range l.Scenarios {
			if s.Name == name {
				for _, request := range s.Requests {
					text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(request)
					require.NoError(t, err)
					all.Write(append(text, '\n'))
				}
			}
		}
	}
	return file(t, name+".jsonl", all.String())
}

// The given runs pass under the draft, and runs of another scenario fail.
func TestSuggest(t *testing.T) {
	for given, other := range map[string]string{"typed_args": "two_sequential", "two_sequential": "parallel_tools", "parallel_tools": "typed_args"} {
		t.Run(given, func(t *testing.T) {
			draft := filepath.Join(t.TempDir(), "draft.yaml")
			good := scenarioOf(t, given)
			ends(t, exitPassed, "", "suggest", "-o", draft, good)
			ends(t, exitPassed, "", "validate", "-config", draft)
			ends(t, exitPassed, "", "-config", draft, good)
			failed := ends(t, exitFailed, "", "-config", draft, "-format", "json", scenarioOf(t, other))
			judged := 0
			for _, row := range rowsIn(t, failed.stdout) {
				if row["status"] != "no_expectation" {
					judged++
					assert.Equal(t, false, row["passed"], "%v of %v under\n%s", row["agent"], row["calls"], readFile(t, draft))
				}
			}
			assert.Positive(t, judged)
		})
	}
}

// A key distinguishes the runs of an agent. Values of arguments are left out on request.
func TestSuggestByKey(t *testing.T) {
	text := readFile(t, mastra)
	other := strings.NewReplacer("d5d643a70475dcb451f81c3c07256972", "d5d643a70475dcb451f81c3c07256973", "get_weather", "search_orders").Replace(text)
	const agent = `"gen_ai.operation.name","value":{"stringValue":"invoke_agent"}`
	require.Contains(t, text, agent)
	keyed := func(text, key string) string {
		return strings.ReplaceAll(text, agent, agent+`},{"key":"test.case.name","value":{"stringValue":"`+key+`"}`)
	}
	traces := keyed(text, "weather") + keyed(other, "orders")
	got := ends(t, exitPassed, traces, "suggest", "-key", `attributes["test.case.name"]`, "-")
	assert.Contains(t, got.stdout, `when: attributes["tool_correctness.agent"] == "travel_desk" and attributes["test.case.name"] == "weather"`)
	assert.Contains(t, got.stdout, "- name: travel_desk, orders # 1 run\n")
	draft := file(t, "draft.yaml", got.stdout)
	ends(t, exitPassed, traces, "-config", draft, "-")

	twice := text + strings.NewReplacer("d5d643a7", "d5d643a8", "call_32fd", "call_32fe", "call_4802", "call_4803").Replace(text)
	assert.Contains(t, command(twice, "suggest", "-").stdout, "city: Paris # in 2 of 2 calls\n")
	got = command(twice, "suggest", "-values=false", "-")
	assert.NotContains(t, got.stdout, "Paris")
	assert.Contains(t, got.stdout, "name: get_weather # in 2 of 2 runs\n")
}

const cases = "../../internal/draft/testdata/import/"

// The cases become a dataset, and the configuration reads it.
func TestImportsAsDatasets(t *testing.T) {
	dataset := filepath.Join(t.TempDir(), "cases.jsonl")
	got := ends(t, exitPassed, "", "import", "-from", "deepeval", "-key", "test.case.name", "-dataset", dataset, cases+"goldens.json")
	text, err := os.ReadFile(dataset)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 2)
	assert.JSONEq(t, `{"key":"refund","tools":[{"name":"search_orders","arguments":{"customer":12}},
		{"name":"refund_order","arguments":{"order_id":"A-1","currency":"EUR"},"output":{"status":"ok"}}]}`, lines[0])
	assert.JSONEq(t, `{"key":"Say hello","tools":[{"name":"greet"}]}`, lines[1])
	ends(t, exitPassed, "", "validate", "-config", file(t, "config.yaml", got.stdout))
	require.NoError(t, os.WriteFile(dataset, append(text, text...), 0o600))
	valid := ends(t, exitUsage, "", "validate", "-config", file(t, "config.yaml", got.stdout))
	assert.Contains(t, valid.stderr, dataset+`:3: key: "refund" is the key of line 1 already`, "validate reads the files that a collector would read")
}

// A recordedImport is a file of another library's test cases, with that library's score and verdict of each expectation for
// each run in traces.jsonl. internal/e2e/references/record_imports.py records it.
type recordedImport struct {
	Flags []string
	File  string
	Said  []map[string]saying // by what the expectation's name has behind the case's key
}

// A saying is written as [score, passed].
type saying struct {
	score  float64
	passed bool
}

func (s *saying) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&s.score, &s.passed})
}

// Test cases in the files of another library, once imported, judge runs as that library does. `make e2e WITH=imports` sets IMPORTS to a
// folder with fresh archives. Every other import is a dataset.
func TestImportedCasesScoreAsTheirLibrary(t *testing.T) {
	folder := os.Getenv("IMPORTS")
	if folder == "" {
		folder = filepath.Join("testdata", "imports")
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*.tar.gz"))
	require.NoError(t, err)
	require.Len(t, archives, 3)
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), func(t *testing.T) {
			unpacked := t.TempDir()
			unpack(t, archive, unpacked)
			var imports []recordedImport
			require.NoError(t, json.Unmarshal([]byte(readFile(t, filepath.Join(unpacked, "imports.json"))), &imports))
			require.NotEmpty(t, imports)
			for i, x := range imports {
				if i > 0 && testing.Short() {
					break
				}
				if i%2 == 0 || x.Flags[1] == "promptfoo" {
					x.judge(t, unpacked)
				} else {
					x.judge(t, unpacked, "-dataset", filepath.Join(unpacked, "cases.jsonl"))
				}
			}
		})
	}
}

// judge imports the file, scores the runs, and compares.
func (x recordedImport) judge(t *testing.T, folder string, more ...string) {
	name := fmt.Sprint(append(slices.Clone(x.Flags), append([]string{x.File}, more...)...))
	config := filepath.Join(folder, "config.yaml")
	args := append([]string{"import", "-key", "test.case.name", "-o", config}, more...)
	for _, flag := range x.Flags {
		if strings.HasSuffix(flag, ".json") {
			flag = filepath.Join(folder, flag)
		}
		args = append(args, flag)
	}
	got := command("", append(args, filepath.Join(folder, x.File))...)
	require.Equal(t, exitPassed, got.code, "%s: %s", name, got.stderr)
	assert.NotContains(t, got.stderr, "assertion", "%s: everything was imported", name)
	got = command("", "-config", config, "-format", "json", filepath.Join(folder, "traces.jsonl"))
	require.Equal(t, exitFailed, got.code, "some runs fail: %s", got.stderr)
	passed, different, all := 0, 0, 0
	for _, row := range rowsIn(t, got.stdout) {
		var run int
		_, err := fmt.Sscanf(row["trace_id"].(string), "%x", &run)
		require.NoError(t, err)
		run &= 1<<32 - 1 // above it is the turn
		said, ok := x.Said[run-1][strings.TrimPrefix(strings.TrimPrefix(row["expectation"].(string), "imported"), fmt.Sprintf("case-%05d", run-1))]
		require.True(t, ok, "%s: %v", name, row)
		all++
		if said.passed {
			passed++
		}
		score, _ := row["score"].(float64)
		if row["status"] != "scored" || row["passed"] != said.passed || score-said.score > 1e-12 || said.score-score > 1e-12 {
			if different++; different <= 3 {
				t.Errorf("%s: it said %v of %v", name, said, row)
			}
		}
	}
	expected := 0
	for _, said := range x.Said {
		expected += len(said)
	}
	require.Equal(t, expected, all, "%s: verdicts", name)
	require.Zero(t, different, name)
	assert.Greater(t, passed, all/20, "%s: runs that pass", name)
	assert.Less(t, passed, all-all/20, "%s: runs that pass", name)
}

func unpack(t *testing.T, archive, folder string) {
	f, err := os.Open(archive)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		content, err := io.ReadAll(files)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(header.Name)), content, 0o600))
	}
}
