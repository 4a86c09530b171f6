// Package toolcorrectnessprocessor is an OpenTelemetry Collector processor that scores the tool calls of AI agents.
//
//go:generate make generate
package toolcorrectnessprocessor // import "github.com/toolcorrectness/toolcorrectnessprocessor"
