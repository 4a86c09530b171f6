package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/wrapped"
)

// OpenInference for DSPy. A span is named after a class and a method, or after a tool and a method.
//
// Source: https://github.com/Arize-ai/openinference, python/instrumentation/openinference-instrumentation-dspy/src/
// openinference/instrumentation/dspy/__init__.py; https://github.com/stanfordnlp/dspy, dspy/predict/{react,code_act}.py.

// dspyFinish is what DSPy's agents offer to the model as a tool besides the application's own: it ends the run.
const dspyFinish = "finish"

// dspyGenAIScope is OpenTelemetry's own instrumentation of DSPy. It writes the arguments by the parameters of the tool's function.
// A function that takes any arguments has one parameter for them.
//
// Source: https://github.com/open-telemetry/opentelemetry-python-genai, instrumentation.
const dspyGenAIScope = "opentelemetry.instrumentation.genai.dspy"

// dspyTool reads a tool's span. Its arguments are those that the tool's function was called with.
func (s *source) dspyTool() Reading {
	name := withoutMethod(s.openInferenceToolName())
	if name == dspyFinish {
		return Reading{}
	}
	r := s.openInferenceTool()
	if r.Role == ToolCall {
		r.Call.Name, r.Call.Arguments = name, wrapped.Method(r.Call.Arguments)
	}
	return r
}

// dspyModule finds the modules that call tools. They have no names beside those of their classes, which every agent of
// the class has, so the span does not have the agent's name.
func (s *source) dspyModule() Reading {
	switch withoutMethod(s.spanName()) {
	case "ReAct", "CodeAct":
		return Reading{Role: Agent, Conversation: s.text(sessionID, genAIConversation)}
	}
	return s.openInferenceChain()
}

// withoutMethod takes the method off the name of a span.
func withoutMethod(name string) string {
	for _, method := range [...]string{".__call__", ".acall", ".forward", ".aforward"} {
		if class, ok := strings.CutSuffix(name, method); ok && class != "" {
			return class
		}
	}
	return name
}
