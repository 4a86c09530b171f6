// Package scan reads the spans of one batch, each once, in read.go: facts of spans that a dialect knows, links of the others, and which
// spans may have to be held. What a model call says of tool calls is in response.go.
//
// Most spans are ordinary. For such a span, Read looks at its attributes, copies two IDs, and checks whether it is the first of its
// process. It allocates nothing, and it looks nothing up. A span without a trace ID belongs to no run, and is only counted.
//
// The package changes no span. It has no lock, no clock and no telemetry.
package scan
