package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// The verdicts on all recordings under every example are pinned, so that a change that should not change any is seen to
// change none. Each file of testdata/pins has the JSON lines of one example, behind the name of the recording.
func TestVerdictsOnRecordings(t *testing.T) {
	inputs := pinnedInputs(t)
	for _, example := range pinnedExamples(t) {
		t.Run(example.name, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			for _, in := range inputs {
				for _, line := range pinnedLines(t, in, example) {
					got.WriteString(in.name + "\t" + line)
				}
			}
			file := filepath.Join("testdata", "pins", example.name+".tsv.gz")
			if *update {
				require.NoError(t, os.WriteFile(file, zipped(t, got.String()), 0o644))
			}
			want := linesOf(unzipped(t, file), inputs)
			if want != got.String() {
				assert.Empty(t, firstDifference(want, got.String()), "the first line that differs; -update writes the new ones, and the difference is to be read")
			}
		})
	}
}

// pinnedLines are lines with the values of all calls. Their reasons are those of the lines without -values, which most users see.
func pinnedLines(t *testing.T, in pinnedInput, example pinnedExample) []string {
	t.Helper()
	args := append(slices.Clone(example.args), "-format", "json", "-")
	private, shown := command(in.json, args...), command(in.json, append(args, "-values")...)
	require.NotEqual(t, exitUsage, private.code, "%s: %s", in.name, private.stderr)
	require.Equal(t, private.code, shown.code, "%s: %s", in.name, shown.stderr)
	lines, reasons := slices.Collect(strings.Lines(shown.stdout)), slices.Collect(strings.Lines(private.stdout))
	require.Len(t, reasons, len(lines), in.name)
	for i := range lines {
		lines[i] = withoutCase.ReplaceAllString(strings.TrimSuffix(lines[i], "\n"), "}") + "\n"
		lines[i] = strings.Replace(lines[i], reasonIn(t, lines[i]), reasonIn(t, reasons[i]), 1)
	}
	return lines
}

// withoutCase finds the last fields, which the pinned lines do not have: no example has a case for a recording, when a run began is
// that of its span, and what was rejected is known to TestRejectedRequestsOfRecordings.
var withoutCase = regexp.MustCompile(`,"case":""(,"started":"[^"]*")?(,"rejected":\[[^\]]*\])?}$`)

// reasonIn is the key and the value of the reason of a line.
func reasonIn(t *testing.T, line string) string {
	t.Helper()
	var row struct{ Reason json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(line), &row), line)
	return `"reason":` + string(row.Reason)
}

type pinnedExample struct {
	name string
	args []string
}

// pinnedExamples has one for each processor of each example.
func pinnedExamples(t *testing.T) (all []pinnedExample) {
	t.Helper()
	files, err := filepath.Glob("../../examples/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		conf, err := confmaptest.LoadConf(file)
		require.NoError(t, err)
		processors, err := conf.Sub("processors")
		require.NoError(t, err)
		for id := range processors.ToStringMap() {
			if kind, name, _ := strings.Cut(id, "/"); kind == "tool_correctness" {
				all = append(all, pinnedExample{
					name: strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".yaml")+"-"+name, "-"),
					args: []string{"-config", file, "-processor", id},
				})
			}
		}
	}
	require.NotEmpty(t, all)
	return all
}

type pinnedInput struct{ name, json string }

// pinnedInputs are all recordings of the repository, or every 24th with -short.
func pinnedInputs(t *testing.T) (all []pinnedInput) {
	t.Helper()
	for _, file := range recordings(t) {
		all = append(all, pinnedInput{filepath.Base(file), readFile(t, file)})
	}
	var m ptrace.JSONMarshaler
	for _, library := range corpus.Libraries(t) {
		for _, scenario := range library.Scenarios {
			var lines strings.Builder
			for _, request := range scenario.Requests {
				line, err := m.MarshalTraces(request)
				require.NoError(t, err)
				lines.Write(append(line, '\n'))
			}
			all = append(all, pinnedInput{library.Name + "/" + scenario.Name, lines.String()})
		}
	}
	if testing.Short() && !*update {
		var some []pinnedInput
		for i := 0; i < len(all); i += 24 {
			some = append(some, all[i])
		}
		return some
	}
	return all
}

// linesOf are the lines of these recordings.
func linesOf(pinned string, inputs []pinnedInput) string {
	wanted := make(map[string]bool, len(inputs))
	for _, in := range inputs {
		wanted[in.name] = true
	}
	var b strings.Builder
	for line := range strings.Lines(pinned) {
		if name, _, _ := strings.Cut(line, "\t"); wanted[name] {
			b.WriteString(line)
		}
	}
	return b.String()
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	require.NoError(t, err)
	_, err = io.WriteString(z, text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func unzipped(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}

// firstDifference are the first lines in which two texts differ, or "".
func firstDifference(want, got string) string {
	pinned, lines := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(pinned), len(lines)) {
		if pinned[i] != lines[i] {
			return fmt.Sprintf("line %d\npinned: %s\n   now: %s", i+1, pinned[i], lines[i])
		}
	}
	if len(pinned) != len(lines) {
		return fmt.Sprintf("%d lines are pinned, and there are %d now", len(pinned), len(lines))
	}
	return ""
}
