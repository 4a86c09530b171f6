package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

const completionLong = `Print a script that completes commands, flags and files in a shell:
bash, zsh, fish or powershell.`

const completionExample = `exit codes: 0 printed; 2 wrong use.
examples:
  source <(toolcorrectness completion bash)
  toolcorrectness completion zsh > "${fpath[1]}/_toolcorrectness"
  toolcorrectness completion fish | source`

// newCompletion is the library's completion, with the help of the other commands.
func newCompletion() *cobra.Command {
	scripts := map[string]func(*cobra.Command) error{
		"bash":       func(c *cobra.Command) error { return c.Root().GenBashCompletionV2(c.OutOrStdout(), true) },
		"zsh":        func(c *cobra.Command) error { return c.Root().GenZshCompletion(c.OutOrStdout()) },
		"fish":       func(c *cobra.Command) error { return c.Root().GenFishCompletion(c.OutOrStdout(), true) },
		"powershell": func(c *cobra.Command) error { return c.Root().GenPowerShellCompletionWithDesc(c.OutOrStdout()) },
	}
	return &cobra.Command{
		Use: "completion", Short: "print a script that completes command lines", Long: completionLong, Example: completionExample,
		Annotations: map[string]string{usage: "toolcorrectness completion bash|zsh|fish|powershell"},
		ValidArgs:   []string{"bash", "zsh", "fish", "powershell"},
		Args:        cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || scripts[args[0]] == nil {
				return errors.New("name one shell: bash, zsh, fish or powershell")
			}
			return scripts[args[0]](c)
		},
	}
}

const manLong = `Print the manual page of this command, or of one of its commands, for man.`

const manExample = `exit codes: 0 printed; 2 wrong use.
examples:
  toolcorrectness man | man -l -
  toolcorrectness man score > toolcorrectness-score.1`

func newMan() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "print a manual page", Long: manLong, Example: manExample,
		Annotations: map[string]string{usage: "toolcorrectness man [COMMAND]"},
		Args:        cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			page, _, err := c.Root().Find(args)
			if err != nil || len(args) > 0 && !page.HasParent() {
				return fmt.Errorf("there is no command %q; -h lists them", args[0])
			}
			page.DisableAutoGenTag = true
			day := time.Unix(0, 0) // the page of a version is the same on every day
			return doc.GenMan(page, &doc.GenManHeader{Section: "1", Date: &day, Source: "toolcorrectness"}, c.OutOrStdout())
		},
	}
}
