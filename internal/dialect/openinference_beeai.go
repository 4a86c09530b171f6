package dialect

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenInference for BeeAI in JavaScript. It makes a span of each of the framework's events, so a call is three of
// them: tool.dynamic.getWeather.start-1, then .success-1 or .error-1, then .finish-1. The number counts events of
// that name in the run, in the order in which they were written, and does not join the three.
//
// Source: https://github.com/Arize-ai/openinference, js/packages/openinference-instrumentation-beeai/src; the names of
// events: https://github.com/i-am-bee/beeai-framework, typescript/src/tools/base.ts.
const (
	beeAIScope  = "@arizeai/openinference-instrumentation-beeai"
	beeAIRoot   = "beeai-framework-main"
	beeAITarget = "target"      // the event's path: the span's name without its number
	beeAISource = "source"      // the agent's class
	beeAIFinal  = "finalAnswer" // final_answer, a tool that the framework adds, as it stands in a path
)

// OpenInference for BeeAI in Python makes a span of each call, of each agent and of some events. An event has the kind of the span above,
// and no class.
//
// Source: https://github.com/Arize-ai/openinference, python/instrumentation/openinference-instrumentation-beeai.
const (
	beeAIPyScope = "openinference.instrumentation.beeai"
	beeAIClass   = "metadata.class_name"
)

// readBeeAI recognizes all of its spans. Spans of kind AGENT below the root are the steps of an agent. The steps of an agent
// that is a tool are below that tool's span. None of them names its agent.
func (s *source) readBeeAI(r *Reading) {
	switch {
	case r.Role == ToolCall:
		s.beeAICall(r)
	case r.Role == Agent:
		r.Agent = cmp.Or(s.text(beeAISource), s.spanName())
	case r.Role == Step:
		r.Conversation = ""
	case r.Role == ModelCall && strings.HasSuffix(s.beeAIPath(), ".success"):
		r.Messages = BeeAIMessages
	default:
		*r = Reading{}
	}
}

// beeAICall reads the events that record a call. The path has the tool's name in camel case. The message with the tool
// request has the real name, if the span repeats it.
func (s *source) beeAICall(r *Reading) {
	path, event := cutLast(s.beeAIPath())
	kind, name := cutLast(path)
	if name == "" || name == beeAIFinal && kind == "tool.dynamic" { // tools of servers are of another kind
		*r = Reading{}
		return
	}
	r.CallID, r.Traits = "", NormalizedName
	r.Call = scoring.Call{Name: name, Arguments: s.payload(openInferenceParameters)}
	if tool, id := s.beeAIRequest(); camelCase(tool) == name {
		r.Call.Name, r.CallID, r.Traits = tool, id, 0
	}
	switch event {
	case "start":
	case "success":
		r.Traits |= ResultOnly
		r.Call.Status = scoring.StatusOK
		r.Call.Output = s.openInferenceValue(openInferenceOutput, openInferenceOutputType)
		if v, _ := r.Call.Output.Value(); hasExactly(v, "result") {
			r.Call.Output = payloadOf(at(v, "result"))
		}
	case "error":
		r.Traits |= ResultOnly
		r.Call.Status = scoring.StatusFailed
	default:
		*r = Reading{}
	}
}

// beeAIRequest is the tool and the call id of the message that asked for the call, which is a member of the metadata: what the framework knew
// when the event was written, as JSON. The rest is not decoded, because it is the agent's whole memory, and arguments may be too deep.
func (s *source) beeAIRequest() (tool, callID string) {
	asked := words.Member(s.marker(openInferenceMetadata), "toolCallMsg")
	name, _ := scoring.Decode(words.Member(asked, "toolName"))
	id, _ := scoring.Decode(words.Member(asked, "toolCallId"))
	return valid(name.Text()), valid(id.Text())
}

func isBeeAIFinal(name string) bool { return camelCase(name) == beeAIFinal }

// camelCase writes a tool's name as BeeAI's paths do.
func camelCase(name string) string {
	var b strings.Builder
	upper := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = b.Len() > 0
			continue
		case upper:
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}
	return b.String()
}

// beeAIPath falls back to the span's name, without the number.
func (s *source) beeAIPath() string {
	if path := s.text(beeAITarget); path != "" {
		return path
	}
	name := s.spanName()
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		return name[:i]
	}
	return name
}

// cutLast parts a path at its last dot.
func cutLast(path string) (before, last string) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}
