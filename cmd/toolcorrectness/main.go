package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
)

// The exit codes are a contract.
const (
	exitPassed = iota
	exitFailed
	exitUsage
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// errGate says that the runs are not good enough, or that there were none. Its text is for people.
type errGate struct{ error }

// A subcommand is one word of the command line, with its help.
type subcommand struct {
	name, short, long string
	usage             string // the command line, behind the program's name
	example           string
	noFiles           bool // whether it takes flags only
	// prepare declares the flags. What it returns runs when they are parsed, with the arguments that are no flags.
	prepare func(f *flag.FlagSet) action
}

// An action is a command whose flags are parsed.
type action func(ctx context.Context, s streams, args []string) error

// commands are all of them. The first one may be left out.
var commands = []subcommand{scoreCommand, listCommand, watchCommand, validateCommand, suggestCommand, importCommand, trendCommand, schemaCommand, versionCommand}

// streams are the standard input and outputs.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// say writes a line for people.
func (s streams) say(format string, args ...any) {
	fmt.Fprintf(s.err, "toolcorrectness: "+format+"\n", args...)
}

// run carries a command line out and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := streams{stdin, stdout, stderr}
	c, rest, named := commands[0], args, false
	for _, other := range commands {
		if len(args) > 0 && args[0] == other.name {
			c, rest, named = other, args[1:], true
		}
	}
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	start := c.prepare(flags)
	files, err := parse(flags, rest)
	switch {
	case err != nil:
	case c.noFiles && len(files) > 0:
		err = fmt.Errorf("takes no files beside its flags, was given %q", files[0])
	default:
		err = start(context.Background(), s, files)
	}
	if errors.Is(err, errNoConfig) && !named && len(files) > 0 && files[0] != stdinName {
		if _, missing := os.Stat(expanded(files)[0]); missing != nil {
			err = fmt.Errorf("%q is neither a file nor a command; -h lists the commands", files[0])
		}
	}
	switch {
	case err == nil:
		return exitPassed
	case errors.Is(err, flag.ErrHelp):
		c.help(stdout, flags, !named)
		return exitPassed
	}
	s.say("%v", err)
	if errors.As(err, new(errGate)) {
		return exitFailed
	}
	return exitUsage
}

// parse parses flags that may stand before, between and behind the files, and returns the files. All words behind -- are files.
func parse(f *flag.FlagSet, args []string) (files []string, err error) {
	for {
		if err := f.Parse(args); err != nil {
			return nil, err
		}
		rest := f.Args()
		if len(rest) == 0 {
			return files, nil
		}
		if parsed := len(args) - len(rest); parsed > 0 && args[parsed-1] == "--" {
			return append(files, rest...), nil
		}
		files, args = append(files, rest[0]), rest[1:]
	}
}

// help prints what a command does. It fits a screen.
func (c *subcommand) help(w io.Writer, flags *flag.FlagSet, whole bool) {
	fmt.Fprintf(w, "%s\n\nusage: toolcorrectness %s\n", c.long, c.usage)
	line := func(name, text string) { fmt.Fprintf(w, "  %-16s %s\n", name, text) }
	before := "\n"
	flags.VisitAll(func(f *flag.Flag) {
		kind, text := flag.UnquoteUsage(f)
		fmt.Fprint(w, before)
		before = ""
		line(strings.TrimSpace("-"+f.Name+" "+kind), text)
	})
	if whole {
		fmt.Fprintln(w, "\ncommands (-h after a command explains it):")
		for _, other := range commands {
			line(other.name, other.short)
		}
	}
	fmt.Fprintf(w, "\n%s\n", c.example)
}

// output calls write with a new file of that name, or with standard output if the name is empty.
func (s streams) output(name string, write func(io.Writer) error) error {
	if name == "" {
		return write(s.out)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

var schemaCommand = subcommand{
	name: "schema", short: "print the JSON Schema of the configuration", usage: "schema", noFiles: true,
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
	name: "version", short: "print the version", usage: "version", noFiles: true,
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
