package acceptance

import "path"

// part is a part of a run that an instrumentation may not record.
type part string

const (
	lostCalls      part = "calls"          // no span records the calls
	lostNames      part = "names"          // a call has the name of the tool's class
	lostArguments  part = "arguments"      // the arguments are nowhere in the spans
	lostErrors     part = "errors"         // whether a call failed is nowhere in the spans
	lostAgents     part = "agents"         // the name of the agent that the application started is nowhere in the spans
	lostSubAgents  part = "sub-agents"     // the name of an agent that another one calls is nowhere in the spans
	lostRuns       part = "runs"           // the spans do not show which calls belong to one run
	lostEmptyRuns  part = "empty runs"     // a run without calls looks like a span that is no agent
	lostRefusals   part = "refusals"       // only the text of a result says that a requested tool was not executed
	lostHosted     part = "hosted calls"   // calls that the model's provider made are nowhere in the spans
	lostWaits      part = "waits"          // a call that waits for a person has a span like that of one that returned nothing
	lostDuplicates part = "duplicate runs" // two traces record one run, and nothing in them says so
)

// loss is a part that an instrumentation does not record in some scenarios.
type loss struct {
	library, scenario string // patterns
	part              part
	reason            string
}

// losses lists only parts that no reader could find in the spans.
var losses = []loss{
	{"claude-code@*", "*", lostArguments, "the arguments of MCP tools are in log records only"},
	{"claude-code@*", "*", lostAgents, "no span names the main agent"},
	{"google-adk-js@*", "no_content", lostArguments, switchedOff},
	{"langfuse-langchain@*", "no_content", lostArguments, switchedOff},
	{"mastra@*", "no_content", lostArguments, switchedOff},
	{"openinference-beeai@*", "*", lostAgents, "the spans name the agent's class"},
	{"openinference-beeai@*", "sub_agent", lostSubAgents, "an agent that is a tool has no span of its own"},
	{"openinference-langchain@*", "no_content", lostArguments, switchedOff},
	{"openinference-openai-agents*", "no_content", lostArguments, switchedOff},
	{"openinference-openai@*", "no_content", lostCalls, "only model responses are recorded, and they were switched off"},
	{"openinference-openai@*", "*", lostErrors, "the model gets an error as a text like any other"},
	{"openinference-openai@*", "*", lostAgents, "there are no agent spans"},
	{"openinference-openai@*", "sub_agent", lostSubAgents, "there are no agent spans"},
	{"openinference-openai@*", "*", lostEmptyRuns, "a model call without tools is not known to be an agent's"},
	{"openinference-vercel@*", "no_content", lostArguments, switchedOff},
	{"otel-contrib-openai@*", "*", lostCalls, "calls are in log records only"},
	{"otel-contrib-openai@*", "*", lostEmptyRuns, "there are no agent spans"},
	{"ag2@*", "no_content", lostArguments, switchedOff},
	{"agentscope@*", "*error*", lostErrors, "the tool's span is OK, and only the printed form of the framework's result says that it failed"},
	{"agent-framework@*", "no_content", lostArguments, switchedOff},
	{"autogen-agentchat@*", "*", lostArguments, "the tool spans have names and call IDs, and there is no switch for more"},
	{"google-adk@*", "no_content", lostArguments, switchedOff},
	{"langfuse-py@*", "no_content", lostArguments, switchedOff},
	{"mcp-python-sdk@*", "*", lostAgents, namedInPrompts},
	{"mcp-python-sdk@*", "sub_agent", lostSubAgents, namedInPrompts},
	{"mcp-python-sdk@*", "no_content", lostArguments, switchedOff},
	{"mcp-python-sdk@*", "unknown_tool", lostRefusals, "the server of a protocol was asked for a tool that it does not have"},
	{"opentelemetry-instrumentation-openai-v2@*", "*", lostAgents, namedInPrompts},
	{"opentelemetry-instrumentation-openai-v2@*", "sub_agent", lostSubAgents, namedInPrompts},
	{"opentelemetry-instrumentation-openai-v2@*", "no_content", lostCalls, "without content a finish reason is all that is left of calls"},
	{"opentelemetry-instrumentation-openai-v2@*", "*", lostEmptyRuns, "the spans do not list the tools that the model was offered"},
	{"opentelemetry-instrumentation-openai-v2@*", "*error*", lostErrors, errorAsText},
	{"opentelemetry-instrumentation-openai-v2@*", "unknown_tool", lostRefusals, errorAsText},
	{"openinference-instrumentation-dspy@*", "no_content", lostArguments, switchedOff},
	{"openinference-instrumentation-dspy@*", "*", lostAgents, "agents of DSPy have no names"},
	{"openinference-instrumentation-dspy@*", "sub_agent", lostSubAgents, "agents of DSPy have no names"},
	{"openinference-instrumentation-haystack@*", "no_content", lostAgents, "the name is in the output of the pipeline, which was switched off"},
	{"openinference-instrumentation-haystack@*", "no_content", lostCalls, "the agent's output is all that is recorded, and it was switched off"},
	{"openinference-instrumentation-haystack@*", "unknown_tool", lostRefusals, errorAsText},
	{"openinference-instrumentation-llama-index@*", "no_content", lostAgents, "the name is in the input of a step, which was switched off"},
	{"openinference-instrumentation-llama-index@*", "no_content", lostArguments, switchedOff},
	{"openinference-instrumentation-litellm@*", "*", lostAgents, namedInPrompts},
	{"openinference-instrumentation-litellm@*", "sub_agent", lostSubAgents, namedInPrompts},
	{"openinference-instrumentation-litellm@*", "*error*", lostErrors, errorAsText},
	{"openinference-instrumentation-litellm@*", "timeout", lostErrors, errorAsText},
	{"openinference-instrumentation-litellm@*", "no_content", lostCalls, "only model responses are recorded, and they were switched off"},
	{"openinference-instrumentation-litellm@*", "no_content", lostEmptyRuns, "there are no agent spans, and the list of tools was switched off"},
	{"opentelemetry-instrumentation-llamaindex@*", "streaming", lostAgents, "the span has the name beside the model response, which is not recorded if it is streamed"},
	{"opentelemetry-instrumentation-llamaindex@*", "no_content", lostAgents, "the span has the name beside the model response, which was switched off"},
	{"opentelemetry-instrumentation-llamaindex@*", "sub_agent", lostRuns, "the span of an agent inside of a tool looks like that of any workflow"},
	{"opentelemetry-instrumentation-llamaindex@*", "unknown_tool", lostRefusals, errorAsText},
	{"opentelemetry-instrumentation-agno@*", "no_content", lostArguments, switchedOff},
	{"opentelemetry-instrumentation-agno@*", "streaming", lostRuns, "the agent and each of its calls are in a trace of their own"},
	{"opentelemetry-instrumentation-genai-[a-r]*", "no_content", lostArguments, switchedOff},
	{"opentelemetry-instrumentation-genai-smolagents@*", "no_content", lostCalls, "only model responses report calls, and they were switched off"},
	{"opentelemetry-instrumentation-genai-smolagents@*", "*error*", lostErrors, errorAsText},
	{"openinference-instrumentation-smolagents@*", "no_content", lostArguments, switchedOff},
	{"openinference-langchain-py@*", "approval", lostArguments, "the tool's span has its argument without a name, and the request is in the trace before"},
	{"openinference-langchain-py@*", "no_content", lostArguments, switchedOff},
	{"pydantic-ai@*", "no_content", lostArguments, switchedOff},
	{"strands-agents@*", "no_content", lostArguments, switchedOff},
	{"traceloop-*", "no_content", lostArguments, switchedOff},
	{"traceloop-sdk@*", "*error*", lostErrors, "a function that throws leaves no span, and the model gets it as a text like any other"},
	{"haystack@*", "no_content", lostArguments, switchedOff},
	{"langsmith-langgraph@*", "no_content", lostArguments, switchedOff},
	{"logfire@*", "approval", lostWaits, likeNothing},
	{"openinference-instrumentation-beeai-py@*", "no_content", lostArguments, switchedOff},
	{"openinference-instrumentation-crewai@*", "no_content", lostArguments, switchedOff},
	{"openinference-instrumentation-pydantic-ai@*", "no_content", lostArguments, switchedOff},
	{"opentelemetry-instrumentation-openai-agents@*", "no_content", lostArguments, switchedOff},
	{"opentelemetry-instrumentation-openai-agents@*", "approval", lostWaits, likeNothing},
	{"opentelemetry-instrumentation-openai-agents@*", "hosted_tool", lostHosted, "of a response only texts and functions are recorded"},
	{"semconv-conformance@*", "openai_*", lostAgents, "there are no agent spans"},
	{"semconv-conformance@*", "anthropic_*", lostAgents, "there are no agent spans"},
	{"semconv-conformance@*", "google-genai_*", lostAgents, "there are no agent spans"},
	{"semantic-kernel@*", "no_content", lostArguments, switchedOff},
	{"tanstack-ai@*", "*", lostAgents, "a chat has no name"},
	{"tanstack-ai@*", "*", lostSubAgents, "a chat has no name"},
	{"tanstack-ai@*", "no_content", lostArguments, switchedOff},
	{"traceloop-langchain-js@*", "*", lostAgents, "the span of an agent has the name of its class"},
	{"traceloop-langchain-js@*", "*", lostSubAgents, "the span of an agent has the name of its class"},
	{"traceloop-langchain-js@*", "*", lostEmptyRuns, "the spans of a run are all below the application's, and do not list the tools that the model was offered"},
	{"traceloop-langchain-js@*", "tool_error", lostNames, classOfTool},
	{"traceloop-langchain-js@*", "error_then_retry", lostNames, classOfTool},
	{"traceloop-langchain-js@*", "no_content", lostNames, classOfTool},
	{"traceloop-langchain-js@*", "parallel_agents", lostRuns, "the spans of agents at the same time are all below the application's"},
	{"traceloop-llamaindex-ts@*", "*", lostCalls, "only the texts of models are recorded"},
	{"traceloop-llamaindex-ts@*", "*", lostEmptyRuns, "only the texts of models are recorded"},
	{"semantic-kernel-java@*", "*", lostArguments, "no span has arguments or results"},
	{"semantic-kernel-java@*", "*", lostAgents, "no span names an agent"},
	{"semantic-kernel-java@*", "*", lostEmptyRuns, "a model call without tools is not known to be an agent's"},
	{"semantic-kernel-java@*", "*_agent*", lostRuns, "a chat has no span of its own"},
	{"semantic-kernel-java@*", "two_*s*", lostRuns, "a chat has no span of its own"},
	{"vercel-ai@*", "no_content", lostArguments, switchedOff},
	{"vercel-ai@*+both-otel", "no_tool", lostDuplicates, noCalls},
	{"vercel-ai@*+both-otel", "unknown_tool", lostDuplicates, noCalls},
	{"vercel-ai@*+both-otel", "multi_turn", lostDuplicates, noCalls},
	{"agentscope-java@*", "*", lostArguments, "no span has arguments or results"},
	{"agentscope-java@*", "*error*", lostErrors, "the span of a tool that failed is OK, and has no result"},
	{"agentscope-java@*", "unknown_tool", lostRefusals, "the span of a tool that does not exist is like any other"},
	{"codex-cli@*", "*", lostArguments, "arguments and outputs are in log records only"},
	{"codex-cli@*", "*", lostAgents, "no span names the agent"},
	{"gemini-cli@*", "*", lostAgents, "no span names the main agent"},
	{"gemini-cli@*", "no_content", lostArguments, switchedOff},
	{"google-adk-java@*", "error_then_retry", lostErrors, "the application turned the failure into a response"},
	{"google-adk-java@*", "no_content", lostArguments, switchedOff},
	{"koog@*", "no_content", lostArguments, switchedOff},
	{"koog@*", "sub_agent", lostAgents, "an agent that is a tool has a generated name"},
	{"koog@*", "sub_agent", lostSubAgents, "an agent that is a tool has a generated name"},
	{"litellm-sdk@*", "*", lostAgents, namedInPrompts},
	{"litellm-sdk@*", "sub_agent", lostSubAgents, namedInPrompts},
	{"litellm-sdk@*", "*error*", lostErrors, errorAsText},
	{"litellm-sdk@*", "no_content", lostCalls, "only model responses are recorded, and they were switched off"},
	{"litellm-sdk@*", "*", lostEmptyRuns, "a model call in a trace of its own, without tools, is not known to be an agent's"},
	{"litellm-sdk@*", "streaming", lostRuns, "each model call is a trace of its own, and the calls of a streamed response have no IDs"},
	{"litellm-sdk@*", "unknown_tool", lostRefusals, errorAsText},
	{"quarkus-langchain4j@*", "*", lostAgents, "an agent has the name of its class"},
	{"quarkus-langchain4j@*", "sub_agent", lostSubAgents, "an agent has the name of its class"},
	{"quarkus-langchain4j@*", "no_content", lostArguments, switchedOff},
	{"spring-ai@*", "*", lostAgents, "no span names an agent"},
	{"spring-ai@*", "sub_agent", lostSubAgents, "no span names an agent"},
	{"spring-ai@*", "*error*", lostErrors, "the exception is turned into the result, and the span is OK"},
	{"spring-ai@*", "no_content", lostArguments, switchedOff},
}

const (
	namedInPrompts = "agents have their names in prompts only"
	likeNothing    = "the span of a call that waits for approval is like that of a tool that returned nothing"
	classOfTool    = "only the message that a tool returned has its name, and the span that of its class"
	errorAsText    = "the model gets it as a text like any other"
	switchedOff    = "the library was told not to capture content"
	noCalls        = "both instrumentations write a run without calls, and without call IDs nothing shows that it is one"
)

// lostParts is the losses of a scenario.
type lostParts []*loss

func lossesOf(library, scenario string) lostParts {
	var lost lostParts
	for i := range losses {
		inLibrary, _ := path.Match(losses[i].library, library)
		inScenario, _ := path.Match(losses[i].scenario, scenario)
		if inLibrary && inScenario {
			lost = append(lost, &losses[i])
		}
	}
	return lost
}

func (l lostParts) parts() map[part]bool {
	parts := make(map[part]bool, len(l))
	for _, loss := range l {
		parts[loss.part] = true
	}
	return parts
}

// without returns all losses except the one at i.
func (l lostParts) without(i int) lostParts {
	rest := append(lostParts{}, l[:i]...)
	return append(rest, l[i+1:]...)
}
