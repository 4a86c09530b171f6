package dialect

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// offered are the names of the tools that a model could request, or none if the span does not list them. The scratch and the span have their memory.
type offered []string

// keepOffered removes the requests of tools that were not offered, because they cannot have been executed. A framework may find a tool
// although the model spelled its name with other case or separators. Such a request has the name of the tool that was offered.
func (a *draft) keepOffered(o offered) {
	const few = 8 // calls, for which the names need not be put in a table if they are spelled alike
	if len(o) == 0 {
		return
	}
	var tools toolname.Spellings
	kept := a.Requests[:0]
	for _, call := range a.Requests {
		if len(a.Requests) <= few && slices.Contains(o, call.Name) {
			kept = append(kept, call)
			continue
		}
		if tools == nil {
			tools = make(toolname.Spellings, len(o))
			for _, name := range o {
				tools.Add(toolname.Key(name), name)
			}
		}
		switch name, alike := tools[toolname.Key(call.Name)]; {
		case alike, call.Hosted, call.Answered: // a provider's own tools may be missing in the list
			call.Name = cmp.Or(name, call.Name)
			kept = append(kept, call)
		case call.Name != finalAnswer || !slices.Contains(o, finalAnswerText): // see offer
			a.NotOffered = append(a.NotOffered, call)
		}
	}
	clear(a.Requests[len(kept):])
	if a.Requests = kept; len(kept) == 0 {
		a.Requests = nil
	}
}

// toolNames are the names in a list of tools, however a provider describes a tool.
func (d *Scratch) toolNames(tools scoring.Value) offered {
	d.names = emptied(d.names)
	used := d.used
	for tool := range tools.Elements() {
		d.used = used // the tool before has been read
		d.offer(d.opened(tool))
	}
	return d.offered()
}

// toolsIn are the names in the attribute key. The elements of a list are decoded one by one: a text in a larger document would be decoded twice.
func (s *source) toolsIn(key string) offered {
	v, ok := s.attributes.Get(key)
	if !ok {
		return nil
	}
	if v.Type() != pcommon.ValueTypeSlice {
		tools, _ := s.scratch.documentOf(v, nil)
		return s.scratch.toolNames(tools)
	}
	s.scratch.names = emptied(s.scratch.names)
	for _, tool := range v.Slice().All() {
		s.scratch.offerIn(tool)
	}
	return s.scratch.offered()
}

// listed are the names of the tools in the attributes <prefix><i>.<field>.
func (s *source) listed(prefix, field string) offered {
	s.scratch.names = emptied(s.scratch.names)
	for key, value := range s.attributes.All() {
		if rest, ok := cutKey(key, prefix); ok {
			if _, rest, ok = cutIndex(rest); ok && rest == field {
				s.scratch.offerIn(value)
			}
		}
	}
	return s.scratch.offered()
}

// offered are the names that were found, or none if a tool has no name, because other tools may have been offered as well.
func (d *Scratch) offered() offered {
	if slices.Contains(d.names, "") {
		return nil
	}
	return d.names
}

// offerIn adds the name of the tool that a value describes, or that it is.
func (d *Scratch) offerIn(v pcommon.Value) {
	used := d.used
	tool, read := d.documentOf(v, nil)
	if d.used = used; read && tool.Kind() == scoring.Null { // used for the next tool
		d.names = append(d.names, nameText(v))
		return
	}
	d.offer(tool)
}

// offer adds the name of a tool, "" if it has none, or those of all functions that a tool of Gemini declares.
func (d *Scratch) offer(tool scoring.Value) {
	functions := first(tool, "functionDeclarations", "function_declarations")
	for function := range functions.Elements() {
		d.names = append(d.names, member(function, "name"))
	}
	if functions.Len() > 0 {
		return
	}
	name := valid(tool.Text())
	for _, holder := range [...]scoring.Value{tool, at(tool, "function"), at(tool, "custom"), at(tool, "toolSpec")} {
		if name != "" {
			break
		}
		if name = member(holder, "name"); name == finalAnswer && member(holder, "description") == finalAnswerText {
			name = finalAnswerText // which no request names
		}
	}
	d.names = append(d.names, name)
}

// ownTools are tools that frameworks add to those of an application, to end a run or to give its result a form. A model requests them like any other,
// but they are no calls. The last two are OpenLIT's span for each list of a server's tools, and tRPC-Agent's for joined responses to parallel calls. A
// server may give a tool the same name, so a span must also have the framework's scope or mark.
// Source: https://github.com/google/adk-python, tools/set_model_response_tool.py; https://github.com/agentscope-ai/agentscope, agent;
// https://github.com/strands-agents/sdk-typescript, structured-output; https://github.com/pydantic/pydantic-ai, _output.py;
// https://github.com/google-gemini/gemini-cli, agents/local-executor.ts; https://github.com/mozilla-ai/any-agent, frameworks;
// https://github.com/openlit/openlit, sdk/python/src/openlit/instrumentation/openai_agents/utils.py;
// https://github.com/trpc-group/trpc-agent-go, internal/telemetry/trace.go.
var ownTools = [...]ownTool{
	{name: "set_model_response", scope: adkScope, mark: "gcp.vertex.agent.event_id"},
	{name: "set_model_response", scope: openInferenceModule + "google_adk"},
	{name: "generate_response", scope: "*agentscope", description: "Generate a response. Note only the input argument"},
	{name: "strands_structured_output", scope: "strands-agents", mark: strandsStatus},
	{name: "final_result", scope: "pydantic-ai"},
	{name: "complete_task", scope: "gemini-cli", description: "Call this tool to submit your final"},
	{name: "final_output", scope: "any_agent"},
	{name: finalAnswer, scope: beeAIScope},
	{name: finalAnswer, scope: smolagentsScope, span: "FinalAnswerTool", description: finalAnswerText},
	{name: "mcp_list_tools", scope: openLITAgents},
	{name: "(merged tools)", scope: trpcAgentScope, description: "(merged tools)"},
}

// An ownTool says how a framework's tool is told from an application's of the same name.
type ownTool struct {
	name        string
	scope       string // which may have a star
	mark        string // an attribute of the framework's, in place of its scope
	description string // how the tool's description begins, where the name is not telling enough
	span        string // the name of the span, if it is a class of the framework's: a server may give a tool any name and description
}

// isOwnTool reports whether a tool is the framework's own, by its name and the span. The span of a request has no description of the tool.
func (s *source) isOwnTool(name string, described bool) bool {
	for i := range ownTools {
		own := &ownTools[i]
		if own.name != name || own.span != "" && s.span.Name() != own.span {
			continue
		}
		if own.description != "" && (!described || !strings.HasPrefix(s.text(genAIToolDescription, "tool.description"), own.description)) {
			continue
		}
		if _, is := starred(own.scope, s.scope); is || own.mark != "" && s.text(own.mark) != "" {
			return true
		}
	}
	return false
}
