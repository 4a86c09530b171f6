package dialect

import "strings"

// ownTools are tools that frameworks add to those of an application, to end a run or to give its result a form. A model requests them like
// any other, but they are no calls. A server may give a tool the same name, so a span must also have the framework's scope or mark.
//
// Source: https://github.com/google/adk-python, src/google/adk/tools/set_model_response_tool.py, and its siblings for other languages;
// https://github.com/agentscope-ai/agentscope, src/agentscope/agent; https://github.com/strands-agents/sdk-typescript, src/structured-output;
// https://github.com/pydantic/pydantic-ai, pydantic_ai_slim/pydantic_ai/_output.py; https://github.com/google-gemini/gemini-cli,
// packages/core/src/agents/local-executor.ts; https://github.com/mozilla-ai/any-agent, src/any_agent/frameworks.
var ownTools = map[string][]ownTool{
	"set_model_response":        {{scope: adkScope, mark: "gcp.vertex.agent.event_id"}, {scope: openInferenceModule + "google_adk"}},
	"generate_response":         {{scope: "*agentscope", description: "Generate a response. Note only the input argument"}},
	"strands_structured_output": {{scope: "strands-agents", mark: strandsStatus}},
	"final_result":              {{scope: "pydantic-ai"}},
	"complete_task":             {{scope: "gemini-cli", description: "Call this tool to submit your final"}},
	"final_output":              {{scope: "any_agent"}},
}

type ownTool struct {
	scope string // where a star stands for any beginning
	mark  string // an attribute of the framework's, in place of its scope
	// description is how the tool's description begins, where the name is not telling enough.
	description string
}

// isOwnTool reports whether a tool is the framework's own, by its name and the span. The span of a request has no description of the tool.
func (s *source) isOwnTool(name string, described bool) bool {
	for _, own := range ownTools[name] {
		if own.description != "" && (!described || !strings.HasPrefix(s.marker(genAIToolDescription), own.description)) {
			continue
		}
		end, any := strings.CutPrefix(own.scope, "*")
		if s.scope == own.scope || any && strings.HasSuffix(s.scope, end) || own.mark != "" && s.text(own.mark) != "" {
			return true
		}
	}
	return false
}
