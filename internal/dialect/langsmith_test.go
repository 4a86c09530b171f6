package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestLangSmith(t *testing.T) {
	tool := func(input, output string) map[string]any {
		return map[string]any{
			langSmithKind: "tool", genAIOperation: executeTool, "langsmith.trace.name": "weather",
			langSmithInput: input, langSmithOutput: output,
		}
	}
	const toolMessage = `{"type":"tool","content":"7","tool_call_id":"call_1","name":"weather","status":"error"}`
	langChain := func(input, output string) map[string]any {
		attributes := tool(input, output)
		attributes[langSmithNode] = "tools"
		return attributes
	}
	oslo := func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) }
	checkRows(t, []row{
		{
			name:       "a traced function",
			span:       "weather",
			attributes: tool(`{"city":"Oslo"}`, `{"temp":7}`),
			status:     ptrace.StatusCodeOk,
			want: call("weather").with(oslo).with(func(r *Reading) {
				r.Call.Output, r.Call.Status = scoring.JSON(`{"temp":7}`), scoring.StatusOK
			}),
			reason: "the run's inputs and outputs",
		},
		{
			name:       "a lone text",
			attributes: tool(`{"input":"Oslo"}`, `{"outputs":"sunny"}`),
			want: call("weather").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"input":"Oslo"}`), scoring.JSON("sunny")
			}),
			reason: "a tool may have an argument called input; an output of that form is made by the SDK",
		},
		{
			name:       "LangChain in JavaScript",
			attributes: langChain(`{"input":"{\"city\":\"Oslo\"}"}`, ""),
			want:       call("weather").with(oslo),
			reason:     "it hands the arguments over as JSON text",
		},
		{
			name:       "a function with a text",
			attributes: tool(`{"input":"{\"city\":\"Oslo\"}"}`, ""),
			want: call("weather").with(func(r *Reading) {
				r.Traits, r.Call.Arguments = UnnamedArgument, scoring.JSON(`{"input":"{\"city\":\"Oslo\"}"}`)
			}),
			reason: "without the metadata of LangChain, a model may have written the text",
		},
		{
			name:       "LangChain in Python",
			attributes: langChain(`{"input":"{'city': 'Oslo'}"}`, `{"output":`+toolMessage+`}`),
			want:       call("weather").with(oslo).with(func(r *Reading) { r.Call.Output = scoring.JSON("7") }),
			reason:     "it hands them over in their Python form, and answers with a message, whose id could be the tool's words",
		},
		{
			name:       "a function that returns the form of a message",
			attributes: tool(`{"city":"Oslo"}`, toolMessage),
			want:       call("weather").with(oslo).with(func(r *Reading) { r.Call.Output = scoring.JSON(toolMessage) }),
			reason:     "nothing says that LangChain called it",
		},
		{
			name: "wrong types",
			span: "weather",
			attributes: map[string]any{
				langSmithKind: "tool", "langsmith.trace.name": []any{"a"}, langSmithInput: map[string]any{"city": "Oslo"},
				"langsmith.metadata.thread_id": map[string]any{"a": "b"},
			},
			want:   call("weather").with(oslo),
			reason: "they are as good as absent; a value's own type is kept",
		},
		{
			name: "a function that asks a model",
			attributes: map[string]any{
				langSmithKind: "llm", genAIOperation: chat,
				langSmithOutput: `{"output":{"answer":"x","tool_calls":[{"id":"c","name":"verify","args":{}}]}}`,
			},
			want:   Reading{Role: ModelCall, Traits: MessagesOnly},
			reason: "the function may return what the model wrote, so nothing in it is a request",
		},
		{
			name:       "a model of another type",
			attributes: map[string]any{langSmithKind: "llm", "langsmith.metadata.ls_model_type": "llm"},
			want:       Reading{Role: ModelCall, Traits: MessagesOnly},
			reason:     "its response is a text",
		},
		{
			name:       "a tool of the conventions",
			attributes: map[string]any{langSmithKind: "chain", genAIOperation: executeTool, genAIToolName: "weather", genAIArguments: `{"city":"Oslo"}`},
			want:       call("weather").with(oslo),
			reason:     "a chain is what a run is called if nothing is known of it, and another instrumentation knows",
		},
		{
			name:       "a model call of the conventions",
			attributes: map[string]any{langSmithKind: "chain", genAIOperation: "generate_content"},
			want:       Reading{Role: ModelCall, Messages: GenAIMessages, Traits: MessagesOnly},
			reason:     "the same",
		},
		{
			name:       "a retriever",
			attributes: map[string]any{langSmithKind: "retriever"},
			reason:     "known, and no tool that the model asked for",
		},
		{
			name:       "a kind that is not known",
			attributes: map[string]any{langSmithKind: "agent", genAIOperation: invokeAgent, genAIAgentName: "Support"},
			want:       Reading{Role: Agent, Agent: "Support"},
			reason:     "the conventions may know it",
		},
	})
	t.Run("a failure", func(t *testing.T) {
		span := newSpan("weather", tool(`{"city":"Oslo"}`, ""))
		span.Status().SetCode(ptrace.StatusCodeOk)
		span.Events().AppendEmpty().SetName("exception")
		want := call("weather").with(oslo).with(func(r *Reading) { r.Call.Status = scoring.StatusFailed })
		checkReading(t, "langsmith", span, want, "the status may stay as it was when the run began")
	})
	t.Run("a chain inside", func(t *testing.T) {
		span := newSpan("tools", map[string]any{langSmithKind: "chain", "langsmith.trace.name": "tools"})
		span.SetParentSpanID(pcommon.SpanID{1})
		checkReading(t, "langsmith", span, Reading{}, "it is a part of the run")
	})
}
