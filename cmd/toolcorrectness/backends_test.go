package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/tracefile"
)

// jaegerOf returns a file of requests as Jaeger's API gives them: values of types that it lacks are JSON texts, and times are
// microseconds.
func jaegerOf(t *testing.T, text string) string {
	t.Helper()
	type object = map[string]any
	tags := func(m pcommon.Map) []object {
		list := []object{}
		for key, v := range m.All() {
			kind := map[pcommon.ValueType]string{pcommon.ValueTypeBool: "bool", pcommon.ValueTypeInt: "int64", pcommon.ValueTypeDouble: "float64"}[v.Type()]
			var value any = v.AsString()
			if kind != "" {
				value = v.AsRaw()
			} else {
				kind = "string"
			}
			list = append(list, object{"key": key, "type": kind, "value": value})
		}
		return list
	}
	traces := map[string]object{}
	var all []object
	for line := range strings.Lines(text) {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(line))
		require.NoError(t, err)
		for r, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					id := s.TraceID().String()
					if traces[id] == nil {
						traces[id] = object{"traceID": id, "spans": []object{}, "processes": object{}}
						all = append(all, traces[id])
					}
					process := fmt.Sprint("p", r)
					traces[id]["processes"].(object)[process] = object{"serviceName": "svc", "tags": tags(rs.Resource().Attributes())}
					list := append(tags(s.Attributes()), object{"key": "otel.scope.name", "type": "string", "value": ss.Scope().Name()},
						object{"key": "span.kind", "type": "string", "value": strings.ToLower(s.Kind().String())})
					if s.Status().Code() != ptrace.StatusCodeUnset {
						list = append(list, object{"key": "otel.status_code", "type": "string", "value": strings.ToUpper(s.Status().Code().String())})
					}
					span := object{
						"traceID": id, "spanID": s.SpanID().String(), "operationName": s.Name(), "processID": process, "tags": list,
						"startTime": s.StartTimestamp() / 1000, "duration": (s.EndTimestamp() - s.StartTimestamp()) / 1000, "logs": jaegerLogs(s, tags),
					}
					if !s.ParentSpanID().IsEmpty() {
						span["references"] = []object{{"refType": "CHILD_OF", "traceID": id, "spanID": s.ParentSpanID().String()}}
					}
					traces[id]["spans"] = append(traces[id]["spans"].([]object), span)
				}
			}
		}
	}
	b, err := json.Marshal(object{"data": all})
	require.NoError(t, err)
	return string(b)
}

func jaegerLogs(s ptrace.Span, tags func(pcommon.Map) []map[string]any) []map[string]any {
	logs := []map[string]any{}
	for _, e := range s.Events().All() {
		fields := append(tags(e.Attributes()), map[string]any{"key": "event", "type": "string", "value": e.Name()})
		logs = append(logs, map[string]any{"timestamp": e.Timestamp() / 1000, "fields": fields})
	}
	return logs
}

// A trace scores the same wherever it was recorded.
func TestBackends(t *testing.T) {
	for _, name := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			text := readFile(t, name)
			want := anywhere(command("", "-config", demo, "-format", "json", "-values", name))
			require.NotEqual(t, exitUsage, want.code)
			assert.Equal(t, want, anywhere(command(jaegerOf(t, text), "-config", demo, "-format", "json", "-values", "-")), "Jaeger")
			tempo := strings.ReplaceAll(text, `"resourceSpans"`, `"batches"`)
			assert.Equal(t, want, anywhere(command(tempo, "-config", demo, "-format", "json", "-values", "-")), "Tempo")
		})
	}
}

// Traces that others saved from Jaeger and Tempo score as their OTLP forms do, and have the calls that the eval sets beside them
// have.
func TestFilesOfOthers(t *testing.T) {
	for _, tc := range []struct {
		name, agent string
		calls       []any
		reason      string
	}{
		{"helm", "helm_agent", []any{call("helm_list_releases", map[string]any{})}, "one call without arguments"},
		{"helm_3", "helm_agent", []any{call("helm_list_releases", map[string]any{"all_namespaces": "true", "output": "json"})}, "one call with arguments"},
		{"k8s", "k8s_agent", []any{}, "the agent only answered"},
		{"tempo_export_with_batches", "helm_agent", []any{call("helm_list_releases", map[string]any{})}, "the scopes are lost, and the keys are ADK's"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join("testdata", "agentevals", tc.name+".json.gz")
			config := section(t, "metrics: {m: {native: {score: f1}}}\nexpectations: [{tools: [helm_list_releases]}]")
			want := command("", "-config", config, "-format", "json", "-values", file)
			require.NotEqual(t, exitUsage, want.code, want.stderr)
			var calls []any
			for _, row := range rowsIn(t, want.stdout) {
				if row["agent"] == tc.agent {
					calls = row["calls"].([]any)
				}
			}
			for _, c := range calls {
				for key := range c.(map[string]any) {
					if key != "name" && key != "arguments" {
						delete(c.(map[string]any), key)
					}
				}
			}
			assert.Equal(t, tc.calls, calls, tc.reason)
			for form, text := range formsOf(t, file) {
				assert.Equal(t, anywhere(want), anywhere(command(text, "-config", config, "-format", "json", "-values", "-")), form)
			}
		})
	}
}

func call(name string, arguments any) any {
	return map[string]any{"name": name, "arguments": arguments}
}

// formsOf is a file as OTLP, in the forms that the file exporter writes.
func formsOf(t *testing.T, name string) map[string]string {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	forms := map[string]string{}
	require.NoError(t, tracefile.Read(f, tracefile.Settings{
		Name: name, Fault: func(f *tracefile.Fault) { t.Error(f) },
		Traces: func(td ptrace.Traces) error {
			text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
			require.NoError(t, err)
			data, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
			require.NoError(t, err)
			forms["OTLP/JSON"] += string(text) + "\n"
			forms["OTLP protobuf"] += framed(string(data))
			return nil
		},
	}))
	return forms
}
