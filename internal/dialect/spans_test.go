package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// ordinarySpan is a server's span of an HTTP request, with the attributes of the semantic conventions.
func ordinarySpan() ptrace.Span {
	span := ptrace.NewSpan()
	span.SetName("GET /orders/{id}")
	span.SetKind(ptrace.SpanKindServer)
	attributes := span.Attributes()
	attributes.PutStr("http.request.method", "GET")
	attributes.PutStr("url.path", "/orders/42")
	attributes.PutStr("url.scheme", "https")
	attributes.PutStr("http.route", "/orders/{id}")
	attributes.PutInt("http.response.status_code", 200)
	attributes.PutStr("server.address", "shop.example")
	attributes.PutInt("server.port", 443)
	attributes.PutStr("user_agent.original", "curl/8.9")
	return span
}

func modelCallSpan() ptrace.Span {
	return newSpan("chat gpt-4o-mini", map[string]any{
		genAIOperation:                   "chat",
		"gen_ai.provider.name":           "openai",
		"gen_ai.request.model":           "gpt-4o-mini",
		"gen_ai.usage.input_tokens":      40,
		"gen_ai.usage.output_tokens":     12,
		"gen_ai.input.messages":          "[]",
		"gen_ai.output.messages":         "[]",
		"gen_ai.response.finish_reasons": "stop",
	})
}

func toolSpan() ptrace.Span {
	return newSpan("execute_tool search_orders", map[string]any{
		genAIOperation:     executeTool,
		genAIToolName:      "search_orders",
		genAICallID:        "call_1",
		"gen_ai.tool.type": "function",
		genAIArguments:     `{"order_id":"A-100","limit":10}`,
		genAIResult:        `[{"id":"A-100","status":"shipped"}]`,
	})
}

func agentSpan() ptrace.Span {
	return newSpan("invoke_agent support", map[string]any{
		genAIOperation:         invokeAgent,
		"gen_ai.provider.name": "openai",
		"gen_ai.request.model": "gpt-4o-mini",
		genAIAgentName:         "support",
		genAIConversation:      "conversation-1",
	})
}

func openInferenceVercelSpan() ptrace.Span {
	return newSpan("ai.toolCall support", map[string]any{
		"operation.name":          "ai.toolCall support",
		"resource.name":           "support",
		"ai.operationId":          "ai.toolCall",
		"ai.telemetry.functionId": "support",
		"ai.toolCall.name":        "search_orders",
		"ai.toolCall.id":          "call_1",
		vercelArguments:           `{"order_id":"A-100"}`,
		vercelResult:              `"shipped"`,
		"tool_call.id":            "call_1",
		openInferenceToolName:     "search_orders",
		openInferenceParameters:   `{"order_id":"A-100"}`,
		openInferenceInput:        `{"order_id":"A-100"}`,
		openInferenceInputType:    "application/json",
		openInferenceOutput:       `"shipped"`,
		openInferenceOutputType:   "text/plain",
		openInferenceKind:         "TOOL",
	})
}

func mapSpan() ptrace.Span {
	span := toolSpan()
	arguments := span.Attributes().PutEmptyMap(genAIArguments)
	arguments.PutStr("order_id", "A-100")
	arguments.PutInt("limit", 10)
	return span
}

// longResultSpan is a tool's with a result of 4 KiB.
func longResultSpan() ptrace.Span {
	span := toolSpan()
	span.Attributes().PutStr(genAIResult, `{"status":"shipped","note":"`+strings.Repeat("It went by the last ship. ", 160)+`"}`)
	return span
}

func newSpan(name string, attributes map[string]any) ptrace.Span {
	span := ptrace.NewSpan()
	span.SetName(name)
	if err := span.Attributes().FromRaw(attributes); err != nil {
		panic(err) // a type in a test's own table
	}
	return span
}

func forSpans(request ptrace.Traces, visit func(scope string, span ptrace.Span)) {
	for _, resource := range request.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				visit(scope.Scope().Name(), span)
			}
		}
	}
}

// Read reads one span with a fresh scratch.
func (c Scope) Read(span ptrace.Span) (Reading, bool) {
	var r Reading
	m := c.Marks(span)
	isKnown := !m.None() && c.ReadMarked(span, m, new(Scratch), &r)
	return r, isKnown
}
