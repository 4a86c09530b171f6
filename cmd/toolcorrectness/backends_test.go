package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/tracefile"
)

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
