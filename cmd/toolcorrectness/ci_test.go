package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// pipeline is what the examples for CI have in common: variables and shell commands.
type pipeline struct {
	variables map[string]string
	scripts   []string
}

// github reads the only job of a workflow.
func github(t *testing.T) pipeline {
	t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Env   map[string]string
			Steps []struct{ Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(readFile(t, "../../examples/ci/github-actions.yaml")), &workflow))
	require.Len(t, workflow.Jobs, 1)
	var p pipeline
	for _, job := range workflow.Jobs {
		p.variables = job.Env
		for _, step := range job.Steps {
			if step.Run != "" {
				p.scripts = append(p.scripts, step.Run)
			}
		}
	}
	return p
}

// gitlab reads the only job of a pipeline.
func gitlab(t *testing.T) pipeline {
	t.Helper()
	var jobs map[string]struct {
		Variables map[string]string
		Script    []string
	}
	require.NoError(t, yaml.Unmarshal([]byte(readFile(t, "../../examples/ci/gitlab-ci.yaml")), &jobs))
	require.Len(t, jobs, 1)
	var p pipeline
	for _, job := range jobs {
		p = pipeline{job.Variables, []string{strings.Join(job.Script, "\n")}}
	}
	return p
}

// play runs the pipeline in a folder that has this repository's files, and returns the exit code of its last command and what
// that printed.
func (p pipeline) play(t *testing.T, folder string, env ...string) (code int, output string) {
	t.Helper()
	for _, script := range p.scripts {
		c := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
		c.Dir, c.Env = folder, os.Environ()
		for name, value := range p.variables {
			c.Env = append(c.Env, name+"="+value)
		}
		c.Env = append(c.Env, env...)
		out, err := c.CombinedOutput()
		output = string(out)
		if code = c.ProcessState.ExitCode(); err != nil {
			break
		}
	}
	return code, output
}

// checkout is a folder with this repository's files, by links, so that a pipeline leaves nothing behind.
func checkout(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() != ".git" {
			require.NoError(t, os.Symlink(filepath.Join(root, e.Name()), filepath.Join(folder, e.Name())))
		}
	}
	return folder
}

// asCommand makes the test's own program execute a command line instead of the tests.
const asCommand = "TOOLCORRECTNESS_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// standInForGo is a folder with a program "go" that knows how to build this command alone. What it builds is the program of
// this test, so that nothing is compiled. It fails for any other package.
func standInForGo(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "command"), []byte("#!/bin/sh\n"+asCommand+"=1 exec '"+self+"' \"$@\"\n"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "go"), []byte(`#!/bin/sh
[ "$#" = 6 ] && [ "$1" = -C ] && [ -f "$2/go.mod" ] && [ "$3 $4" = "build -o" ] && [ "$6" = ./cmd/toolcorrectness ] || exit 1
exec cp '`+folder+`/command' "$5"
`), 0o700))
	return folder
}

// The examples for CI work unchanged. Their commands pass the demo's runs at its pass rate and fail at a higher one, and
// write reports in both cases.
func TestExamplesForCI(t *testing.T) {
	for name, p := range map[string]pipeline{"GitHub": github(t), "GitLab": gitlab(t)} {
		t.Run(name, func(t *testing.T) {
			rates := map[string]int{p.variables["PASS_RATE"]: exitPassed, "0.9": exitFailed}
			path := os.Getenv("PATH")
			if testing.Short() {
				delete(rates, "0.9") // each builds the command
				path = standInForGo(t) + string(os.PathListSeparator) + path
			}
			for rate, want := range rates {
				folder := checkout(t)
				// The variables that the service itself sets. The build is this repository's, behind the links.
				summary := filepath.Join(folder, "summary.md")
				source, err := filepath.Abs("../..")
				require.NoError(t, err)
				code, output := p.play(t, folder, "PATH="+path, "PASS_RATE="+rate, "RUNNER_TEMP="+t.TempDir(), "GITHUB_STEP_SUMMARY="+summary, "SOURCE="+source)
				assert.Equal(t, want, code, output)
				assert.Contains(t, readFile(t, filepath.Join(folder, "reports", "junit.xml")), "<testsuites")
				assert.Contains(t, readFile(t, filepath.Join(folder, "reports", "report.html")), "<!doctype html>")
				if name == "GitHub" {
					output = readFile(t, summary)
				}
				assert.Contains(t, output, "5 passed, 5 failed", "a person sees what happened")
			}
		})
	}
}
