package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A publicReport is what somebody wrote in public about scores, or about how telemetry has tool calls: files that were made after it,
// commands that read them, and what is wanted of the last one.
type publicReport struct {
	Name, Source, What string
	Files, Env         map[string]string
	Commands           [][]string
	Exit               *int   // nil: any but that of a wrong use
	Says               string // on standard error or standard output
	Runs               []map[string]any
}

// openReports have not the outcome that is wanted, each for a reason that is known. One that has it must leave this list.
var openReports = map[string]string{
	"29-feature-gate-in-the-dry-run":        "this release of OTTL has no function that takes a lambda, in the collector as in the command",
	"33-tool-weights":                       "tools have no weights: two metrics with thresholds of their own say it",
	"36-quarkus-failed-tool-exception-only": "a failed call that is ignored is not among the calls of the output, as with 37, which is right",
}

// unplayedReports are not in the archive.
var unplayedReports = map[string]string{
	"23-smolagents-orphan-tools":            "nothing in the spans decides what is right: each tool is the root of a trace of its own",
	"45-mcp-gateway-linked-trace":           "nothing in the spans decides what is right: a link from another trace and process",
	"49-spring-ai-tool-without-parent":      "nothing in the spans decides what is right: a tool that is the root of a trace of its own",
	"79-kagent-controller-beside-its-agent": "nothing in the spans decides what is right: the agent's parent is not in the export",
	"60-gauges-of-two-processors":           "needs a collector: internal/e2e, TestTwoProcessorsInOnePipeline",
	"62-one-processor-in-two-pipelines":     "needs a collector, which makes an instance for each pipeline: internal/e2e, TestTwoProcessorsInOnePipeline has two",
	"64-storage-folder":                     "is about the storage extension: processor, TestStartFailsWithoutAStorageThatCanBeRead",
	"65-storage-of-a-renamed-processor":     "nothing can warn of a file that no component opens: docs/operations.md says to drain before",
	"66-span-after-the-decision":            "needs a clock: processor, TestCallArrivesTooLate",
	"68-telemetry-none-and-no-backend":      "is about the Collector: most collectors of internal/e2e have no telemetry, and internal/e2e/chaos refuses what they send",
	"70-invalid-utf8":                       "the input is no JSON: internal/dialect, hostile_test.go has texts that are not UTF-8",
	"73-reload-of-a-wrong-configuration":    "is the behaviour of the Collector itself: docs/getting-started.md says to validate before",
	"74-condition-fails-on-every-run":       "is about the log: processor, TestWhereFails",
}

// What people reported has the outcome that they want.
func TestPublicReports(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "reports.jsonl.gz"))
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	played := map[string]bool{}
	for lines := json.NewDecoder(unzipped); ; {
		var r publicReport
		err := lines.Decode(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.NotContains(t, played, r.Name)
		require.NotContains(t, unplayedReports, r.Name)
		played[r.Name] = true
		t.Run(r.Name, func(t *testing.T) {
			problem := r.problem(t)
			if reason, open := openReports[r.Name]; open {
				assert.NotEmpty(t, problem, "it is as wanted now, and no longer open: %s", reason)
				return
			}
			assert.Empty(t, problem, "%s (%s)", r.What, r.Source)
		})
	}
	for name := range openReports {
		require.Contains(t, played, name)
	}
}

// problem says what is not as wanted.
func (r *publicReport) problem(t *testing.T) string {
	t.Helper()
	out := play(t, r.Files, r.Env, "", r.Commands...)
	said := out.stderr + out.stdout
	switch {
	case r.Exit != nil && *r.Exit != out.code, r.Exit == nil && out.code == exitUsage:
		return "the exit code is " + asJSON(t, out.code) + ": " + said
	case !strings.Contains(said, r.Says):
		return "it does not say " + r.Says + ": " + said
	case r.Runs == nil:
		return ""
	}
	got := rowsIn(t, out.stdout)
	for _, want := range r.Runs {
		at := slices.IndexFunc(got, func(run map[string]any) bool { return isAs(want, run) })
		if at < 0 {
			return "no run as wanted: " + asJSON(t, want) + "; there are " + asJSON(t, got)
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

// isAs reports whether a run, or a call of it, has all that is wanted.
func isAs(want, got map[string]any) bool {
	for key, value := range want {
		calls, isList := value.([]any)
		if key != "calls" || !isList {
			if !reflect.DeepEqual(value, got[key]) {
				return false
			}
			continue
		}
		made, _ := got[key].([]any)
		if !slices.EqualFunc(calls, made, func(w, g any) bool { return isAs(w.(map[string]any), g.(map[string]any)) }) {
			return false
		}
	}
	return true
}
