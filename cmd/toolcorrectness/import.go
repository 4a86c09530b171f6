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

const importLong = `Make a configuration of the test cases that another tool keeps: adk (eval sets of Google ADK),
deepeval (goldens, as JSON or JSON lines), or tau2 (tasks of tau2-bench). Each case is an
expectation for the runs whose own span has its key in an attribute. What cannot be imported is
listed at the top.`

const importExample = `A case of several turns has a key for each: ID/1, ID/2. A golden's key is its name, or its input.

exit codes: 0 imported; 1 there were no cases; 2 wrong use or unreadable input.
example, from the top of the repository:
  toolcorrectness import -from deepeval -key test.case.name internal/importer/testdata/goldens.json`

// importing is the command line of import.
type importing struct{ from, key, criteria, output string }

func newImport() *cobra.Command {
	o := &importing{}
	c := &cobra.Command{
		Use: "import", Short: "make a configuration of another tool's test cases", Long: importLong, Example: importExample,
		Annotations: map[string]string{usage: "toolcorrectness import -from FORMAT [FLAGS] FILES..."},
		Args:        cobra.ArbitraryArgs,
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.from, "from", "", "the `FORMAT`, adk, deepeval or tau2 (required)")
	f.StringVar(&o.key, "key", "", "the `ATTRIBUTE` that has a case's key; a single case needs none")
	f.StringVar(&o.criteria, "criteria", "", "adk: take the match type from `FILE`, a test_config.json")
	f.StringVarP(&o.output, "o", "o", "", "write to `FILE` and not to standard output")
	c.RunE = func(c *cobra.Command, args []string) error { return o.run(c, args) }
	return c
}

func (o *importing) run(c *cobra.Command, files []string) error {
	i := slices.IndexFunc(importer.Formats, func(f importer.Format) bool { return f.Name == o.from })
	switch {
	case i < 0:
		return fmt.Errorf("-from must be adk, deepeval or tau2, is %q", o.from)
	case len(files) == 0:
		return errors.New("no files: name the files with test cases")
	case o.criteria != "" && o.from != "adk":
		return errors.New("-criteria is for -from adk")
	}
	format, set := importer.Formats[i], &importer.Set{}
	if err := o.read(set, format, files); err != nil {
		return err
	}
	switch {
	case len(set.Cases) == 0:
		return errGate{errors.New("there are no cases with expected tools: " + strings.Join(set.Notes(), ", "))}
	case len(set.Cases) > 1 && o.key == "":
		return fmt.Errorf("there are %d cases: -key names the attribute that tells which one a run is of", len(set.Cases))
	}
	for _, note := range set.Notes() {
		fmt.Fprintln(c.ErrOrStderr(), "toolcorrectness: not imported:", note)
	}
	return o.write(c.OutOrStdout(), set, format, fmt.Sprintf("Imported from %s: %s.", o.from, number(len(set.Cases), "case")))
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
