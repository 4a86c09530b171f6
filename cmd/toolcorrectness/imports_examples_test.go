package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An importedCase is a line of a dataset.
type importedCase struct {
	Key   string
	Tools []json.RawMessage
	Turns []importedCase
}

// idle is the case of a run that calls nothing. It is false if the case expects that.
func (c importedCase) idle() (importedCase, bool) {
	quiet, expecting := importedCase{Key: c.Key}, len(c.Tools) > 0
	for _, turn := range c.Turns {
		quiet.Turns, expecting = append(quiet.Turns, importedCase{}), expecting || len(turn.Tools) > 0
	}
	return quiet, expecting
}

// The example files of each format judge runs: those that call what a case expects pass, and those that call nothing fail.
func TestImportedExamplesJudgeRuns(t *testing.T) {
	for _, tc := range []struct {
		file  string
		flags []string
	}{
		{"events.json", []string{"adk"}},
		{"eval_set_helm.json", []string{"adk"}},
		{"first_format.json", []string{"adk"}},
		{"trajectory.json", []string{"agentevals"}},
		{"trajectories.jsonl", []string{"agentevals", "-match", "unordered", "-arguments", "subset"}},
		{"goldens.json", []string{"deepeval"}},
		{"goldens.jsonl", []string{"deepeval"}},
	} {
		t.Run(tc.file, func(t *testing.T) {
			folder := t.TempDir()
			dataset, config := filepath.Join(folder, "cases.jsonl"), filepath.Join(folder, "config.yaml")
			args := append([]string{"import", "-key", "test.case.name", "-dataset", dataset, "-o", config, "-from"}, tc.flags...)
			got := command("", append(args, cases+tc.file)...)
			require.Equal(t, exitPassed, got.code, got.stderr)
			var good, idle strings.Builder
			expecting := 0
			for i, line := range strings.Split(strings.TrimSpace(readFile(t, dataset)), "\n") {
				var c importedCase
				require.NoError(t, json.Unmarshal([]byte(line), &c))
				good.WriteString(spansOf(t, i, c))
				if quiet, expects := c.idle(); expects {
					expecting++
					idle.WriteString(spansOf(t, i, quiet))
				}
			}
			require.Positive(t, expecting)
			require.NoError(t, os.WriteFile(filepath.Join(folder, "good.jsonl"), []byte(good.String()), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "idle.jsonl"), []byte(idle.String()), 0o600))
			got = command("", "-config", config, filepath.Join(folder, "good.jsonl"))
			assert.Equal(t, exitPassed, got.code, got.stdout)
			got = command("", "-config", config, "-format", "json", filepath.Join(folder, "idle.jsonl"))
			assert.Equal(t, exitFailed, got.code, got.stdout)
			for _, row := range rowsIn(t, got.stdout) {
				assert.Equal(t, false, row["passed"], row)
				assert.Equal(t, "scored", row["status"], row)
			}
		})
	}
}

// spansOf is a request with the agent's span and one for each tool that the case expects. For turns it is one for each.
func spansOf(t *testing.T, run int, c importedCase) string {
	if c.Turns == nil {
		return turnOf(t, run, 0, c)
	}
	var b strings.Builder
	for i, turn := range c.Turns {
		turn.Key = c.Key
		b.WriteString(turnOf(t, run, i+1, turn))
	}
	return b.String()
}

// turnOf is a request with one turn of a conversation, from 1, or with a run that is of none.
func turnOf(t *testing.T, run, turn int, c importedCase) string {
	begin := int(1e9) + turn*1e6
	text := func(key, value string) map[string]any {
		return map[string]any{"key": key, "value": map[string]any{"stringValue": value}}
	}
	span := func(i int, attributes ...map[string]any) map[string]any {
		s := map[string]any{"traceId": fmt.Sprintf("%032x", 100*turn+run+1), "spanId": fmt.Sprintf("%016x", i+1), "name": "span", "attributes": attributes,
			"startTimeUnixNano": strconv.Itoa(begin + i*10), "endTimeUnixNano": strconv.Itoa(begin + i*10 + 5)}
		if i > 0 {
			s["parentSpanId"] = fmt.Sprintf("%016x", 1)
		}
		return s
	}
	own := []map[string]any{text("gen_ai.operation.name", "invoke_agent"), text("test.case.name", c.Key)}
	if turn > 0 {
		own = append(own, text("gen_ai.conversation.id", c.Key))
	}
	spans := []map[string]any{span(0, own...)}
	for i, raw := range c.Tools {
		tool := struct {
			Name              string
			Arguments, Output json.RawMessage
		}{Arguments: json.RawMessage("{}")}
		if json.Unmarshal(raw, &tool.Name) != nil {
			require.NoError(t, json.Unmarshal(raw, &tool))
		}
		attributes := []map[string]any{text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", tool.Name), text("gen_ai.tool.call.arguments", string(tool.Arguments))}
		if tool.Output != nil {
			attributes = append(attributes, text("gen_ai.tool.call.result", string(tool.Output)))
		}
		spans = append(spans, span(i+1, attributes...))
	}
	request, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{"scopeSpans": []any{map[string]any{"spans": spans}}}}})
	require.NoError(t, err)
	return string(request) + "\n"
}
