package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usage is the annotation that has a command's line of usage.
const usage = "usage"

// help prints what a command does. It fits a screen, and shows flags with one dash, like the documentation.
func help(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s\n\nusage: %s\n", c.Long, c.Annotations[usage])
	flags := 0
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		if flags++; flags == 1 {
			fmt.Fprintln(w)
		}
		kind, text := pflag.UnquoteUsage(f)
		if f.Value.Type() == "bool" {
			kind = ""
		}
		fmt.Fprintf(w, "  %-16s %s\n", strings.TrimSpace("-"+f.Name+" "+kind), text)
	})
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\ncommands (-h after a command explains it):")
		for _, sub := range c.Commands() {
			if sub.Hidden {
				continue
			}
			fmt.Fprintf(w, "  %-16s %s\n", sub.Name(), sub.Short)
		}
	}
	if c.Example != "" {
		fmt.Fprintf(w, "\n%s\n", c.Example)
	}
}
