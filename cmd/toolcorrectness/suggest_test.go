package main

import (
	"bytes"
	"path/filepath"
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
