package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenInference for DSPy. A span is named after a class and a method, or after a tool and a method.
//
// Source: https://github.com/Arize-ai/openinference, python/instrumentation/openinference-instrumentation-dspy/src/
// openinference/instrumentation/dspy/__init__.py; https://github.com/stanfordnlp/dspy, dspy/predict/{react,code_act}.py.

// dspyGenAIScope is OpenTelemetry's own instrumentation of DSPy. It writes the arguments by the parameters of the tool's function.
// A function that takes any arguments has one parameter for them.
//
// Source: https://github.com/open-telemetry/opentelemetry-python-genai, instrumentation.
const dspyGenAIScope = "opentelemetry.instrumentation.genai.dspy"

// dspyTool reads a tool's span. Its arguments are those that the tool's function was called with.
func (s *source) dspyTool(r *Reading) {
	s.openInferenceTool(r)
	if r.Role != ToolCall {
		return
	}
	r.setArguments(unwrapMethod(r.Call.Arguments))
	if s.text(openInferenceToolName, genAIToolName) == "" {
		r.Call.Name = withoutMethod(r.Call.Name, ".__call__", ".acall")
	}
	if r.endsRun() {
		*r = Reading{}
	}
}

// endsRun reports whether a call is of the tool that DSPy offers for the end of a run, also if its content is hidden. A server may give a tool
// that name as well. Such a tool shows by its arguments, or by what it returned.
func (r *Reading) endsRun() bool {
	if r.Call.Name != "finish" {
		return false
	}
	arguments, captured := r.Call.Arguments.Value()
	output, ok := r.Call.Output.Value()
	return (!captured || arguments.Kind() == scoring.Object && arguments.Len() == 0) && (!ok || output.Text() == "Completed.")
}

// dspyModule finds the modules that call tools. They have no names beside those of their classes, which every agent of
// the class has, so the span does not have the agent's name.
func (s *source) dspyModule(r *Reading) {
	if class := withoutMethod(s.spanName(), ".__call__", ".acall", ".forward", ".aforward"); class == "ReAct" || class == "CodeAct" {
		*r = Reading{Role: Agent, Conversation: r.Conversation}
		return
	}
	s.outermost(r)
}

// withoutMethod takes the first of methods that ends the name of a span off it.
func withoutMethod(name string, methods ...string) string {
	for _, method := range methods {
		if class, ok := strings.CutSuffix(name, method); ok && class != "" {
			return class
		}
	}
	return name
}
