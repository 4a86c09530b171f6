package dialect

import (
	"cmp"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	mlflowType    = "mlflow.spanType"
	mlflowOutputs = "mlflow.spanOutputs"
	// MLflow makes attributes of what LangChain passes to its callback: the call's id since langchain-core 1.1, and metadata.
	mlflowCallID = "tool_call_id"
)

var mlflowKinds = []meaning{{"TOOL", ToolCall}, {"AGENT", Agent}}

// mlflowRole knows tools, agents and the outermost chain. LangGraph's nodes are chains inside a chain, and represent no run.
func mlflowRole(s *source) (Role, bool) {
	kind := strings.Trim(s.marker(mlflowType), `"\`)
	if kind == "CHAIN" || kind == "WORKFLOW" {
		agent, node := s.langChainMetadata()
		role := s.chainRole(s.spanName(), agent, node)
		return role, role != Nothing
	}
	return roleIn(mlflowKinds, kind)
}

// mlflowExceptions: the conversation may be the thread of LangGraph that the span's metadata names, which is on every span of its agents and
// graphs. A message is written as an object. A text in the form of one is the tool's.
func mlflowExceptions(s *source, r *Reading) {
	metadata := s.marker(openInferenceMetadata)
	if r.Conversation == "" && strings.Contains(metadata, langGraphThread) {
		v, _ := scoring.Decode(metadata)
		r.Conversation = member(v, langGraphThread)
	}
	if r.Role == Agent && strings.HasPrefix(s.span.Name(), "Agent.run") { // a method of Pydantic AI's
		r.Agent = cmp.Or(s.text("name"), r.Agent)
	}
	if r.Role != ToolCall || s.ofPydanticMethod(r) {
		return
	}
	r.Call.Name = cmp.Or(r.Call.Name, s.text("mlflow.spanFunctionName"))
	langChain := s.text(mlflowCallID) != "" || strings.Contains(metadata, langGraphNode) || strings.Contains(metadata, lcAgentName)
	if langChain && s.payload(mlflowOutputs) == r.Call.Output {
		r.withContent(r.Call.Output)
		return
	}
	r.Call.Output = contentList(r.Call.Output)
}

// ofPydanticMethod reads the spans that MLflow makes of methods of Pydantic AI before its version 2, and names after them. One lists the
// tools of a server. The others have the name of the tool among the method's arguments, which are often a text of Python's that is none of
// its literals behind the first of them.
//
// Source: https://github.com/mlflow/mlflow, mlflow/pydantic_ai.
func (s *source) ofPydanticMethod(r *Reading) bool {
	class, method, _ := strings.Cut(s.span.Name(), ".")
	isServer := strings.HasPrefix(class, "MCPServer")
	var call scoring.Value
	switch given, _ := r.Call.Arguments.Value(); {
	case isServer && method == "list_tools":
		*r = Reading{}
		return true
	case isServer && method == "call_tool":
		if call = given; given.Kind() == scoring.String {
			first, _, _ := strings.Cut(given.Text(), ", 'ctx': ")
			call, _ = pyliteral.Payload(first + "}").Value()
		}
		r.Traits |= MCP
	case class == "ToolManager" && method == "handle_call":
		call = at(given, "call")
	case class == "ToolManager" && method == "execute_tool_call":
		first, rest, _ := strings.Cut(strings.TrimPrefix(given.Text(), "{'validated': {'call': "), "), 'tool': ")
		if call, _ = pyliteral.Repr(first+")", maxValues); strings.HasPrefix(rest, "None") {
			r.Traits |= NotMade
		}
	default:
		return false
	}
	if name := cmp.Or(at(call, "tool_name").Text(), at(call, "name").Text()); name != "" {
		r.Call.Name, r.CallID, r.Call.Arguments = valid(name), valid(at(call, "tool_call_id").Text()), payloadOf(first(call, "args", "tool_args"))
		return true
	}
	r.Call.Arguments, r.Traits = scoring.Payload{}, r.Traits|LostName
	return true
}

// unquoted is a text without the quotes that it has if it was written as JSON.
func unquoted(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	if v, err := scoring.Decode(text); err == nil && v.Kind() == scoring.String {
		return valid(v.Text())
	}
	return text
}

// mlflowValue decodes a string that holds an object or list. Some integrations write one as text before MLflow encodes it: a model's
// arguments, or LangChain's as Python prints them. Any other string is a string.
func mlflowValue(v pcommon.Value) scoring.Payload {
	if v.Type() == pcommon.ValueTypeStr {
		if text, err := scoring.Decode(v.Str()); err == nil && text.Kind() == scoring.String {
			p := pyliteral.Payload(text.Text())
			if inner, ok := p.Value(); ok && (inner.Kind() == scoring.Object || inner.Kind() == scoring.Array) {
				return p
			}
		}
	}
	return structured(v)
}
