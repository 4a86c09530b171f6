package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A metricCase is a configuration and an input that were made after a public report of what people want from a metric, the commands that
// read them, and the outcome that is wanted of the last one.
type metricCase struct {
	Source, What string
	Env          map[string]string
	Commands     [][]string
	Exit         *int
	Says         string // on standard error or standard output
	Runs         []map[string]any
	files        map[string][]byte
}

// openMetrics are not as wanted, each for a reason that is known. One that is as wanted must leave this list.
var openMetrics = map[string]string{
	"29-feature-gate-in-the-dry-run":       "the command has no feature gates",
	"31-mlflow-toolset-wrapper":            "the wrappers of MLflow's toolsets are taken for calls",
	"33-tool-weights":                      "tools have no weights; two metrics with thresholds of their own say it",
	"45-goldens-with-one-input":            "import does not say that the second of two cases with one key is never met",
	"51-variable-that-looks-like-a-number": "a variable that YAML reads as a number is no text",
	"63-storage-in-two-pipelines":          "validate does not count the pipelines of a processor with storage",
	"71-ids-that-contradict":               "nothing says that two calls with the ID of one span contradict each other",
}

// What people ask of a metric has the outcome that the reports want.
func TestMetricCases(t *testing.T) {
	all := map[string]*metricCase{}
	eachFile(t, "metrics.tar.gz", func(file string, data []byte) {
		name, kind, _ := strings.Cut(file, ".")
		if all[name] == nil {
			all[name] = &metricCase{files: map[string][]byte{}}
		}
		if kind == "want.json" {
			require.NoError(t, json.Unmarshal(data, all[name]), file)
		} else {
			all[name].files[file] = data
		}
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		t.Run(name, func(t *testing.T) {
			problem := c.problem(t)
			if reason, open := openMetrics[name]; open {
				assert.NotEmpty(t, problem, "it is as wanted now, and no longer open: %s", reason)
				return
			}
			assert.Empty(t, problem, "%s (%s)", c.What, c.Source)
		})
	}
	for name := range openMetrics {
		require.Contains(t, all, name)
	}
}

// problem says what is not as wanted.
func (c *metricCase) problem(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range c.files {
		require.NoError(t, os.WriteFile(filepath.Clean(name), data, 0o600))
	}
	for name, value := range c.Env {
		t.Setenv(name, value)
	}
	var out result
	for _, args := range c.Commands {
		out = command("", args...)
	}
	said := out.stderr + out.stdout
	switch {
	case c.Exit != nil && *c.Exit != out.code, c.Exit == nil && out.code == exitUsage:
		return "the exit code is " + asJSON(t, out.code) + ": " + said
	case !strings.Contains(said, c.Says):
		return "it does not say " + c.Says + ": " + said
	case c.Runs == nil:
		return ""
	}
	var got []map[string]any
	for line := range strings.Lines(out.stdout) {
		var run map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &run))
		got = append(got, run)
	}
	for _, want := range c.Runs {
		at := slices.IndexFunc(got, func(run map[string]any) bool {
			for key, value := range want {
				if run[key] != value {
					return false
				}
			}
			return true
		})
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
