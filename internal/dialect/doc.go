// Package dialect reads the spans of agent instrumentations: one span in, what it says about an agent's tool calls out.
//
// # What a dialect is
//
// Every instrumentation has its own way to write down that an agent called a tool. One writes the tool's name to
// gen_ai.tool.name, the next to tool.name or ai.toolCall.name, a third only into the span's name; one writes the
// arguments as a map, the next as JSON in a string, a third into a span event. Such a way of writing is a dialect.
// [Scope.Read] asks the dialects in the order of one table, and the first that knows the span answers with a [Reading].
//
// # How a span is recognised
//
// Read is asked about every span of every trace, and most of them have nothing to do with agents. So it walks over
// the attributes once and looks only for markers: keys of which every span of a dialect carries one. Where some spans
// of an instrumentation carry no such key, for instance those of a call that failed, the marker is the name of the
// instrumentation scope; [ScopeOf] looks at that once for all spans below it. A span without a marker costs the walk
// and no allocation. Only when there is a marker are dialects asked, and only those whose marker it is; they look up
// the rest of their keys as they need them.
//
// The dialects, in order:
//
//	name           asked for                                  reads
//	vercel         attribute ai.operationId                   Vercel AI SDK 4, 5, 6 and the legacy telemetry of 7, also below
//	                                                          openinference-vercel, which only repeats it, and Sentry
//	adk            scope gcp.vertex.agent                     Google ADK, for Python and JavaScript
//	strands        scope strands-agents,                      Strands Agents: content is in span events
//	               strands.telemetry.tracer
//	claude         scope com.anthropic.claude_code.tracing    Claude Code and the Claude Agent SDK, their own traces
//	voltagent      scope @voltagent/core                      VoltAgent
//	pydantic       scope pydantic-ai                          Pydantic AI, all versions of its telemetry
//	langsmith      attribute langsmith.span.kind              LangSmith's SDKs
//	langfuse       attribute langfuse.observation.type        Langfuse's SDKs and their handlers for LangChain
//	traceloop      attribute traceloop.span.kind              OpenLLMetry: decorators, LangChain, MCP, OpenAI Agents, Agno
//	genkit         attribute genkit:type                      Genkit
//	mastra         attribute mastra.span.type                 Mastra's exporter
//	springai       attribute spring.ai.kind                   Spring AI's tools and chat clients
//	haystack       attribute haystack.tool.name,              Haystack 3
//	               haystack.agent.max_steps
//	mlflow         attribute mlflow.spanType                  MLflow: every value is JSON text
//	agentops       attribute agentops.span.kind               AgentOps: decorators and its instrumentations
//	dify           attribute gen_ai.span.kind                 Dify's tool nodes
//	livekit        attribute lk.function_tool.name            LiveKit Agents
//	logfire        attribute logfire.msg_template             Logfire's integrations of the OpenAI Agents SDK, OpenAI, Anthropic
//	gen_ai         attribute gen_ai.operation.name            OpenTelemetry's semantic conventions for generative AI, and who
//	                                                          follows them: Vercel AI SDK 7, Microsoft Agent Framework,
//	                                                          Semantic Kernel, AutoGen, Sentry and others
//	mcp            attribute mcp.method.name                  MCP, where no operation of the conventions is set
//	openinference  attribute openinference.span.kind          OpenInference: OpenAI Agents, LangChain, BeeAI, CrewAI,
//	                                                          smolagents, LlamaIndex, clients of models and others
//
// The order is from the particular to the general: an instrumentation's own keys say more than a standard's keys
// that are derived from them. Kinds that fit any span, such as Langfuse's span or LangSmith's chain, say less than the
// conventions' operation beside them, and leave the span to it. A dialect that is asked may know the span and still say [Nothing], for instance because
// the span is a part of one that is read; then no later dialect is asked. Or it leaves the span to the dialects after
// it, as pydantic does with model calls, which are written as the conventions have it.
//
// # What a Reading says
//
// The [Role] is what the span is to an agent run. A [ToolCall] is one call. An [Agent] is one execution of an agent, and a
// [Workflow] stands in where there is none; the run's verdict is written on such a span. A [Session] is a protocol's
// and stands for no run. A [Step] belongs to an agent for which no span stands: then the span above the step does,
// often the call of the tool that runs the agent. A tool call with an agent's name is such a span by its own account.
//
// A [ModelCall] is a model's answer. What it asks for is not read at once, because a model call repeats the whole
// history and most of them are never needed: the Reading says only how the messages are written, and
// [Messages.Answer] reads them on demand. An [Answer] has the calls that the model asks for, and what it was told of
// earlier ones.
//
// The [Traits] are what is peculiar about a span, for the caller that puts spans together:
//
//   - [Outcome]: the span tells how a call ended. Another one tells that it was made, and the two are one call.
//   - [Bare]: the arguments are the only argument's value without its name.
//   - [Folded]: the tool's name has lost its case or separators, get_weather became getWeather.
//   - [Protocol]: the span is MCP's. It may repeat a call that the agent's own span tells of.
//   - [Refused]: the output says that there is no such tool. A tool could say so as well, so the agent's list decides.
//   - [Sole]: nothing says that the instrumentation writes tool spans, so what the model asked for may be all there is.
//     Only what is known to write them, the agent frameworks, is without it.
//
// # What holds for every dialect
//
//   - Read never invents a call: a span without a marker, in its attributes or its scope, is Nothing, and one span is
//     at most one call.
//   - Read does not change the span, keeps no state, and gives the same answer to the same span.
//   - The value of a marker counts only as a string. Any other attribute of the wrong type is as good as absent, with one
//     exception: a name or an id that is a number or a boolean is taken in its text form.
//   - Names and ids are valid UTF-8; a byte that is not becomes U+FFFD. What a framework puts before or behind a name
//     is taken off; names are not changed otherwise.
//   - A tool call without a usable tool name takes the span's name. Its name is empty only if that is empty as well, or
//     if the span is an outcome that does not repeat the name.
//   - Arguments and output keep their written form: JSON text is not parsed unless a framework wrapped it in something of
//     its own, which is taken off. A map, a slice or another value that is no string is written as JSON text, its keys in
//     their order; one nested deeper than 100 levels counts as too large.
//   - Not captured is not empty: an absent attribute, one without a value, an empty string and a placeholder for
//     redacted content all give the zero [scoring.Payload]. A call that is known to have no arguments has
//     [scoring.Omitted] or an empty object.
//   - Only ModelCalls have Messages, only ToolCalls a call and its id, and what is Nothing says nothing.
//
// # How to add a dialect
//
//  1. Get real traces, made by the instrumentation itself, or its source. A dialect that was written from a documentation
//     page alone is a guess.
//  2. Add a file named after the dialect. It begins with the keys as constants, below a link to the specification
//     or to the source file that writes them. One function reads: it gets a source and returns a Reading, and whether
//     it knows the span at all. genkit.go and livekit.go are short examples. What they share: attributes.go and payload.go
//     look up values, called.go and wrappers.go unwrap arguments and results, pyliteral reads Python's way to
//     write a value, attributes makes JSON text, and the messages files read model calls. If the instrumentation writes
//     tool spans and its model calls are read as those of a standard, toolspans.go gets its scope.
//  3. Find the marker. If it is one of those in markers.go, use it; else add a bit and a case there, preferably for a key.
//  4. Add a row to the table in dialect.go, before the first more general dialect that has the same marker or
//     appears on the same spans, one to the table above, one to docs/dialects.md, and the marker to fuzz_test.go.
//  5. Add rows to a table test: each with the reason why the reading is right, one with attributes of wrong types, and one
//     with content switched off. Add the keys to those in hostile_test.go. Where recorded traces are part of the
//     repository, they are read by the corpus tests as well.
package dialect
