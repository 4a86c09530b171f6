// Package dialect reads the spans of agent instrumentations: one span in, what it says about an agent's tool calls out.
//
// # What a dialect is
//
// Every instrumentation has its own way to write down that an agent called a tool. The tool's name may be in
// gen_ai.tool.name, in tool.name, in ai.toolCall.name or only in the span's name. The arguments may be a map, JSON in a
// string, or in a span event. Such a way of writing is a dialect. [Scope.Read] tries the dialects in the order of one table.
// The first that knows the span returns a [Reading].
//
// # How a span is recognised
//
// Read is called for every span of every trace, and most of them have nothing to do with agents. So it walks over the
// attributes once and looks only for markers: every span of a dialect has one of its marker keys. If some spans of an
// instrumentation lack such a key, for instance those of failed calls, the marker is the name of the instrumentation scope.
// [ScopeOf] reads it once for all spans of the scope. A span without a marker costs the walk and no allocation. Otherwise
// only the dialects of its markers are tried. They look up their other keys as they need them.
//
// The dialects, in order:
//
//	name           marker                                     reads
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
//	traceloop      attribute traceloop.span.kind              OpenLLMetry: decorators, LangChain, MCP, OpenAI Agents,
//	                                                          Agno, LlamaIndex; its CrewAI is read as genai
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
//	gen_ai         attribute gen_ai.operation.name            OpenTelemetry's semantic conventions for generative AI, and those
//	                                                          that follow them: Vercel AI SDK 7, Microsoft Agent Framework,
//	                                                          Semantic Kernel, AutoGen, Sentry and others
//	mcp            attribute mcp.method.name                  MCP, where no operation of the conventions is set
//	openinference  attribute openinference.span.kind          OpenInference: OpenAI Agents, LangChain, BeeAI, CrewAI,
//	                                                          smolagents, LlamaIndex, clients of models and others
//
// The order is from the particular to the general: an instrumentation's own keys say more than a standard's keys that are
// derived from them. Kinds that fit any span, such as Langfuse's span or LangSmith's chain, say little. If the span has an
// operation of the conventions, that decides. A dialect may recognize the span and still return [Nothing], for instance
// because another span has the same call. Then no later dialect is tried. Or it leaves the span to later dialects, as
// pydantic does with model calls, which follow the conventions.
//
// # What a Reading says
//
// The [Role] is the part that the span has in a run. A [ToolCall] is one call. An [Agent] is one execution of an agent. A
// [Workflow] represents the run if there is no agent span. The run's verdict is written on such a span. A [Session] is a
// session of a protocol and represents no run. A [Step] belongs to an agent without a span of its own. Then the span above
// the step represents the run, often the call of the tool that runs the agent. A tool call with an agent's name says so
// itself. A step with an agent's name gives it to a nameless agent's span right above.
//
// A [ModelCall] is a model's response. Its messages are not read at once, because each model call repeats the whole
// history and most are never needed. The Reading has only the format of the messages, and [Messages.Response] reads them on
// demand. A [ModelResponse] has the calls that the model requests, and the results of earlier calls that it was shown.
//
// The [Traits] are peculiarities of a span, for the caller that combines spans:
//
//   - [ResultOnly]: the span is the result of a call. Another span is the call itself, and the two are one call.
//   - [UnnamedArgument]: the arguments are, or may be, the only argument's value without its name. Or they were passed by position.
//   - [NormalizedName]: the tool's name has lost its case or separators, get_weather became getWeather.
//   - [MCP]: the span is MCP's. It may repeat a call that the agent has a span for.
//   - [UnknownTool]: there may be no such tool. The output says so, or the call failed and nothing describes the tool. Tools that
//     exist may look the same, so the agent's list decides.
//   - [LostName]: the span may have the name of an agent, in a text that cannot be read.
//   - [MessagesOnly]: the instrumentation is not known to write tool spans, so the model's requests may be the only trace of its
//     calls. Agent frameworks are known to write tool spans.
//
// # What holds for every dialect
//
//   - Read never invents a call: a span without a marker in its attributes or its scope is Nothing. One span is at most one
//     call.
//   - Read does not change the span, keeps no state, and returns the same Reading for the same span.
//   - The value of a marker counts only as a string. Any other attribute of the wrong type counts as absent. The exception is
//     a name or an id that is a number or a boolean: its text form counts.
//   - Names and ids are valid UTF-8; a byte that is not becomes U+FFFD. What a framework puts before or behind a name
//     is taken off; names are not changed otherwise.
//   - A tool call without a usable tool name takes the span's name. Its name is empty only if that is empty as well, or
//     if the span is an outcome that does not repeat the name.
//   - Arguments and output keep their written form. JSON text is parsed only to remove a wrapper that a framework put around
//     it. A map, a slice or another value that is no string is written as JSON text, with its keys in order. If it nests
//     deeper than 100 levels, it counts as too large.
//   - Not captured is not empty. An absent attribute, one without a value, an empty string and a placeholder for redacted
//     content all give the zero [scoring.Payload]. A call that is known to have no arguments has [scoring.Omitted] or an
//     empty object.
//   - Only ModelCalls have Messages, only ToolCalls have a call and its id, and a Reading of Nothing is empty.
//
// # How to add a dialect
//
//  1. Get real traces, made by the instrumentation itself, or its source. A dialect that was written from a documentation
//     page alone is a guess.
//  2. Add a file named after the dialect. It begins with the keys as constants, below a link to the specification or to the
//     source file that writes them. One function reads: it gets a source and returns a Reading, and whether it knows the span
//     at all. genkit.go and livekit.go are short examples. They share attributes.go and payload.go (look up values),
//     wrappers.go (unwrap results), and the messages files (read model calls). Package wrapped unwraps arguments. Package pyliteral
//     reads Python literals, and package attributes makes JSON text. If the instrumentation writes tool spans and its model
//     calls are read as those of a standard, toolspans.go gets its scope.
//  3. Find the marker. If it is one of those in markers.go, use it; else add a bit and a case there, preferably for a key. Bits stand in
//     the order of the table in dialect.go.
//  4. Add a row to the table in dialect.go, before any more general dialect with the same marker or on the same spans. Add a
//     row to the table above and one to docs/dialects.md, and the marker to fuzz_test.go.
//  5. Add rows to a table test, each with a reason. One has attributes of wrong types, and one has content switched off. Add
//     the keys to those in hostile_test.go. Where recorded traces are part of the repository, they are read by the corpus
//     tests as well.
package dialect
