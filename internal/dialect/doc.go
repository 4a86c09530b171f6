// Package dialect reads the spans of agent instrumentations: one span in, what it says about an agent's tool calls out.
//
// # What a dialect is
//
// Every instrumentation has its own way to write down that an agent called a tool. One writes the tool's name to
// gen_ai.tool.name, the next to tool.name or ai.toolCall.name; one writes the arguments as a map, the next as JSON
// in a string. Such a way of writing is a dialect. [Read] asks the dialects in the order of one table, and the first
// that knows the span answers with a [Reading]: a tool call, an agent, a workflow, or nothing.
//
// The dialects, in order:
//
//	name           asked when the span has       reads
//	vercel         ai.operationId                Vercel AI SDK 4, 5, 6 and the legacy telemetry of 7, also below
//	                                             openinference-vercel, whose spans repeat the SDK's own attributes
//	gen_ai         gen_ai.operation.name         OpenTelemetry's semantic conventions for generative AI and for MCP:
//	                                             Vercel AI SDK 7, Mastra, Strands, Google ADK, Claude Code and others
//	openinference  openinference.span.kind       OpenInference: OpenAI Agents, LangChain and LangGraph, CrewAI and others
//
// The order is from the particular to the general: an instrumentation's own keys say more than a standard's keys
// that are derived from them. A dialect that is asked may know the span and still say [Nothing], for instance because
// the span is a model call inside an agent; then no later dialect is asked.
//
// # How a span is recognised
//
// Read is asked about every span of every trace, and most of them have nothing to do with agents. So it walks over
// the attributes once and looks only for marker keys: the one key that every span of a dialect carries. A span
// without a marker costs that walk and no allocation. Only when there is a marker are dialects asked, and only those
// whose marker it is; they look up the rest of their keys as they need them.
//
// # What holds for every dialect
//
//   - Read never invents a call: a span without a marker is Nothing, and one span is at most one call.
//   - Read does not change the span, keeps no state, and gives the same answer to the same span.
//   - A marker counts only as a string. Any other attribute of the wrong type is as good as absent, with one
//     exception: a name or an id that is a number or a boolean is taken in its text form.
//   - Names and ids are valid UTF-8; a byte that is not becomes U+FFFD. They are not changed otherwise.
//   - A tool call without a usable tool name takes the span's name. Its name is empty only if that is empty as well.
//   - Arguments and output keep their written form: JSON text is not parsed here. A map, a slice or another value
//     that is no string is written as JSON text, its keys in their order; one nested deeper than 100 levels counts as too large.
//   - Not captured is not empty: an absent attribute, one without a value, an empty string and a placeholder for
//     redacted content all give the zero [scoring.Payload].
//
// # How to add a dialect
//
//  1. Get real traces, made by the instrumentation itself. A dialect that was written from a documentation page
//     alone is a guess.
//  2. Add a file named after the dialect. It begins with the keys as constants, below a link to the specification
//     or to the source file that writes them. One function reads: it gets a source and returns a Reading, and whether
//     it knows the span at all. genai.go, openinference.go and vercel.go are examples; attributes.go and payload.go
//     have what they share.
//  3. Find the marker. If it is one of those in markers.go, use it; else add a bit and a case there.
//  4. Add a row to the table in dialect.go, before the first more general dialect that has the same marker or
//     appears on the same spans.
//  5. Add rows to a table test: each with the reason why the reading is right, and one with attributes of wrong types.
//     Where recorded traces are part of the repository, add them to the corpus test as well.
package dialect
