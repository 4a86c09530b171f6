package dialect

import (
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
	LangChainMessages              // as OpenInferenceMessages, with LangChain's generations in output.value
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
	LangChainMessages:     source.langChainAnswer,
}

// Want says what somebody will read of an Answer besides the calls that it asks for. To read less is cheaper: the input
// repeats the whole history, and payloads are copied.
type Want struct {
	Results bool
	// Arguments are those of calls, Outputs those of results. Where they are not wanted they count as not captured.
	Arguments, Outputs bool
}

// Answer reads the messages of a model call, on a desk that no other Answer is read on at the same time.
//
// Laws:
//   - what stands in the input is never asked for again, and no call without a name is asked for;
//   - a result has an id: without one nobody could say which call it belongs to;
//   - the same span gives the same Answer, is not changed, and is not kept alive by the Answer's texts;
//   - names and ids are valid UTF-8;
//   - to want less leaves out what is not wanted, and changes nothing else.
func (m Messages) Answer(span ptrace.Span, want Want, desk *Desk) Answer {
	desk.want = want
	a := answers[m](source{span: span, attributes: span.Attributes(), desk: desk})
	desk.leave()
	return a
}

// Empty reports whether the model asked for nothing and was told of nothing.
func (a Answer) Empty() bool { return len(a.Asked) == 0 && len(a.Results) == 0 }

// A draft is an Answer that is being put together.
type draft struct {
	Answer
	desk *Desk
}

func (s source) draft() draft { return draft{desk: s.desk} }

// ask adds a call. Without a name it is none.
func (a *draft) ask(call Asked) {
	if call.Name != "" {
		a.Asked = append(a.Asked, call)
	}
}

// tell adds a result, if it says of what.
func (a *draft) tell(r Result) {
	if r.ID != "" {
		a.Results = append(a.Results, r)
	}
}
