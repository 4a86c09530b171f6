package toolcorrectnessprocessor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// What a tool of a configuration is compared with: arguments as YAML has them, with types of numbers, digits and order of keys. What is kept
// for that of a run's calls. And forms of configurations that mean the same.
func TestSettings(t *testing.T) {
	for _, row := range testrows.Read[struct {
		Reason            string
		Config, Same      section
		Arguments, Output string // of the first tool
		Count             *scoring.Count
		Keeps             []string // arguments and outputs, if a metric compares them
	}](t, "testdata/config/settings.yaml") {
		t.Run(row.Reason, func(t *testing.T) {
			set := settingsOf(t, string(row.Config))
			switch {
			case row.Same != "":
				a, b := mustLoad(t, string(row.Config)), mustLoad(t, string(row.Same))
				assert.Equal(t, b, a)
				assert.Equal(t, b.fingerprint(), a.fingerprint())
			case row.Count != nil:
				assert.Equal(t, *row.Count, set.Expectations[0].Expected.Tools()[0].Count)
			case row.Keeps != nil:
				assert.Equal(t, slices.Contains(row.Keeps, "arguments"), set.Run.KeepArguments, "arguments")
				assert.Equal(t, slices.Contains(row.Keeps, "output"), set.Run.KeepOutput, "output")
			default:
				tool := set.Expectations[0].Expected.Tools()[0]
				assert.Equal(t, row.Arguments, string(tool.Arguments.AppendJSON(nil)))
				assert.Equal(t, row.Output, string(tool.Output.AppendJSON(nil)))
			}
		})
	}
}

// What is stated but never compared, never met or never fails is a warning. There is none where that is not so.
func TestWarnings(t *testing.T) {
	for _, row := range testrows.Read[struct {
		Reason   string
		Config   section
		Warnings []string
	}](t, "testdata/config/warnings.yaml") {
		t.Run(row.Reason, func(t *testing.T) {
			assert.Equal(t, strings.Join(row.Warnings, "\n"), strings.Join(settingsOf(t, string(row.Config)).Warnings, "\n"))
		})
	}
}

// Backends keep the fingerprint on spans for long, so it must not change between releases. Configurations that judge differently have
// different ones.
func TestFingerprint(t *testing.T) {
	seen := map[string]section{}
	for _, row := range testrows.Read[struct {
		Config      section
		Fingerprint string
	}](t, "testdata/config/fingerprints.yaml") {
		assert.Equal(t, row.Fingerprint, mustLoad(t, string(row.Config)).fingerprint(), "it changed for %s", row.Config)
		assert.Empty(t, seen[row.Fingerprint], "the fingerprint of %s is that of another", row.Config)
		seen[row.Fingerprint] = row.Config
		for range 4 {
			assert.Equal(t, row.Fingerprint, settingsOf(t, string(row.Config)).Fingerprint, "it is the same each time")
		}
	}
}

// A warning about the native method is true of every run. Without a warning, it would be false for some run.
func TestWarningsAreTrue(t *testing.T) {
	runs, recall := someRuns(), settingsOf(t, "expectations: [{tools: [a]}]").Metrics[0].Method
	for i, options := range nativeOptions() {
		if testing.Short() && i%7 != 0 { // every option of each kind is among these
			continue
		}
		for _, tools := range []string{
			`[]`, `[{name: a, optional: true}]`, `[{name: a, count: {min: 0}}]`, `[a]`, `[{name: "*", optional: true}, a]`, `[{name: "*", count: {min: 0, max: 2}}]`,
			`[{name: a, count: {min: 1, max: 2}}]`, `[{name: a, count: {max: 3}}, b]`, `[b, {name: a, count: {min: 0, max: 1}}, a]`, `[{name: a, count: {min: 2, max: 2}}]`,
		} {
			yaml := fmt.Sprintf(`{metrics: {m: {native: {%s}}}, expectations: [{tools: %s}]}`, options, tools)
			set := settingsOf(t, yaml)
			warned := strings.Join(set.Warnings, "\n")
			method, expected := set.Metrics[0].Method, set.Expectations[0].Expected
			if tools != `[{name: "*", count: {min: 0, max: 2}}]` { // where more calls cost precision, it may take longer runs to fail
				passes := !slices.ContainsFunc(runs, func(calls []scoring.Call) bool { return !method.Judge(expected, calls).Passed })
				assert.Equal(t, passes && recall.Judge(expected, []scoring.Call{}).Score == 1, strings.Contains(warned, "passes whatever is called"), yaml)
			}
			if strings.Contains(warned, "with extra_calls: forbid it would not") {
				strict := settingsOf(t, strings.Replace(yaml, "extra_calls: allow", "extra_calls: forbid", 1))
				assert.True(t, slices.ContainsFunc(runs, func(calls []scoring.Call) bool { return !strict.Metrics[0].Method.Judge(expected, calls).Passed }), yaml)
			}
		}
	}
}

// nativeOptions returns all combinations of options on which warnings depend.
func nativeOptions() (all []string) {
	for _, order := range scoring.Words[scoring.Order]() {
		for _, score := range scoring.Words[scoring.Measure]() {
			for _, extra := range scoring.Words[scoring.ExtraCalls]() {
				for _, threshold := range []string{"0", "0.5", "1"} {
					all = append(all, fmt.Sprintf("order: %s, score: %s, extra_calls: %s, threshold: %s", order, score, extra, threshold))
				}
			}
		}
	}
	return all
}

// someRuns returns all runs of up to 5 calls of three tools.
func someRuns() [][]scoring.Call {
	runs := [][]scoring.Call{{}}
	for from, length := 0, 1; length <= 5; length++ {
		to := len(runs)
		for _, run := range runs[from:to] {
			for _, name := range []string{"a", "b", "z"} {
				runs = append(runs, append(slices.Clone(run), scoring.Call{Name: name}))
			}
		}
		from = to
	}
	return runs
}
