package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/importer"
)

const importLong = `Make a configuration of the test cases of another tool: adk (eval sets of Google ADK),
agentevals (reference trajectories), azure (JSON lines with expected_actions), deepeval (goldens),
langsmith (examples), promptfoo (trajectory assertions of its tests), or tau2 (tasks of
tau2-bench). Each case becomes an expectation, or a line of a dataset. It applies to the runs
whose own span has its key in an attribute. The top lists parts that cannot be imported.`

const importExample = `A case of several turns has a key for each: ID/1, ID/2. A golden's key is its name, or its input.

exit codes: 0 imported; 1 there were no cases; 2 wrong use or unreadable input.
example, from the top of the repository:
  toolcorrectness import -from deepeval -key test.case.name internal/importer/testdata/goldens.json`

// importing is the command line of import.
type importing struct{ from, key, criteria, match, arguments, pointer, dataset, output string }

func newImport() *cobra.Command {
	o := &importing{}
	c := &cobra.Command{
		Use: "import", Short: "make a configuration of another tool's test cases", Long: importLong, Example: importExample,
		Annotations: map[string]string{usage: "toolcorrectness import -from FORMAT [FLAGS] FILES..."},
		Args:        cobra.ArbitraryArgs,
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.from, "from", "", "the `FORMAT`, one of those above (required)")
	f.StringVar(&o.key, "key", "", "the `ATTRIBUTE` that has a case's key; a single case needs none")
	f.StringVar(&o.criteria, "criteria", "", "adk: take the match type from `FILE`, a test_config.json")
	f.StringVar(&o.match, "match", "", "agentevals, azure: how lists are compared, a `MODE` of that tool")
	f.StringVar(&o.arguments, "arguments", "", "agentevals: the `MODE` in which arguments are compared")
	f.StringVar(&o.pointer, "pointer", "", "langsmith: the JSON `POINTER` to the expected tools of an example")
	f.StringVar(&o.dataset, "dataset", "", "write the cases to `FILE`, one a line, as a dataset")
	f.StringVarP(&o.output, "o", "o", "", "write to `FILE` and not to standard output")
	c.RunE = func(c *cobra.Command, args []string) error { return o.run(c, args) }
	return c
}

func (o *importing) run(c *cobra.Command, files []string) error {
	i := slices.IndexFunc(importer.Formats, func(f importer.Format) bool { return f.Name == o.from })
	switch {
	case i < 0:
		return fmt.Errorf("-from must be %s, is %q", formats(), o.from)
	case len(files) == 0:
		return errors.New("no files: name the files with test cases")
	case o.criteria != "" && o.from != "adk":
		return errors.New("-criteria is for -from adk")
	case o.pointer != "" && o.from != "langsmith":
		return errors.New("-pointer is for -from langsmith")
	case o.dataset != "" && o.key == "":
		return errors.New("-dataset needs -key: the attribute that has the key of a run's case")
	}
	if o.dataset != "" && importer.Formats[i].Mixed() {
		return fmt.Errorf("-dataset is not for -from %s: each assertion has a metric of its own", o.from)
	}
	format, set := importer.Formats[i], &importer.Set{Match: o.match, Arguments: o.arguments, Pointer: o.pointer, File: o.dataset}
	if err := errors.Join(oneOf("-match", o.match, format.Matches), oneOf("-arguments", o.arguments, format.Arguments)); err != nil {
		return err
	}
	if err := o.read(set, format, files); err != nil {
		return err
	}
	switch {
	case len(set.Cases) == 0:
		return errGate{errors.New("there are no cases with expected tools: " + strings.Join(set.Notes(), ", "))}
	case set.Keys() > 1 && o.key == "":
		return fmt.Errorf("there are %d cases: -key must name the attribute that has the key of a run's case", set.Keys())
	}
	for _, note := range set.Notes() {
		fmt.Fprintln(c.ErrOrStderr(), "toolcorrectness: not imported:", note)
	}
	if err := o.writeDataset(set); err != nil {
		return err
	}
	return o.write(c.OutOrStdout(), set, format, fmt.Sprintf("Imported from %s: %s.", o.from, number(set.Keys(), "case")))
}

// formats are the names of all formats, as prose.
func formats() string {
	var names []string
	for _, f := range importer.Formats {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// oneOf is an error if a flag has a word that the format does not take.
func oneOf(name, word string, words []string) error {
	switch {
	case word == "" || slices.Contains(words, word):
		return nil
	case len(words) == 0:
		return fmt.Errorf("%s is not for this format", name)
	}
	return fmt.Errorf("%s must be one of %s, is %q", name, strings.Join(words, ", "), word)
}

func (o *importing) writeDataset(set *importer.Set) error {
	if o.dataset == "" {
		return nil
	}
	out, err := os.Create(o.dataset)
	if err != nil {
		return err
	}
	return errors.Join(set.Lines(out), out.Close())
}

func (o *importing) read(set *importer.Set, format importer.Format, files []string) error {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := format.Read(set, text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if o.criteria == "" {
		return nil
	}
	text, err := os.ReadFile(o.criteria)
	if err != nil {
		return err
	}
	if err := set.Criteria(text); err != nil {
		return fmt.Errorf("%s: %w", o.criteria, err)
	}
	return nil
}

func (o *importing) write(stdout io.Writer, set *importer.Set, format importer.Format, head string) error {
	if o.output == "" {
		return set.YAML(stdout, format, o.key, head)
	}
	out, err := os.Create(o.output)
	if err != nil {
		return err
	}
	return errors.Join(set.YAML(out, format, o.key, head), out.Close())
}
