package dialect

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// modelSpans says which spans of a library are model calls, and how their messages are written. It reads the spans themselves
// without their dialects, so that a fault in one does not hide another.
var modelSpans = []struct {
	library string
	shape   Messages
	is      func(scope string, span ptrace.Span) bool
}{
	{"openinference-openai@4.2.7-chat", OpenInferenceMessages, has(openInferenceKind, "LLM")},
	{"openinference-openai@4.2.7-responses", OpenInferenceMessages, has(openInferenceKind, "LLM")},
	{"openinference-langchain@4.1.1", LangChainMessages, has(openInferenceKind, "LLM")},
	{"openinference-openai-agents@0.2.15", OpenInferenceMessages, has(openInferenceKind, "LLM")},
	{"openinference-openai-agents+openai-double@0.2.15", OpenInferenceMessages, func(scope string, span ptrace.Span) bool {
		// The calls are recorded twice; here by the instrumentation that knows the tools.
		return strings.HasSuffix(scope, "-openai") && has(openInferenceKind, "LLM")(scope, span)
	}},
	{"openinference-beeai@1.5.30", BeeAIMessages, func(scope string, span ptrace.Span) bool {
		return has("target", "backend.openai.chat.success")(scope, span)
	}},
	{"traceloop-sdk@0.27.0-openai", GenAIMessages, has(genAIOperation, "chat")},
	{"traceloop-mcp@0.27.0", GenAIMessages, has(genAIOperation, "chat")},
	{"vercel-ai@4.3.19", VercelMessages, isVercelStep},
	{"vercel-ai@5.0.277", VercelMessages, isVercelStep},
	{"vercel-ai@6.0.326", VercelMessages, isVercelStep},
	{"vercel-ai@7.0.173+legacy-otel", VercelMessages, isVercelStep},
	{"vercel-ai@7.0.173+both-otel", VercelMessages, isVercelStep},
	{"vercel-ai@7.0.173+both-otel", GenAIMessages, has(genAIOperation, "chat")},
	{"vercel-ai@7.0.173+ai-sdk-otel@1.0.173", GenAIMessages, has(genAIOperation, "chat")},
	{"openinference-vercel@2.8.1", VercelMessages, isVercelStep},
	{"google-adk-js@2.0.0", ADKMessages, func(_ string, span ptrace.Span) bool { return span.Name() == "call_llm" }},
	{"strands-ts@1.16.0", StrandsMessages, has(genAIOperation, "chat")},
	{"genkit@1.42.0", GenkitMessages, has("genkit:metadata:subtype", "model")},
	{"langfuse-langchain@5.11.1", LangfuseMessages, has("langfuse.observation.type", "generation")},
}

func has(key, value string) func(string, ptrace.Span) bool {
	return func(_ string, span ptrace.Span) bool {
		v, ok := span.Attributes().Get(key)
		return ok && v.AsString() == value
	}
}

func isVercelStep(scope string, span ptrace.Span) bool {
	return has("ai.operationId", "ai.generateText.doGenerate")(scope, span) ||
		has("ai.operationId", "ai.streamText.doStream")(scope, span)
}

// Models requested what the tools logged: every call once, with its id, and no other.
func TestAskedEqualsWhatReallyHappened(t *testing.T) {
	forModelSpans(t, func(t *testing.T, library string, _ Messages, scenario corpus.Scenario, answers []ModelResponse) {
		tools := scenario.Tools()
		switch {
		case scenario.Name == "no_content" && !showsHidden(library):
			tools = nil // names are content as well: only a tool's own span still has them
		case scenario.Name == "unknown_tool" && !listsTools(library):
			tools = append(tools, scenario.NotExecuted...)
		}
		var want, got []string
		for _, tool := range tools {
			want = append(want, tool.CallID+" "+tool.Name+" "+canonical(t, string(tool.Arguments)))
		}
		for _, a := range answers {
			for _, call := range a.Requests {
				if call.Name != "final_answer" { // BeeAI's own, at the end of each run
					got = append(got, call.ID+" "+call.Name+" "+written(t, call.Arguments))
				}
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("calls (-happened +asked):\n%s", diff)
		}
	})
}

// showsHidden lists the libraries that show messages even if content is switched off. One has no switch, and only one of the
// other's two instrumentations has it.
func showsHidden(library string) bool {
	return library == "strands-ts@1.16.0" || library == "openinference-openai-agents+openai-double@0.2.15"
}

// listsTools are the libraries whose model calls list the offered tools.
func listsTools(library string) bool {
	return library != "strands-ts@1.16.0" && library != "openinference-openai-agents@0.2.15"
}

// Messages show models the result of every call and no other result, and failures if the messages have a place for them.
func TestResultsAreOfCallsThatHappened(t *testing.T) {
	forModelSpans(t, func(t *testing.T, library string, shape Messages, scenario corpus.Scenario, answers []ModelResponse) {
		want, got := map[string]bool{}, map[string]bool{}
		if scenario.Name != "no_content" || showsHidden(library) {
			want = wantResults(library, shape, scenario)
		}
		for _, a := range answers {
			for _, r := range a.Results {
				got[r.ID] = got[r.ID] || r.Failed
				if !r.Output.Captured() {
					t.Errorf("the result of %s has no output", r.ID)
				}
			}
		}
		for _, call := range scenario.NotExecuted {
			delete(got, call.CallID) // the framework returned to the model that there is no such tool
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("results and whether they failed (-happened +told):\n%s", diff)
		}
	})
}

func wantResults(library string, shape Messages, scenario corpus.Scenario) map[string]bool {
	want := map[string]bool{}
	switch {
	case strings.HasPrefix(library, "openinference-langchain"), shape == LangfuseMessages, shape == BeeAIMessages:
		return want // their results have no id in the messages, or stand in another span
	}
	tellsFailure := shape == VercelMessages || shape == StrandsMessages
	for _, tool := range scenario.Tools() {
		if tool.Error != "" && (library == "genkit@1.42.0" || library == "vercel-ai@4.3.19") {
			continue // a failure ends the run, and the model is not shown it
		}
		want[tool.CallID] = tool.Error != "" && tellsFailure
	}
	return want
}

func forModelSpans(t *testing.T, check func(*testing.T, string, Messages, corpus.Scenario, []ModelResponse)) {
	t.Helper()
	for _, model := range modelSpans {
		for _, scenario := range corpus.Open(t, model.library).Scenarios {
			t.Run(model.library+"/"+scenario.Name, func(t *testing.T) {
				var answers []ModelResponse
				for _, request := range scenario.Requests {
					forSpans(request, func(scope string, span ptrace.Span) {
						if model.is(scope, span) {
							answers = append(answers, model.shape.Response(span, everything, new(Scratch)))
						}
					})
				}
				check(t, model.library, model.shape, scenario, answers)
			})
		}
	}
}
