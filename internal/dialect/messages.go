package dialect

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Messages is a way to write down what a model was given and what it answered.
type Messages uint8

const (
	NoMessages            Messages = iota
	VercelMessages                 // ai.response.toolCalls and ai.prompt.messages
	GenAIMessages                  // gen_ai.output.messages and gen_ai.input.messages, and what came before them
	OpenInferenceMessages          // llm.output_messages.<i>... and llm.input_messages.<i>..., flattened
	ADKMessages                    // gcp.vertex.agent.llm_response and .llm_request
	StrandsMessages                // span events, each with a list of content blocks
	GenkitMessages                 // genkit:output and genkit:input
	BeeAIMessages                  // output.value and input.value, as lists of the framework's messages
	LangSmithMessages              // gen_ai.completion and gen_ai.prompt, as the provider or LangChain returned them
	LangfuseMessages               // langfuse.observation.output and .input, likewise
	LogfireMessages                // response_data and request_data, likewise
)

// An Answer is what a model call tells of tool calls.
type Answer struct {
	// Asked are the calls that the model asks for, in its order. A tool that was not offered to the model is not
	// among them: nobody can have executed it.
	Asked []Asked
	// Results are those of earlier calls that the model was given since the user spoke last.
	Results []Result
}

// Asked is a call that a model asks for.
type Asked struct {
	ID        string // "" if the model gave it none
	Name      string
	Arguments scoring.Payload
}

// Result is what came out of a call, as the model was told.
type Result struct {
	ID     string
	Output scoring.Payload
	Failed bool
}

// answers are the readers of messages.
var answers = [...]func(source) Answer{
	NoMessages:            func(source) Answer { return Answer{} },
	VercelMessages:        source.vercelAnswer,
	GenAIMessages:         source.genAIAnswer,
	OpenInferenceMessages: source.openInferenceAnswer,
	ADKMessages:           source.adkAnswer,
	StrandsMessages:       source.strandsAnswer,
	GenkitMessages:        source.genkitAnswer,
	BeeAIMessages:         source.beeAIAnswer,
	LangSmithMessages:     source.langSmithAnswer,
	LangfuseMessages:      source.langfuseAnswer,
	LogfireMessages:       source.logfireAnswer,
}

// Answer reads the messages of a model call. It reads no results where they are not asked for: the input repeats the
// whole history, and is long.
//
// Laws:
//   - what stands in the input is never asked for again, and no call without a name is asked for;
//   - a result has an id: without one nobody could say which call it belongs to;
//   - the same span gives the same Answer, is not changed, and is not kept alive by the Answer's texts;
//   - names and ids are valid UTF-8.
func (m Messages) Answer(span ptrace.Span, results bool) Answer {
	s := source{span: span, attributes: span.Attributes(), results: results}
	return answers[m](s)
}

// Empty reports whether the model asked for nothing and was told of nothing.
func (a Answer) Empty() bool { return len(a.Asked) == 0 && len(a.Results) == 0 }

// ask adds a call. Without a name it is none.
func (a *Answer) ask(call Asked) {
	if call.Name != "" {
		a.Asked = append(a.Asked, call)
	}
}

// tell adds a result, if it says of what.
func (a *Answer) tell(r Result) {
	if r.ID != "" {
		a.Results = append(a.Results, r)
	}
}

// offered are the names of the tools that a model could ask for, or nil where the span does not tell.
type offered map[string]bool

// asks reports whether a call of that name can have been executed.
func (o offered) asks(name string) bool { return o == nil || o[name] }

// of leaves out of a what was not offered.
func (a Answer) of(o offered) Answer {
	if o == nil {
		return a
	}
	a.Asked = slices.DeleteFunc(a.Asked, func(call Asked) bool { return !o.asks(call.Name) })
	if len(a.Asked) == 0 {
		a.Asked = nil
	}
	return a
}

// toolNames are the names in a list of tools, however a provider describes a tool. A list that is empty, or has a tool
// without a name among its tools, tells nothing: what it leaves out could have been offered as well.
func toolNames(tools scoring.Value) offered {
	var names offered
	for tool := range tools.Elements() {
		if tool.Kind() == scoring.String {
			tool = opened(tool)
		}
		if names = names.with(tool); names == nil {
			return nil
		}
	}
	return names
}

// with adds the name of a tool, or those of all functions that a tool of Gemini declares. It is nil if there is none.
func (o offered) with(tool scoring.Value) offered {
	if functions := first(tool, "functionDeclarations", "function_declarations"); functions.Len() > 0 {
		for function := range functions.Elements() {
			if o = o.named(text(function, "name")); o == nil {
				return nil
			}
		}
		return o
	}
	if tool.Kind() == scoring.String {
		return o.named(valid(tool.Text()))
	}
	for _, holder := range [...]scoring.Value{tool, at(tool, "function"), at(tool, "toolSpec")} {
		if name := text(holder, "name"); name != "" {
			return o.named(name)
		}
	}
	return nil
}

func (o offered) named(name string) offered {
	if name == "" {
		return nil
	}
	if o == nil {
		o = offered{}
	}
	o[name] = true
	return o
}
