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
	name: "schema", short: "print the JSON Schema of the configuration", noFiles: true,
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
	name: "version", short: "print the version", noFiles: true,
	long:    "Print the version of this command, of the Collector's libraries in it, and of Go.",
	example: "exit codes: 0 printed; 2 wrong use.\nexample:\n  toolcorrectness version",
	prepare: prints(func() string { return version() + "\n" }),
}

// prints is for a command that prints a text.
func prints(text func() string) func(*flag.FlagSet) action {
	return func(*flag.FlagSet) action {
		return func(_ context.Context, s streams, _ []string) error {
			_, err := io.WriteString(s.out, text())
			return err
		}
	}
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
