package toolcorrectnessprocessor

import _ "embed" // for the schema

//go:embed config.schema.yaml
var schemaText string

// Schema returns a JSON Schema, written as YAML, of the processor's section of a configuration.
func Schema() string { return schemaText }
