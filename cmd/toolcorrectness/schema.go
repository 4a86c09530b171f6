package main

import (
	"io"

	"github.com/spf13/cobra"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
)

const schemaLong = `Print a JSON Schema, as YAML, of the processor's section: the keys below
tool_correctness: in a collector configuration. Editors use it to complete keys and to check them.`

const schemaExample = `exit codes: 0 printed; 2 wrong use.
example:
  toolcorrectness schema > config.schema.yaml
and in an editor with the YAML language server, at the top of a file with that section alone:
  # yaml-language-server: $schema=config.schema.yaml`

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "print the JSON Schema of the configuration", Long: schemaLong, Example: schemaExample,
		Annotations: map[string]string{usage: "toolcorrectness schema"},
		Args:        cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := io.WriteString(c.OutOrStdout(), toolcorrectnessprocessor.Schema())
			return err
		},
	}
}
