// Package outputs compares what a tool returned with what it should return.
//
// Telemetry carries an output as text, and often inside an envelope. So equal outputs can look different in two ways:
//
//   - A text that looks like JSON. A tool that returned the text 42 leaves 42 on its span, which reads like a number.
//     [Output.Agrees] calls the expected text "42" equal to it. The expected number 42 is not equal to the text "42".
//   - Content blocks, as the Model Context Protocol, Strands and model providers write them. [ContentOf] takes the result out
//     of [{"type":"text","text":"18 degrees"}], and [Output.Agrees] compares the results inside as well. A list with a block
//     of another kind, such as an image, is compared as it is.
//
// The caller says when two values are equal. The package knows no payload, no mode and no method.
//
// # Files
//
//	output.go   an output, and when two agree
//	content.go  content blocks
package outputs
