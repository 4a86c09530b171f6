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

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
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

// What people reported has the outcome that they want.
func TestPublicReports(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "reports.jsonl.gz"))
	require.NoError(t, err)
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	openReports, unplayed, played := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, row := range testrows.Read[struct {
		Name, Reason string
		Unplayed     bool
	}](t, "testdata/reports-open.yaml") {
		if unplayed[row.Name] = row.Unplayed; !row.Unplayed {
			openReports[row.Name] = row.Reason
		}
	}
	for lines := json.NewDecoder(unzipped); ; {
		var r publicReport
		err := lines.Decode(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.NotContains(t, played, r.Name)
		require.False(t, unplayed[r.Name])
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
