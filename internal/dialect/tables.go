package dialect

import "slices"

// dialects are tried in order, each only if the span has one of its marks. The first that knows the span reads it. The order is from
// the particular to the general: an instrumentation's own keys say more than a standard's keys that are derived from them.
var dialects = compiled([]table{
	// The Vercel AI SDK, versions 4 to 6, and LegacyOpenTelemetry of version 7; also below openinference-vercel, which repeats it and says less, and
	// Sentry, which renames some keys. The function's ID is the nearest that the SDK has to an agent's name. Embeddings and objects are Nothing: they
	// can call no tools. Source: https://github.com/vercel/ai, packages/ai/src/telemetry and packages/ai/src/generate-text.
	{
		name: "vercel", kind: []string{"ai.operationId"}, all: true,
		kinds: []meaning{
			{"ai.toolCall", ToolCall},
			{"ai.generateText", Agent}, {"ai.streamText", Agent},
			{"ai.generateText.doGenerate", ModelCall}, {"ai.streamText.doStream", ModelCall},
		},
		tool:         names{[]string{"ai.toolCall.name", genAIToolName}, []string{"*"}},
		agent:        names{keys: []string{"ai.telemetry.functionId", "resource.name"}},
		id:           []string{"ai.toolCall.id"},
		conversation: []string{genAIConversation, sessionID, "ai.telemetry.metadata.sessionId", vercelContext},
		arguments:    payloads{keys: []string{vercelArguments, "ai.toolCall.input", sentryInput}},
		output:       payloads{keys: []string{vercelResult, sentryOutput}},
		messages:     VercelMessages,
		call:         vercelSucceeded,
	},
	// ADK-Rust, through tracing-opentelemetry, which has one scope for all, and the module of each span in target.
	// Source: https://github.com/zavora-ai/adk-rust, adk-runner/src/runner.rs, adk-agent/src/llm_agent.rs and adk-tool/src/agent_tool.rs.
	{
		name: "adk-rust", marks: []string{"target"}, needs: sign{"target", "adk_*"}, all: true,
		spans: []meaning{{adkCallModel, ModelCall}, {"agent.execute", Agent}, {"execute_tool *", ToolCall}},
		kind:  []string{adkRustSubAgent}, kinds: []meaning{{anyKind, Agent}}, // an agent that is a tool of another has a span of the tool's module
		tool:     names{keys: []string{"tool.name"}},
		agent:    names{keys: []string{"agent.name", adkRustSubAgent}},
		messages: ADKRustMessages,
	},
	// Google Agent Development Kit, for Python and for JavaScript.
	// Source: https://github.com/google/adk-python, src/google/adk/telemetry; https://github.com/google/adk-js, core/src/telemetry/tracing.ts.
	{
		name: "adk", scopes: []string{adkScope}, marks: []string{adkArguments, "gcp.vertex.agent.llm_request"}, role: adkRole, // some backends drop scopes
		agent:        names{[]string{genAIAgentName}, []string{"invoke_agent *", "agent_run [*]"}},
		conversation: []string{genAIConversation, sessionID, vercelContext, "gcp.vertex.agent.session_id"},
		failed:       []sign{{errorType, ""}},
		messages:     ADKMessages,
		conventional: true,
		except:       adkExceptions,
	},
	// Strands Agents, for Python and for TypeScript. It follows the conventions, and writes content to span events.
	// Source: https://github.com/strands-agents/sdk-python, src/strands/{telemetry,tools}; https://github.com/strands-agents/sdk-typescript.
	{
		name: "strands", scopes: []string{"strands-agents", "strands.telemetry.tracer"}, marks: []string{strandsStatus}, // an application may name its own
		kind: []string{genAIOperation}, role: strandsRole,
		// Swarms and graphs are several agents that work together.
		kinds:    []meaning{{executeTool, ToolCall}, {chat, ModelCall}, {"invoke_swarm", Workflow}, {"invoke_graph", Workflow}},
		workflow: names{keys: []string{genAIAgentName}},
		failed:   []sign{{strandsStatus, strandsFailed}, {"tool.status", strandsFailed}, {errorType, ""}},
		messages: StrandsMessages,
		call:     strandsCall,
	},
	// Claude Code and the Claude Agent SDK, their own traces. Other spans, such as the wait for the user's permission, are Nothing.
	// Source: https://code.claude.com/docs/en/monitoring-usage, and traces of Claude Agent SDK 0.3.329.
	{
		name: "claude", scopes: []string{"com.anthropic.claude_code.tracing"}, marks: []string{"span.type"}, // others write such a key as well
		spans: []meaning{
			{"claude_code.interaction", Agent}, {"claude_code.tool", ToolCall}, {claudeExecution, ToolCall}, {"claude_code.*", Nothing},
		},
		succeeded:    []sign{{claudeSuccess, "true"}},
		failed:       []sign{{claudeSuccess, "false"}, {errorType, ""}},
		conventional: true,
		call:         claudeCall,
	},
	// VoltAgent. One span represents all of the model's responses, and has no calls in it.
	// Source: https://github.com/VoltAgent/voltagent, packages/core/src/agent/open-telemetry/trace-context.ts and packages/core/src/agent/agent.ts.
	{
		name: "voltagent", scopes: []string{"@voltagent/core"},
		kind: []string{"span.type"}, kinds: []meaning{{"tool", ToolCall}, {anyKind, Nothing}}, role: voltAgentRole,
		tool:         names{[]string{"tool.name"}, []string{"tool.execution:*", "*"}},
		agent:        names{keys: []string{"subagent.name", "entity.name"}}, // the latter also names the agent above a subagent
		workflow:     names{keys: []string{"entity.name"}},
		id:           []string{"tool.call.id"},
		conversation: []string{"conversation.id", "voltagent.conversation_id"},
		arguments:    payloads{keys: []string{"input"}}, // tool.parameters is the tool's schema
		output:       payloads{keys: []string{"output"}, blocks: true},
		failed:       []sign{{errorType, ""}},
	},
	// Pydantic AI. Its spans follow the conventions from version 3 of its telemetry on; before, some keys were its own.
	// Source: https://github.com/pydantic/pydantic-ai, pydantic_ai_slim/pydantic_ai/{,capabilities/}instrumentation.py.
	{
		name: "pydantic", scopes: []string{"pydantic-ai"}, marks: []string{"tool_arguments", "all_messages_events"}, role: pydanticRole,
		agent:        names{keys: []string{genAIAgentName, "agent_name"}},
		conversation: []string{genAIConversation, logfireGroup},
		arguments:    payloads{keys: []string{genAIArguments, "tool_arguments"}},
		output:       payloads{keys: []string{genAIResult, "tool_response"}},
		except:       pydanticExceptions,
	},
	// LangSmith's SDKs, which export their runs as spans. langsmith.trace.session_name and .session_id are the project, not a conversation.
	// Source: https://github.com/langchain-ai/langsmith-sdk, js/src/experimental/otel and python/langsmith/_internal/otel.
	{
		name: "langsmith", kind: []string{langSmithKind}, role: langSmithRole,
		kinds: []meaning{
			{"tool", ToolCall}, {"llm", ModelCall}, {"retriever", Nothing}, {"embedding", Nothing}, {"prompt", Nothing}, {"parser", Nothing},
		},
		tool: langSmithName, agent: langSmithName, workflow: langSmithName,
		conversation: []string{"langsmith.metadata.session_id", "langsmith.metadata.conversation_id", "langsmith.metadata.thread_id", sessionID},
		arguments:    payloads{keys: []string{langSmithInput}},
		output:       payloads{keys: []string{langSmithOutput}},
		except:       langSmithExceptions,
	},
	// Langfuse: its SDKs, and their handlers for LangChain. Spans keep their status unset. The SDK for Python writes metadata as JSON.
	// Source: https://github.com/langfuse/langfuse-js, packages/{tracing,langchain}; https://github.com/langfuse/langfuse-python, langfuse.
	{
		name: "langfuse", kind: []string{langfuseType}, role: langfuseRole,
		kinds: []meaning{
			{"tool", ToolCall}, {"generation", ModelCall}, {"retriever", Nothing}, {"embedding", Nothing}, {"evaluator", Nothing}, {"guardrail", Nothing},
		},
		quoted: true,
		tool:   anyName, agent: anyName, workflow: anyName,
		id:           []string{langfuseCallID},
		conversation: []string{sessionID, "langfuse.session.id", "langfuse.observation.metadata.thread_id"}, // the second in older versions
		arguments:    payloads{keys: []string{langfuseInput}, as: langfuseValue},
		output:       payloads{keys: []string{langfuseOutput}, as: langfuseValue},
		failed:       []sign{{"langfuse.observation.level", "ERROR"}},
		except:       langfuseExceptions,
	},
	// OpenLLMetry by Traceloop: the decorators of its SDKs and its instrumentations of frameworks. Model calls are read as OpenTelemetry's.
	// Source: https://github.com/traceloop/openllmetry, packages/traceloop-sdk and packages/opentelemetry-instrumentation-{langchain,mcp,
	// openai-agents,agno,llamaindex}; https://github.com/traceloop/openllmetry-js, packages/traceloop-sdk, packages/instrumentation-{langchain,mcp}.
	{
		name: "traceloop", scopes: []string{traceloopJS + "*", traceloopPy}, marks: []string{traceloopKind}, role: traceloopRole,
		tool:         names{[]string{genAIToolName, traceloopName}, []string{"execute_tool *", "*.tool", "*"}},
		agent:        names{[]string{traceloopName, genAIAgentName, traceloopWorkflow}, []string{"*.agent", "*"}},
		workflow:     traceloopWorkflows,
		conversation: traceloopConversations,
		output:       payloads{keys: []string{genAIResult, traceloopOutput, genAIOutput}},
		failed:       []sign{{errorType, ""}},
		except:       traceloopExceptions,
	},
	// Genkit, for JavaScript, Go and Python. An agent is a flow, at the root or inside of a tool; Genkit has no other word for it until
	// its own agents. What generate does between a flow and a model is Nothing.
	// Source: https://github.com/firebase/genkit, js/core/src/tracing/instrumentation.ts and js/core/src/action.ts.
	{
		name: "genkit", marks: []string{"genkit:type"}, kind: []string{"genkit:type", "genkit:metadata:subtype"}, all: true,
		kinds:        []meaning{{"tool", ToolCall}, {"tool.v2", ToolCall}, {"flow", Agent}, {"agent", Agent}, {"model", ModelCall}},
		tool:         names{[]string{genkitName}, []string{"*"}},
		agent:        names{[]string{genkitName}, []string{"*"}},
		conversation: []string{"genkit:sessionId"},
		arguments:    payloads{keys: []string{genkitInput}},
		output:       payloads{keys: []string{genkitOutput}},
		failed:       []sign{{"genkit:state", "error"}},
		messages:     GenkitMessages,
		call:         genkitResult,
	},
	// Mastra, through its exporter for OpenTelemetry. A call that is left to the client was not executed here and is Nothing; so is a
	// call of an unknown tool. The steps and the chunks of a model's response are Nothing too, because they repeat its calls.
	// Source: https://github.com/mastra-ai/mastra, observability/otel-exporter/src/gen-ai-semantics.ts.
	{
		name: "mastra", kind: []string{"mastra.span.type"}, all: true,
		kinds: []meaning{
			{"tool_call", ToolCall}, {"mcp_tool_call", ToolCall}, {"provider_tool_call", ToolCall},
			{"agent_run", Agent}, {"workflow_run", Workflow},
			{"model_generation", ModelCall}, {"model_inference", ModelCall}, {"llm_generation", ModelCall},
		},
		conversation: []string{genAIConversation, "mastra.metadata.threadId", "mastra.metadata.sessionId"},
		failed:       []sign{{errorType, ""}},
		messages:     GenAIMessages,
		conventional: true,
		except:       mastraExceptions,
	},
	// Spring AI, through Micrometer's observations. The client runs the tools that its model requests, so its span represents an agent without a
	// name. Model calls have no kind and are in the form of the conventions. Source: https://github.com/spring-projects/spring-ai,
	// spring-ai-{model,client-chat}/src/main/java/org/springframework/ai, in observation.
	{
		name: "springai", kind: []string{"spring.ai.kind"},
		kinds:        []meaning{{"tool_call", ToolCall}, {"chat_client", Agent}},
		tool:         names{[]string{"spring.ai.tool.definition.name"}, []string{"tool_call *", "execute_tool *", "tools/call *", "*"}},
		id:           []string{"spring.ai.tool.call.id"},
		conversation: []string{"spring.ai.chat.client.conversation.id"},
		arguments:    payloads{keys: []string{"spring.ai.tool.call.arguments"}}, // only where the application includes content
		output:       payloads{keys: []string{"spring.ai.tool.call.result"}, blocks: true},
	},
	// Haystack 3, whose agents write a span for each call. Before, one span recorded all calls of a step and named none of them; such a
	// span has none of the marks. Spans of an application's own could have them, so names decide. {"error": "..."} in an output is no failure.
	// Source: https://github.com/deepset-ai/haystack, haystack/components/agents and haystack/tracing/opentelemetry.py.
	{
		name: "haystack", marks: []string{"haystack.tool.name", "haystack.agent.max_steps", haystackType},
		spans: []meaning{{"haystack.agent.step.tool", ToolCall}, {"haystack.agent.run", Agent}},
		kind:  []string{haystackType}, kinds: []meaning{{"haystack.components.agents.agent.Agent", Agent}}, // around the agent's own, and alone has names
		agent:     names{keys: []string{"haystack.component.name"}},
		tool:      names{keys: []string{"haystack.tool.name"}},
		arguments: payloads{keys: []string{"haystack.agent.step.tool.input"}},
		output:    payloads{keys: []string{"haystack.agent.step.tool.output"}},
		failed:    []sign{{"haystack.tool.error", "true"}},
	},
	// MLflow. Every value is JSON text: a span's type is "\"TOOL\"". Model calls are in the form of whichever library was traced. The application may
	// choose a span's name. Source: https://github.com/mlflow/mlflow, mlflow/tracing/constant.py, mlflow/langchain and mlflow/openai.
	{
		name: "mlflow", marks: []string{mlflowType}, role: mlflowRole,
		quoted: true,
		tool:   names{[]string{genAIToolName, "tool_name"}, []string{"*"}}, agent: anyName, workflow: anyName,
		id:           []string{mlflowCallID, "tool_id"},
		conversation: []string{"mlflow.trace.session", sessionID},
		arguments:    payloads{keys: []string{"mlflow.spanInputs"}, as: mlflowValue},
		output:       payloads{keys: []string{mlflowOutputs}, as: mlflowValue},
		except:       mlflowExceptions,
	},
	// AgentOps: the decorators of its SDK, whose keys changed twice, and its instrumentations of agent frameworks. Model calls have the conventions'
	// keys. Source: https://github.com/AgentOps-AI/agentops, agentops/semconv and agentops/sdk/decorators.
	{
		name: "agentops", kind: []string{"agentops.span.kind"},
		kinds:     []meaning{{"tool", ToolCall}, {"agent", Agent}, {"workflow", Workflow}, {"session", Workflow}, {"team", Workflow}},
		tool:      names{[]string{"tool.name", genAIToolName, agentOpsEntity, "operation.name", "agentops.operation.name"}, []string{"*.tool", "*"}},
		agent:     names{[]string{"agent.name", agentOpsEntity, "operation.name", "agentops.operation.name"}, []string{"*.agent", "*"}},
		workflow:  names{[]string{agentOpsEntity, "operation.name", "agentops.operation.name"}, []string{"*.workflow", "*.session", "*.team", "*"}},
		id:        []string{"tool.id"},
		arguments: payloads{keys: []string{"agentops.tool.input", "agentops.entity.input"}},
		output:    payloads{keys: []string{"agentops.tool.output", "agentops.entity.output", "tool.result"}},
		failed:    []sign{{"tool.status", "failed"}},
		call:      agentOpsArguments,
	},
	// LiveKit Agents: the spans of tools. The turns of a session follow one another like responses to one request, so none of them
	// represents a run. Newer versions mark what may be personal, and describe agents in the words of the conventions.
	// Source: https://github.com/livekit/agents, livekit-agents/livekit/agents/{telemetry,voice}; https://github.com/livekit/agents-js.
	{
		name: "livekit", kind: []string{liveKitTool}, kinds: []meaning{{anyKind, ToolCall}},
		tool:      names{keys: []string{liveKitTool}},
		id:        []string{"lk.function_tool.id"},
		arguments: payloads{keys: []string{"lk.pii.function_tool.arguments", "lk.function_tool.arguments"}},
		output:    payloads{keys: []string{"lk.pii.function_tool.output", "lk.function_tool.output"}, as: pythonText},
		succeeded: []sign{{liveKitIsError, "false"}},
		failed:    []sign{{liveKitIsError, "true"}},
	},
	// Logfire's integrations of the OpenAI Agents SDK, and of the clients of OpenAI and Anthropic. Its other integrations write the conventions'
	// keys. Source: https://github.com/pydantic/logfire, logfire/_internal/integrations and logfire/_internal/scrubbing.py.
	{
		name: "logfire", marks: []string{logfireTemplate}, role: logfireRole,
		tool:         names{[]string{"name"}, []string{"Function: *", "*"}},
		agent:        names{keys: []string{"name"}},
		workflow:     names{keys: []string{"name"}},
		conversation: []string{genAIConversation, logfireGroup},
		arguments:    payloads{keys: []string{"input"}},
		output:       payloads{keys: []string{"output"}, as: pythonText, blocks: true}, // an MCP server returned one block
		messages:     LogfireMessages,
		clients:      true,
		except:       logfireExceptions,
	},
	// Gemini CLI. Its spans have operations of their own. Model calls and schedules have nothing that the spans of calls lack, but at the root each
	// is a part of the agent's run. Source: https://github.com/google-gemini/gemini-cli, packages/core/src/{telemetry,scheduler}.
	{
		name: "gemini-cli", scopes: []string{"gemini-cli"}, all: true,
		kind: []string{genAIOperation}, kinds: []meaning{
			{"tool_call", ToolCall}, {"user_prompt", Agent}, {"agent_call", Agent}, {"llm_call", ModelCall}, {"schedule_tool_calls", Agent},
		},
		id:        []string{"gen_ai.tool.call_id"},
		arguments: payloads{keys: []string{genAIInput}, as: memberOf("args")},
		output:    payloads{keys: []string{genAIOutput}, as: geminiOutput},
		failed:    []sign{{errorType, ""}},
		except:    geminiExceptions,
	},
	// LangWatch's SDKs. Model calls are in a form of their own, and tools have spans.
	// Source: https://github.com/langwatch/langwatch, sdks/python/src/langwatch/attributes.py and sdks/go/span.go.
	{
		name: "langwatch", kind: []string{"langwatch.span.type"},
		kinds: []meaning{{"tool", ToolCall}, {"agent", Agent}, {"workflow", Workflow}},
		tool:  anyName, agent: anyName, workflow: anyName,
		conversation: []string{"langwatch.thread.id"},
		arguments:    payloads{keys: []string{"langwatch.input"}, as: memberOf("value")},
		output:       payloads{keys: []string{"langwatch.output"}, as: memberOf("value")},
	},
	// Laminar. Agents have no type. OpenHands writes through it, and the beta of Browser Use, whose inputs are messages. Source:
	// https://github.com/lmnr-ai/lmnr-python, src/lmnr/opentelemetry_lib/tracing/attributes.py; https://github.com/OpenHands/software-agent-sdk,
	// openhands-sdk/openhands/sdk/agent/agent.py; https://github.com/browser-use/browser-use, browser_use/beta/service.py.
	{
		name: "laminar", kind: []string{"lmnr.span.type"}, kinds: []meaning{{"TOOL", ToolCall}, {"LLM", ModelCall}},
		tool:         names{spans: []string{"rust_core.tool.*", "*"}},
		id:           []string{"lmnr.association.properties.metadata.tool_call_id", "tool_call_id"},
		conversation: []string{"lmnr.association.properties.session_id"},
		arguments:    payloads{keys: []string{"lmnr.span.input"}, as: objectOnly},
		output:       payloads{keys: []string{"lmnr.span.output"}},
		messages:     GenAIMessages,
		clients:      true,
	},
	// Braintrust's SDKs. A task at the root is an agent, and so is an AI service of LangChain4j.
	// Source: https://github.com/braintrustdata/braintrust-sdk-java, and its siblings for Go and Ruby.
	{
		name: "braintrust", scopes: []string{braintrustScope}, marks: []string{braintrustSpan}, role: braintrustRole,
		tool: anyName, agent: anyName,
		arguments: payloads{keys: []string{"braintrust.input_json", "braintrust.input"}},
		output:    payloads{keys: []string{"braintrust.output_json", "braintrust.output"}},
		messages:  BraintrustMessages,
	},
	// Embabel: the runs of its agents. Its tools and models are read by the conventions.
	// Source: https://github.com/embabel/embabel-agent, embabel-agent-observability.
	{
		name: "embabel", kind: []string{"embabel.event.type"}, kinds: []meaning{{"agent_process", Agent}},
		agent: names{keys: []string{"embabel.agent.name"}},
	},
	// Semantic Kernel for Java: the functions that a kernel invoked, without their content.
	// Source: https://github.com/microsoft/semantic-kernel-java, semantickernel-api, implementation/telemetry/FunctionSpan.java.
	{
		name: "semantic-kernel-java", kind: []string{"semantic_kernel.function.invocation.name"}, kinds: []meaning{{anyKind, ToolCall}},
		tool: names{spans: []string{"function_invocation *", "*"}},
	},
	// Eino, through its callback for APMPlus. The root of a trace is a workflow, whatever it is. Models have no tool requests.
	// Source: https://github.com/cloudwego/eino-ext, callbacks/apmplus/apmplus.go.
	{
		name: "eino", kind: []string{spanKind}, needs: sign{"gen_ai.system", "eino"},
		kinds: []meaning{{"tool", ToolCall}, {"agent", Agent}, {"workflow", Workflow}},
		tool:  anyName, agent: anyName, workflow: anyName,
		conversation: []string{"gen_ai.session.id"},
		arguments:    payloads{keys: []string{"gen_ai.prompt.0.content"}, as: memberOf("ArgumentsInJSON")},
		output:       payloads{keys: []string{"gen_ai.completion.0.content"}, as: memberOf("Response")},
	},
	// TanStack AI: its tools, whose content is in messages of one, and the span around a loop. Neither has an operation.
	// Source: https://github.com/TanStack/ai, packages/ai/src/middlewares/otel.ts.
	{
		name: "tanstack", marks: []string{tanStackOutcome, tanStackLoop},
		kind: []string{tanStackOutcome}, kinds: []meaning{{anyKind, ToolCall}}, role: tanStackRole,
		arguments: payloads{keys: []string{genAIInput}, as: firstContent},
		output:    payloads{keys: []string{genAIOutput}, as: firstContent},
		failed:    []sign{{tanStackOutcome, "error"}},
	},
	// Codex CLI. It writes some 300 spans for each turn, which have nothing to do with agents. Arguments and outputs are in log records only.
	// Source: https://github.com/openai/codex, codex-rs/core/src/{tasks/regular,tools/parallel,tools/router}.rs and codex-rs/otel/src.
	{
		name: "codex", scopes: []string{"codex_*"}, all: true,
		spans: []meaning{{"run_turn", Agent}, {codexOutcome, ToolCall}},
		kind:  []string{"codex.tool.phase"}, kinds: []meaning{{"dispatch", ToolCall}},
		tool:         names{[]string{"tool_name"}, []string{"*"}},
		id:           []string{"call_id"},
		conversation: []string{"conversation.id"},
		failed:       []sign{{"aborted", "true"}},
		call:         codexCall,
	},
	// LangChain4j in Quarkus. A service that the application declares is an agent, and its span has no attributes. Tools have the conventions' keys.
	// Source: https://github.com/quarkiverse/quarkus-langchain4j, core/runtime, aiservice/SpanWrapper.java and tool/ToolSpanWrapper.java.
	{
		name: "quarkus", scopes: []string{"io.quarkus.opentelemetry"}, spans: []meaning{{quarkusService, Agent}, {quarkusTool, ToolCall}},
		tool: names{[]string{genAIToolName}, []string{quarkusTool}}, agent: names{spans: []string{quarkusService}},
		conventional: true,
		except:       quarkusExceptions,
	},
	// LiteLLM's callback for OpenTelemetry. The span of a request has no IDs of calls. The one below it has, in what the provider returned, unless
	// the response was streamed. Source: https://github.com/BerriAI/litellm, litellm/integrations/opentelemetry.py.
	{
		name: "litellm", scopes: []string{"litellm"}, spans: []meaning{{"raw_gen_ai_request", ModelCall}},
		messages: LiteLLMMessages, clients: true,
	},
	// OpenTelemetry's semantic conventions for generative AI, versions 1.31 and later, and those that follow them. Other operations are
	// left to the dialects after it: the creation of an agent runs none, and a handoff calls no tool. Rig, whose spans have no status, and OpenClaw
	// have signs of their own, also for a call that was refused.
	// Source: https://github.com/open-telemetry/semantic-conventions, docs/gen-ai/{gen-ai-agent-spans,mcp}.md; https://github.com/0xPlaygrounds/rig,
	// crates/rig-agent/src/agent/runner.rs and crates/rig-core/src/tool/result.rs; https://github.com/openclaw/openclaw,
	// extensions/diagnostics-otel/src/service-recorders-tools.ts.
	{
		name: "gen_ai", marks: []string{genAIOperation, genAIToolName, llmRequestType}, role: genAIRole,
		failed:       []sign{{errorType, ""}, {rigOutcome, "error"}},
		notMade:      []sign{{rigOutcome, "denied"}, {rigOutcome, "skipped"}, {"openclaw.outcome", "blocked"}},
		messages:     GenAIMessages,
		clients:      true,
		conventional: true,
		except:       genAIExceptions,
	},
	// The Model Context Protocol, where an instrumentation sets no operation of the conventions.
	// Source: https://github.com/open-telemetry/semantic-conventions, docs/gen-ai/mcp.md; for the other keys,
	// https://github.com/getsentry/sentry-javascript, packages/core/src/integrations/mcp-server.
	{
		name: "mcp", kind: []string{mcpMethod}, kinds: []meaning{{mcpCallTool, ToolCall}}, all: true,
		tool:         names{[]string{genAIToolName, "mcp.tool.name"}, conventions.tool.spans},
		output:       payloads{keys: slices.Concat(conventions.output.keys, []string{"mcp.tool.result.content"})},
		failed:       []sign{{"mcp.tool.result.is_error", "true"}, {errorType, ""}},
		conventional: true,
		except:       mcpExceptions,
	},
	// OpenInference: tools, agents, model calls, and the chains that represent a run. All other kinds are parts of these.
	// Source: https://github.com/Arize-ai/openinference, spec/semantic_conventions.md.
	{
		name: "openinference", scopes: []string{openInferenceJS + "*", openInferencePy + "*"}, marks: []string{openInferenceKind}, role: openInferenceRole,
		tool:         names{[]string{openInferenceToolName, genAIToolName}, conventions.tool.spans},
		agent:        names{[]string{openInferenceAgentName, genAIAgentName, openInferenceNodeName, openInferenceNodeID}, []string{"*"}},
		workflow:     anyName,
		id:           []string{"tool_call.id", "tool.id", "tanstack.ai.tool.call.id", genAICallID},
		conversation: []string{sessionID, genAIConversation},
		arguments:    payloads{read: (*source).openInferenceArguments},
		output:       payloads{read: (*source).openInferenceResult},
		messages:     OpenInferenceMessages,
		clients:      true,
		except:       openInferenceExceptions,
	},
	// Those that write a kind and no operation of the conventions: traceAI, the SDKs of Alibaba Cloud, and Dify's workflows, whose tools' spans have the
	// titles of nodes. Source: https://github.com/future-agi/traceAI, python/fi_instrumentation/fi_types.py; https://github.com/langgenius/dify,
	// api/extensions/otel/{parser,semconv}.
	{
		name: "span kind", marks: []string{spanKind}, role: spanKindRole,
		conversation: []string{genAIConversation, sessionID, "gen_ai.session.id"},
		arguments:    payloads{keys: []string{genAIArguments, "input.value"}},
		output:       payloads{keys: []string{genAIResult, "output.value"}, blocks: true},
	},
})

// conventions are the keys of OpenTelemetry's semantic conventions and of their forerunners. They follow the keys of every dialect.
var conventions = table{
	tool:         names{[]string{genAIToolName}, []string{"execute_tool *", "tools/call *", "*"}},
	agent:        names{[]string{genAIAgentName}, []string{"invoke_agent *"}},
	workflow:     names{[]string{"gen_ai.workflow.name"}, []string{"invoke_workflow *"}},
	id:           []string{genAICallID, "gen_ai.tool.call_id", "gen_ai.tool_call.id"}, // the last by Google's ADK for Java
	conversation: []string{genAIConversation, sessionID, vercelContext},
	arguments: payloads{keys: []string{
		genAIArguments, sentryInput, vercelArguments, "gen_ai.tool.arguments", "gen_ai.tool.args", "gen_ai.tool.call.args",
	}},
	output: payloads{keys: []string{
		genAIResult, sentryOutput, vercelResult, "code.function.return.value", "gen_ai.tool.result", "gen_ai.tool.call.output", "gen_ai.output",
	}},
}

// anyName is a name that only the span's name has.
var anyName = names{spans: []string{"*"}}
