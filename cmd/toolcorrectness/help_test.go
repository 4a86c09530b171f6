package main

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

// The help of each command fits a screen, and says how it is called.
func TestHelp(t *testing.T) {
	for _, row := range testrows.Read[struct {
		Run   string
		Words []string
	}](t, "testdata/helps.yaml") {
		t.Run(row.Run, func(t *testing.T) {
			got := ends(t, exitPassed, "", strings.Fields(row.Run)...)
			assert.Empty(t, got.stderr)
			assert.LessOrEqual(t, strings.Count(got.stdout, "\n"), 40, "lines of a screen")
			for line := range strings.Lines(got.stdout) {
				assert.LessOrEqual(t, len(line), 101, line)
			}
			for _, word := range row.Words {
				assert.Contains(t, got.stdout, word)
			}
			assert.NotContains(t, got.stdout, "--")
			assert.Contains(t, got.stdout, "\nusage: toolcorrectness")
		})
	}
}

// Every example that a help shows works, from the top of the repository.
func TestExamplesInHelp(t *testing.T) {
	t.Chdir("../..")
	shown := 0
	for name, want := range map[string]int{"": exitFailed, "score": exitFailed, "list": exitPassed, "validate": exitPassed, "suggest": exitPassed, "import": exitPassed, "schema": exitPassed, "version": exitPassed} {
		args := []string{"-h"}
		if name != "" {
			args = []string{name, "-h"}
		}
		_, examples, found := strings.Cut(command("", args...).stdout, "\nexample")
		require.True(t, found, name)
		for line := range strings.Lines(examples) {
			_, example, is := strings.Cut(line, "toolcorrectness ")
			if !is || strings.HasPrefix(line, " #") {
				continue
			}
			shown++
			got := command("", words(strings.ReplaceAll(example, "'", ""))...) // as a shell does
			assert.Equal(t, want, got.code, "%s: %s", line, got.stderr)
			assert.NotEmpty(t, got.stdout, line)
		}
	}
	assert.GreaterOrEqual(t, shown, 7)
}

// words returns the arguments that a shell passes to a command, but for patterns, which the command expands too.
func words(example string) (args []string) {
	for word := range strings.FieldsSeq(strings.NewReplacer(")", " ").Replace(example)) {
		if word == ">" || word == "|" {
			break
		}
		args = append(args, word)
	}
	return args
}

func TestSchema(t *testing.T) {
	assert.Equal(t, result{exitPassed, readFile(t, "../../config.schema.yaml"), ""}, command("", "schema"))
}

// docs/command.md has every command and every flag.
func TestDocumentedCommands(t *testing.T) {
	text := readFile(t, "../../docs/command.md")
	for _, c := range commands {
		assert.Contains(t, text, c.name)
		f := flag.NewFlagSet(c.name, flag.ContinueOnError)
		c.prepare(f)
		f.VisitAll(func(f *flag.Flag) { assert.Contains(t, text, "-"+f.Name, c.name) })
	}
}
