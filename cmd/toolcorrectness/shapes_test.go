package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A shape is a small input that was made after a public report of how somebody's telemetry has tool calls, with the runs that are wanted.
type shape struct {
	Source, What string
	Verdict      string // "arguable": nothing in the spans decides what is right
	Config       map[string]any
	Want         []wantedRun
	input        string
}

// wantedRun is what is wanted of a run. What is nil may be anything.
type wantedRun struct {
	Agent    *string
	Calls    []map[string]any
	Passed   *bool
	Complete *bool
	Status   *string `json:"metric_status"`
}

// openShapes are read wrong, each for a reason that is known. One that is read right must leave this list.
var openShapes = map[string]string{
	"36-quarkus-failed-tool-exception-only": "a failed call that is ignored is not among the calls of the output, as with 37, which is right",
}

// What people's telemetry looks like is read as the reports say that it should be.
func TestShapes(t *testing.T) {
	all := readShapes(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		if s.Verdict == "arguable" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			problem := s.problem(t)
			if reason, open := openShapes[name]; open {
				assert.NotEmpty(t, problem, "it is read as wanted now, and no longer open: %s", reason)
				return
			}
			assert.Empty(t, problem, "%s (%s)", s.What, s.Source)
		})
	}
	for name := range openShapes {
		require.Contains(t, all, name)
	}
}

// Calls that the provider made may be ignored, and those that a client made count all the same.
func TestHostedCallsMayBeIgnored(t *testing.T) {
	all := readShapes(t)
	for name, calls := range map[string]int{"11-ai-sdk7-hosted-mcp": 0, "13-pydantic-ai-builtin-tool": 0, "16-agent-framework-net-loop-in-chat": 1} {
		s := all[name]
		s.Config["calls"] = map[string]any{"hosted": "ignore"}
		s.Want[0].Calls, s.Want[0].Passed = s.Want[0].Calls[:calls], nil
		assert.Empty(t, s.problem(t), name)
	}
}

func readShapes(t *testing.T) map[string]*shape {
	t.Helper()
	all := map[string]*shape{}
	eachFile(t, "shapes.tar.gz", func(file string, data []byte) {
		name, kind, _ := strings.Cut(file, ".")
		if all[name] == nil {
			all[name] = &shape{}
		}
		if kind == "otlp.jsonl" {
			all[name].input = string(data)
		} else {
			require.NoError(t, json.Unmarshal(data, all[name]), file)
		}
	})
	return all
}

// eachFile reads the files of an archive in testdata.
func eachFile(t *testing.T, archive string, read func(name string, data []byte)) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", archive))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	files := tar.NewReader(z)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		data, err := io.ReadAll(files)
		require.NoError(t, err)
		read(header.Name, data)
	}
}

// problem says which wanted run is missing, or which run is too many.
func (s *shape) problem(t *testing.T) string {
	t.Helper()
	config := filepath.Join(t.TempDir(), "config.yaml")
	section, err := json.Marshal(map[string]any{"processors": map[string]any{"tool_correctness": s.Config}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(config, section, 0o600))
	out := command(s.input, "-config", config, "-format", "json", "-values", "-allow-empty", "-")
	require.NotEqual(t, exitUsage, out.code, out.stderr)
	var got []map[string]any // lines of the native metric, one for each run
	for line := range strings.Lines(out.stdout) {
		var run map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &run))
		if metric := run["metric"]; metric == "tool_correctness" || metric == "" {
			got = append(got, run)
		}
	}
	for i := range s.Want {
		at := slices.IndexFunc(got, s.Want[i].fits)
		if at < 0 {
			return "no run as wanted: " + asJSON(t, s.Want[i]) + "; there are " + asJSON(t, got)
		}
		got = slices.Delete(got, at, at+1)
	}
	if len(got) > 0 {
		return "too many runs: " + asJSON(t, got)
	}
	return ""
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// fits reports whether a run is as wanted.
func (w *wantedRun) fits(run map[string]any) bool {
	calls, _ := run["calls"].([]any)
	if w.Agent != nil && *w.Agent != run["agent"] || w.Passed != nil && *w.Passed != run["passed"] || w.Complete != nil && *w.Complete != run["complete"] ||
		w.Status != nil && *w.Status != run["status"] || len(calls) != len(w.Calls) {
		return false
	}
	for i, want := range w.Calls {
		call, _ := calls[i].(map[string]any)
		for key, value := range want {
			if !reflect.DeepEqual(value, call[key]) {
				return false
			}
		}
	}
	return true
}
