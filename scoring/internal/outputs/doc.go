// Package outputs compares what a tool returned with what it should return.
//
// Telemetry has an output as text, and often inside an envelope. So equal outputs can look different in two ways:
//
//   - A text that looks like JSON. A tool that returned the text 42 leaves 42 on its span, which reads like a number.
//     [Output.Agrees] calls the expected text "42" equal to it. The expected number 42 is not equal to the text "42".
//   - Content blocks, as the Model Context Protocol, Strands and model providers write them. [ContentOf] extracts the result
//     from [{"type":"text","text":"18 degrees"}], and [Output.Agrees] compares these results as well. A list with an image or
//     another kind of block is compared as it is.
//
// The caller passes the equality of values.
//
// # Files
//
//	output.go   an output, and when two agree
//	content.go  content blocks
package outputs
