package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Long: "Print the version of this command, of the Collector's libraries in it, and of Go.",
		Example:     "exit codes: 0 printed; 2 wrong use.\nexample:\n  toolcorrectness version",
		Annotations: map[string]string{usage: "toolcorrectness version"},
		Args:        cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), version())
			return err
		},
	}
}

// released is the version of a release, which make release sets.
var released string

// version says which version was built. A build that is no release, and without version control, has none.
func version() string {
	own, collector, revision := "(devel)", "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			own = info.Main.Version
		}
		for _, dep := range info.Deps {
			if dep.Path == "go.opentelemetry.io/collector/processor" {
				collector = dep.Version
			}
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	if released != "" {
		own = released
	}
	return fmt.Sprintf("toolcorrectness %s%s, Collector %s, %s %s/%s", own, revision, collector, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
