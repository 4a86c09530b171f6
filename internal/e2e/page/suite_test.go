//go:build browser

package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// suite is the report that the command makes of the runs in testdata/suite.txt.
func suite(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "suite.txt"))
	require.NoError(t, err)
	td, n := ptrace.NewTraces(), 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			n++
			addRun(td, n, strings.Split(strings.TrimRight(line, "\n"), "|"))
		}
	}
	require.Equal(t, 40, n)
	spans, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	traces, page := filepath.Join(t.TempDir(), "suite.json"), filepath.Join(t.TempDir(), "suite.html")
	require.NoError(t, os.WriteFile(traces, spans, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "run", "./cmd/toolcorrectness", "-config", "internal/e2e/page/testdata/suite.yaml", "-values", "-format", "html", "-pass-rate", "0", "-o", page, traces)
	cmd.Dir = filepath.Join("..", "..", "..")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return page
}

// addRun adds the spans of a run: the agent's, and one for each call.
func addRun(td ptrace.Traces, n int, fields []string) {
	id := sha256.Sum256(fmt.Append(nil, n))
	start := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC).Add(time.Duration(n) * 97 * time.Second)
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", fields[1])
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	add := func(i int, operation, name string, begin, end time.Duration) pcommon.Map {
		span := spans.AppendEmpty()
		span.SetTraceID(pcommon.TraceID(id[:16]))
		span.SetSpanID(pcommon.SpanID(id[16+i : 24+i]))
		if i > 0 {
			span.SetParentSpanID(pcommon.SpanID(id[16:24]))
		}
		span.SetName(operation + " " + name)
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(start.Add(begin)))
		span.SetEndTimestamp(pcommon.NewTimestampFromTime(start.Add(end)))
		span.Attributes().PutStr("gen_ai.operation.name", operation)
		return span.Attributes()
	}
	step := time.Duration(180+37*(n%7)) * time.Millisecond
	agent := add(0, "invoke_agent", "support", 0, time.Duration(len(fields)-2)*step)
	agent.PutStr("gen_ai.agent.name", map[string]string{"billing": "billing_desk", "shop-assistant": "order_desk"}[fields[1]])
	agent.PutStr("test.case.name", fields[0])
	if fields[2] != "" {
		agent.PutStr("order.id", fields[2])
	}
	question, _ := json.Marshal(fields[3])
	agent.PutStr("gen_ai.input.messages", fmt.Sprintf(`[{"role":"user","parts":[{"type":"text","content":%s}]}]`, question))
	for i, call := range fields[4:] {
		name, arguments, has := strings.Cut(call, " ")
		if !has {
			continue
		}
		begin := time.Duration(i+1) * step
		tool := add(i+1, "execute_tool", name, begin, begin+step/3)
		tool.PutStr("gen_ai.tool.name", name)
		if arguments != "-" {
			tool.PutStr("gen_ai.tool.call.arguments", arguments)
			tool.PutStr("gen_ai.tool.call.result", cmp.Or(map[string]string{"get_order": `{"status":"sent"}`}[name], `{"ok":true}`))
		}
	}
}
