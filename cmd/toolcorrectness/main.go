package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// run carries a command line out and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	c := newRoot()
	c.SetArgs(doubleDashes(args))
	c.SetIn(stdin)
	c.SetOut(stdout)
	c.SetErr(stderr)
	err := c.ExecuteContext(context.Background())
	if err == nil {
		return exitPassed
	}
	var missing errMissing
	if errors.As(err, &missing) && len(args) > 0 && args[0] == string(missing) {
		if near := c.SuggestionsFor(args[0]); len(near) > 0 { // the first word may be a command
			err = fmt.Errorf("%w; did you mean the command %s?", err, near[0])
		}
	}
	fmt.Fprintln(stderr, "toolcorrectness:", err)
	if errors.As(err, new(errGate)) {
		return exitFailed
	}
	return exitUsage
}

// newRoot returns the whole command. Without the name of a subcommand, it scores.
func newRoot() *cobra.Command {
	c := newScore("toolcorrectness [score]")
	c.AddCommand(newScore("score"), newValidate(), newSuggest(), newImport(), newSchema(), newVersion(), newCompletion(), newMan())
	c.SilenceErrors, c.SilenceUsage, c.SuggestionsMinimumDistance = true, true, 2
	c.CompletionOptions.DisableDefaultCmd = true // newCompletion replaces it
	c.SetHelpCommand(&cobra.Command{Use: "no-help", Hidden: true})
	c.SetHelpFunc(help)
	c.SetFlagErrorFunc(singleDashes)
	return c
}

// doubleDashes rewrites flags for the library, where long ones begin with two dashes; the command also accepts one.
func doubleDashes(args []string) []string {
	doubled := make([]string, len(args))
	for i, arg := range args {
		if arg == "--" { // the rest are files
			copy(doubled[i:], args[i:])
			break
		}
		if len(arg) > 2 && arg[0] == '-' && unicode.IsLetter(rune(arg[1])) {
			arg = "-" + arg
		}
		doubled[i] = arg
	}
	return doubled
}

// singleDashes reports a wrong flag in the form that the help shows.
func singleDashes(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		return fmt.Errorf("-%s must be a %s, is %q", invalid.GetFlag().Name, kinds[invalid.GetFlag().Value.Type()], invalid.GetValue())
	case errors.As(err, &unknown):
		return fmt.Errorf("there is no flag -%s%s; -h lists them", unknown.GetSpecifiedName(), nearFlag(c, unknown.GetSpecifiedName()))
	}
	return errors.New(strings.ReplaceAll(err.Error(), " --", " -"))
}

// nearFlag finds the flag that was probably meant. The library compares names of commands, so it gets the flags as commands.
func nearFlag(c *cobra.Command, name string) string {
	flags := &cobra.Command{SuggestionsMinimumDistance: 2}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	if near := flags.SuggestionsFor(name); len(near) > 0 {
		return fmt.Sprintf(" (did you mean -%s?)", near[0])
	}
	return ""
}

// kinds are the types of flags in words.
var kinds = map[string]string{"float64": "number", "bool": "boolean"}
