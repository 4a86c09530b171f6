// Package yardsticks reproduces what others published about runs of agents: BFCL, tau2-bench, RestBench and tau-bench. Their answers are
// written as expectations, their trajectories as the traces that an agent would have exported, and the command judges them. Every verdict is
// compared with the published one, and testdata/differences.tsv names the cause of each difference.
//
// BFCL's data are large or without a licence. `make e2e-benchmarks` fetches them (build tag benchmarks), or takes them from DATA.
package yardsticks

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A trial is one published verdict: what a model called, in answers to which it got results, and the score that was published.
type trial struct {
	model, name string
	// expected is the case of the dataset that says what is expected.
	expected  string
	answers   [][]call
	published float64
}

type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	output    string
	failed    bool
}

// A toolCase is a case of a dataset, as docs/configuration.md has it.
type toolCase struct {
	Key   string `json:"key"`
	Tools []tool `json:"tools"`
}

type tool struct {
	Name            string             `json:"name,omitempty"`
	Names           []string           `json:"any_of,omitempty"`
	Count           map[string]int     `json:"count,omitempty"`
	Arguments       any                `json:"arguments,omitempty"`
	ArgumentsMatch  string             `json:"arguments_match,omitempty"`
	IgnoreArguments []string           `json:"ignore_arguments,omitempty"`
	Matchers        map[string]matcher `json:"matchers,omitempty"`
	Where           string             `json:"where,omitempty"`
}

type matcher struct {
	OneOf    []any `json:"one_of,omitempty"`
	Loose    any   `json:"loose,omitempty"`
	Optional bool  `json:"optional,omitempty"`
}

// A verdict is what the command says of a run.
type verdict struct {
	Trace    string   `json:"trace_id"`
	Case     string   `json:"case"`
	Status   string   `json:"status"`
	Score    *float64 `json:"score"`
	Complete bool     `json:"complete"`
	Reason   string   `json:"reason"`
}

var top = filepath.Join("..", "..", "..")

// A yardstick says how runs are scored.
type yardstick struct{ name, options, calls string }

// reproduce judges the trials, and fails where a verdict differs from the published one without a cause in testdata/differences.tsv.
func reproduce(t *testing.T, y yardstick, cases []toolCase, trials []trial) {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join(top, ".cache", "benchmarks", y.name))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(folder, 0o755))
	dataset := filepath.Join(folder, "cases.jsonl")
	writeLines(t, dataset, cases)
	config := filepath.Join(folder, "config.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `processors:
  tool_correctness:
    calls: { %s }
    metrics: { tool_correctness: { native: %s } }
    expectations: [{ dataset: { file: %q, key: 'attributes["test.case.name"]' }, unknown_key: report }]
`, y.calls, y.options, dataset), 0o644))

	verdicts, took, memory := judge(t, config, trials)
	require.Len(t, verdicts, len(trials))
	causes := causesOf(t, y.name)
	equal, below, equalBelow, models := 0, 0, 0, map[string]bool{}
	var unexplained []string
	for i, tr := range trials {
		v, ok := verdicts[traceID(i).String()]
		require.True(t, ok, "%s %s has no verdict", tr.model, tr.name)
		require.True(t, v.Complete, "%s %s: %+v", tr.model, tr.name, v)
		require.Equal(t, tr.expected, v.Case)
		models[tr.model] = true
		if tr.published < 1 {
			below++
		}
		if v.Score != nil && math.Abs(*v.Score-tr.published) < 1e-9 {
			equal++
			if tr.published < 1 {
				equalBelow++
			}
			continue
		}
		ours := v.Status
		if v.Score != nil {
			ours = fmt.Sprint(*v.Score)
		}
		row := strings.Join([]string{y.name, tr.model, tr.name, fmt.Sprint(tr.published), ours}, "\t")
		if causes[row] == "" {
			unexplained = append(unexplained, row+"\t"+v.Reason)
		}
		delete(causes, row)
	}
	t.Logf("%s: of %d verdicts on %d models %d are equal, and %d of %d that a run is not right; %v of a processor, %s",
		y.name, len(trials), len(models), equal, equalBelow, below, took.Round(10*time.Millisecond), memory)
	require.Empty(t, unexplained, "differences without a cause")
	require.Empty(t, slices.Collect(maps.Keys(causes)), "causes of what is no difference")

	page, err := os.ReadFile(filepath.Join(top, "docs", "methods-of-others.md"))
	require.NoError(t, err)
	row := fmt.Sprintf("| `%s` | %d | %d | `%s` |", y.name, len(trials), equal, y.options)
	require.Contains(t, strings.ReplaceAll(string(page), ",", ""), strings.ReplaceAll(row, ",", ""))
}

// judge sends the trials to the command as traces. It returns the verdicts by trace, and what the command took of the processor and of memory.
func judge(t *testing.T, config string, trials []trial) (verdicts map[string]verdict, took time.Duration, memory string) {
	t.Helper()
	binary := filepath.Join(filepath.Dir(config), "..", "toolcorrectness")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/toolcorrectness")
	build.Dir = top
	said, err := build.CombinedOutput()
	require.NoError(t, err, "%s", said)

	command := exec.CommandContext(t.Context(), binary, "-config", config, "-format", "json", "-values=false", "-pass-rate", "0", "-")
	var faults bytes.Buffer
	command.Stderr = &faults
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	wrote := make(chan error, 1)
	go func() {
		wrote <- func() error {
			defer in.Close()
			for i := range trials {
				if err := writeTrace(in, i, &trials[i]); err != nil {
					return err
				}
			}
			return nil
		}()
	}()
	verdicts = map[string]verdict{}
	eachLine(t, out, func(line []byte) {
		if len(verdicts) == 0 { // all traces were judged. The usage of a process that ended has the memory of this one, too
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid))
			memory = string(regexp.MustCompile(`VmHWM:.*`).Find(status))
		}
		var v verdict
		require.NoError(t, json.Unmarshal(line, &v))
		_, twice := verdicts[v.Trace]
		require.False(t, twice, "two runs in one trace")
		verdicts[v.Trace] = v
	})
	err = <-wrote
	require.NoError(t, command.Wait(), "%s", faults.String())
	require.NoError(t, err)
	return verdicts, command.ProcessState.UserTime() + command.ProcessState.SystemTime(), memory
}

func traceID(i int) (id pcommon.TraceID) {
	binary.BigEndian.PutUint64(id[8:], uint64(i)+1)
	return id
}

// writeTrace writes a trial as the spans of an agent by OpenTelemetry's conventions: each answer of the model, and each call of a tool.
func writeTrace(to io.Writer, i int, tr *trial) error {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "benchmark")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	add := func(operation, of string, within pcommon.SpanID) ptrace.Span {
		span := spans.AppendEmpty()
		var id pcommon.SpanID
		binary.BigEndian.PutUint64(id[:], uint64(i)<<16+uint64(spans.Len()))
		span.SetTraceID(traceID(i))
		span.SetSpanID(id)
		span.SetParentSpanID(within)
		span.SetName(operation + " " + of)
		span.Attributes().PutStr("gen_ai.operation.name", operation)
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(clock))
		span.SetEndTimestamp(pcommon.NewTimestampFromTime(clock.Add(time.Second)))
		return span
	}
	agent := add("invoke_agent", tr.model, pcommon.SpanID{})
	agent.Attributes().PutStr("gen_ai.agent.name", tr.model)
	agent.Attributes().PutStr("test.case.name", tr.expected)
	root := agent.SpanID()
	for a, calls := range append(slices.Clone(tr.answers), nil) {
		parts, finish := []map[string]any{{"type": "text", "content": "Done."}}, "stop"
		if len(calls) > 0 {
			parts, finish = nil, "tool_call"
		}
		for c, made := range calls {
			parts = append(parts, map[string]any{"type": "tool_call", "id": fmt.Sprintf("call_%x_%d_%d", i, a, c), "name": made.Name, "arguments": made.Arguments})
		}
		message, err := json.Marshal([]map[string]any{{"role": "assistant", "parts": parts, "finish_reason": finish}})
		if err != nil {
			return err
		}
		chat := add("chat", tr.model, root)
		chat.Attributes().PutStr("gen_ai.request.model", tr.model)
		chat.Attributes().PutStr("gen_ai.output.messages", string(message))
		clock = clock.Add(time.Second)
		for c, made := range calls {
			span := add("execute_tool", made.Name, root)
			span.Attributes().PutStr("gen_ai.tool.name", made.Name)
			span.Attributes().PutStr("gen_ai.tool.call.id", parts[c]["id"].(string))
			span.Attributes().PutStr("gen_ai.tool.call.arguments", string(made.Arguments))
			span.Attributes().PutStr("gen_ai.tool.call.result", made.output)
			if made.failed {
				span.Status().SetCode(ptrace.StatusCodeError)
				span.Attributes().PutStr("error.type", "Error")
			}
		}
		if len(calls) > 0 {
			clock = clock.Add(time.Second)
		}
	}
	spans.At(0).SetEndTimestamp(pcommon.NewTimestampFromTime(clock))
	text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	if err == nil {
		_, err = to.Write(append(text, '\n'))
	}
	return err
}

// causesOf returns the causes of a yardstick's differences, by the other columns of testdata/differences.tsv.
func causesOf(t *testing.T, yardstick string) map[string]string {
	t.Helper()
	causes := map[string]string{}
	text, err := os.ReadFile(filepath.Join("testdata", "differences.tsv"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, yardstick+"\t") {
			at := strings.LastIndex(line, "\t")
			causes[line[:at]] = strings.TrimSpace(line[at:])
		}
	}
	return causes
}

func writeLines[T any](t *testing.T, file string, values []T) {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for _, v := range values {
		require.NoError(t, encoder.Encode(v))
	}
	require.NoError(t, os.WriteFile(file, text.Bytes(), 0o644))
}

func eachLine(t *testing.T, from io.Reader, read func([]byte)) {
	t.Helper()
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) > 0 {
			read(lines.Bytes())
		}
	}
	require.NoError(t, lines.Err())
}

// readLines reads a file of JSON lines, which may be compressed.
func readLines[T any](t *testing.T, file string) (values []T) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var from io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		from, err = gzip.NewReader(f)
		require.NoError(t, err)
	}
	eachLine(t, from, func(line []byte) {
		var v T
		require.NoError(t, json.Unmarshal(line, &v), file)
		values = append(values, v)
	})
	return values
}
