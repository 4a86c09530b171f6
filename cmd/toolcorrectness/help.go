package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help prints what a command does, so that it fits a screen. Flags are shown with one dash, as the documentation does.
func help(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s\n\nusage: %s\n", c.Long, c.Annotations["usage"])
	if c.HasLocalFlags() {
		fmt.Fprintln(w)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		kind, text := pflag.UnquoteUsage(f)
		if f.Value.Type() == "bool" {
			kind = ""
		}
		fmt.Fprintf(w, "  %-16s %s\n", strings.TrimSpace("-"+f.Name+" "+kind), text)
	})
	if c.Example != "" {
		fmt.Fprintf(w, "\n%s\n", c.Example)
	}
}
