package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
)

var schemaCommand = subcommand{
	name: "schema", short: "print the JSON Schema of the configuration",
	long: `Print a JSON Schema, as YAML, of the processor's section: the keys below
tool_correctness: in a collector configuration. Editors use it to complete keys and to check them.`,
	example: `exit codes: 0 printed; 2 wrong use.
example:
  toolcorrectness schema > config.schema.yaml
and in an editor with the YAML language server, at the top of a file with that section alone:
  # yaml-language-server: $schema=config.schema.yaml`,
	prepare: prints(toolcorrectnessprocessor.Schema),
}

var versionCommand = subcommand{
	name: "version", short: "print the version",
	long:    "Print the version of this command, of the Collector's libraries in it, and of Go.",
	example: "exit codes: 0 printed; 2 wrong use.\nexample:\n  toolcorrectness version",
	prepare: prints(func() string { return version() + "\n" }),
}

// prints is for a command that prints a text and takes nothing.
func prints(text func() string) func(*flag.FlagSet) action {
	return func(*flag.FlagSet) action {
		return func(_ context.Context, s streams, args []string) error {
			if err := noFiles(args); err != nil {
				return err
			}
			_, err := io.WriteString(s.out, text())
			return err
		}
	}
}

// noFiles is an error if there are files.
func noFiles(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("takes no files beside its flags, was given %q", args[0])
	}
	return nil
}

// released is the version of a release, which make release sets.
var released string

// version says which version was built. A build that is no release has that of its commit.
func version() string {
	own, collector := released, "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		own = cmp.Or(own, info.Main.Version)
		for _, dep := range info.Deps {
			if dep.Path == "go.opentelemetry.io/collector/processor" {
				collector = dep.Version
			}
		}
	}
	return fmt.Sprintf("toolcorrectness %s, Collector %s, %s %s/%s", cmp.Or(own, "(devel)"), collector, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
