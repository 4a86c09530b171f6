package toolcorrectnessprocessor

import _ "embed" // for the schema

//go:embed config.schema.yaml
var schemaText string

// Schema is a JSON Schema, written as YAML, of what stands below the processor's id in a configuration.
func Schema() string { return schemaText }
