// Package scan reads the spans of one batch, each once: facts of spans that a dialect knows, links of the others, and which may have to be held.
//
// Most spans are ordinary. For such a span, Read looks at its attributes, copies two IDs, and checks whether it is the first of its
// process. It allocates nothing, and it looks nothing up. A span without a trace ID belongs to no run, and is only counted.
//
// The package changes no span. It has no lock, no clock and no telemetry.
package scan
