package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

// A commandRow of testdata/commands is a command line, or several, and what the last one leaves. They run in a folder of their own, in which
// repo is this repository and testdata that of this package.
type commandRow struct {
	Reason         string
	Config         map[string]yaml.Node // the processor's section in config.yaml
	Files, Env     map[string]string
	Stdin          string
	Run            texts
	Exit           int
	Stdout, Stderr texts            // what is said there, among other texts; "" is nothing
	Hides          texts            // what is not said there
	Rows           []map[string]any // those of standard output in JSON, which may have more keys
}

// texts are one text, or a list of them.
type texts []string

func (x *texts) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.SequenceNode {
		return node.Decode((*[]string)(x))
	}
	*x = texts{node.Value}
	return nil
}

// play runs command lines in a folder with these files, and returns what the last one leaves.
func play(t *testing.T, files, env map[string]string, stdin string, lines ...[]string) (got result) {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink(filepath.Join(here, "..", ".."), "repo"))
	require.NoError(t, os.Symlink(filepath.Join(here, "testdata"), "testdata"))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Clean(name), []byte(text), 0o600))
	}
	for name, value := range env {
		t.Setenv(name, value)
	}
	for _, args := range lines {
		got = command(stdin, args...)
	}
	return got
}

// Command lines say and return what their rows have.
func TestCommands(t *testing.T) {
	names, err := filepath.Glob("testdata/commands/*.yaml")
	require.NoError(t, err)
	require.Len(t, names, 8)
	for _, name := range names {
		for _, row := range testrows.Read[commandRow](t, name) {
			t.Run(filepath.Base(name)+" "+row.Reason+" "+row.Run[0], func(t *testing.T) { row.test(t) })
		}
	}
}

func (row commandRow) test(t *testing.T) {
	if row.Config != nil {
		text, err := yaml.Marshal(map[string]any{"processors": map[string]any{"tool_correctness": row.Config}})
		require.NoError(t, err)
		if row.Files == nil {
			row.Files = map[string]string{}
		}
		row.Files["config.yaml"] = string(text)
	}
	var lines [][]string
	for _, line := range row.Run {
		lines = append(lines, strings.Fields(line))
	}
	got := play(t, row.Files, row.Env, row.Stdin, lines...)
	assert.Equal(t, row.Exit, got.code, got.stderr)
	says(t, row.Stdout, got.stdout)
	says(t, row.Stderr, got.stderr)
	for _, text := range row.Hides {
		assert.NotContains(t, got.stdout, text)
	}
	if row.Rows != nil {
		var want []map[string]any
		require.NoError(t, json.Unmarshal([]byte(asJSON(t, row.Rows)), &want)) // numbers as JSON has them
		assert.True(t, slices.EqualFunc(want, rowsIn(t, got.stdout), isAs), got.stdout)
	}
	if strings.Contains(got.stderr, "nothing was judged") {
		assert.Equal(t, result{exitPassed, got.stdout, got.stderr}, command(row.Stdin, append(lines[0], "-allow-empty")...), "-allow-empty lets it pass and says the same")
	}
}

// says asserts that a text has all parts, or that it is empty if that is the part.
func says(t *testing.T, parts texts, text string) {
	t.Helper()
	for _, part := range parts {
		if part == "" {
			assert.Empty(t, text)
		}
		assert.Contains(t, text, part)
	}
}
