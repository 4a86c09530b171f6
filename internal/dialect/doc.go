// Package dialect reads the spans of agent instrumentations: one span in, what it says about an agent's tool calls out.
//
// Every instrumentation has its own way to write down that an agent called a tool: a dialect, which is a row of the table in tables.go.
// [Scope.ReadMarked] tries the dialects in their order. The first that knows the span gives a [Reading], which may be that the span is nothing, for
// instance because another span has the same call.
//
// [Scope.Marks] is called for every span of every trace, and most of them have nothing to do with agents. So it walks over the attributes once and
// looks only for marks: attributes or scopes that every span of a dialect has. A span without a mark costs the walk and no allocation.
//
// A [Reading] says which part the span has in a run, its [Role]: a tool call, an execution of an agent, a workflow, a step. [Traits] are
// peculiarities, for the caller that combines spans. A model's response is read on demand by [Messages.Response], because each model call
// repeats the whole history and most are never needed.
//
// # What holds for every dialect
//
//   - ReadMarked never invents a call: a span without a mark, in its attributes or its scope, is Nothing. One span is at most one call.
//   - ReadMarked does not change the span, keeps no state, and returns the same Reading for the same span.
//   - A mark counts only as a string. A name, an id or a sign may also be a number or a boolean, as text. Any other attribute of the wrong
//     type counts as absent.
//   - Names and ids are valid UTF-8; a byte that is not becomes U+FFFD. What a framework puts around a name is taken off; else names do not change.
//   - A tool call without a usable tool name takes the span's name. Its name is empty only if that is empty as well, or
//     if the span is an outcome that does not repeat the name.
//   - Arguments and output keep their written form. JSON text is parsed only to remove a wrapper that a framework put around it. A value that is
//     no string is written as JSON text, with its keys in order. If it nests deeper than 100 levels, it counts as too large.
//   - Not captured is not empty. An absent attribute, one without a value, an empty string and a placeholder for redacted content all give the
//     zero [scoring.Payload]. A call that is known to have no arguments has [scoring.Omitted] or an empty object.
//   - The text of a tool or a model decides only output and arguments: neither that there is a call nor its name, id or status.
//
// # Files
//
//	dialect.go            what a reading says; scopes: instrumentations that write tool spans, and frameworks' own tools
//	tables.go, table.go   the table of all dialects, and how a row is read
//	genai.go, google.go, openinference.go, openinference_frameworks.go, traceloop.go
//	                      functions of a row, by family; platforms.go: LangSmith, Langfuse, MLflow, Logfire; small.go: all others
//	attributes.go         attributes as text and payloads; finish: what holds for every call
//	wrapped.go, python.go payloads that are wrapped, or Python literals
//	messages*.go          what models asked for, were offered and were shown, by format
//	words.go              cheap looks at texts
//
// # How to add a dialect
//
//  1. Get real traces, made by the instrumentation itself, or its source. A documentation page alone is a guess.
//  2. Add a row to the table in tables.go, before any more general dialect on the same spans, with a link to the source that writes the
//     keys; table.go explains the fields. What the fields of a row cannot say is a function in the file of its family, with its reason.
//     An attribute by which spans of calls name their agent belongs in madeBy in dialect.go. If a framework writes tool spans, and a later
//     row reads its model calls, its scope belongs in toolSpans in dialect.go and in toolspans_test.go. A format of messages is a row in
//     messages_json.go.
//  3. Add rows to a file of testdata/readings (of its own, or sources.yaml if it is known by its source), each a span, how it is read,
//     and the reason: spanRow in readings_test.go has the keys. One has attributes of wrong types, and one has content switched off.
//     Recorded traces are judged by internal/acceptance as well. Add its keys to the list in hostile_test.go.
//  4. Add a row to testdata/frameworks.tsv in this folder, in order: name, language, how often it is installed (– if unknown),
//     recorded:ARCHIVE, source:REPO at VERSION, or none:WHY. In testdata/readings, "# Source of NAME: REPO at VERSION" stands above the
//     rows from a source. docs/frameworks.md gets the list that the test then prints, and a row by hand in the first table there, or in that of
//     OpenInference or OpenLLMetry.
package dialect
