package dialect

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Claude Code and the Claude Agent SDK, their own traces.
//
// Source: https://code.claude.com/docs/en/monitoring-usage, and traces of Claude Agent SDK 0.3.329.
const (
	claudeType     = "span.type"
	claudeSubagent = "subagent_type"
	claudeSuccess  = "success" // a boolean
	// The event of a tool's span when OTEL_LOG_TOOL_CONTENT is set. Arguments of MCP tools are on no span.
	claudeOutputEvent = "tool.output"
	claudeOutput      = "output"
)

// readClaude knows three of the spans' types. The rest, such as the wait for the user's permission and the requests
// to the model, which carry no content, are Nothing.
func readClaude(s source) (Reading, bool) {
	switch s.marker(claudeType) {
	case "interaction":
		return Reading{
			Role:         Agent,
			Agent:        s.text(genAIAgentName),
			Conversation: s.genAIConversation(),
		}, true
	case "tool":
		return s.claudeCall(), true
	case "tool.execution":
		return s.claudeOutcome(), true
	}
	return Reading{}, true
}

// claudeCall names the tool as its server does; tool_name has mcp__<server>__ before it. A tool that runs a subagent
// is the only span that represents that agent.
func (s *source) claudeCall() Reading {
	r := s.genAICall()
	r.Agent = s.text(claudeSubagent)
	r.Call.Output = r.Call.Output.Or(contentList(s.event(claudeOutputEvent, claudeOutput)))
	return r
}

// claudeOutcome is the execution below a tool's span. It repeats the call's id, and only it says whether the call failed. But
// it does not name the tool, so without the tool's span it is no call.
func (s *source) claudeOutcome() Reading {
	status := s.genAIStatus()
	if v, ok := s.attributes.Get(claudeSuccess); ok && v.Type() == pcommon.ValueTypeBool {
		status = scoring.StatusOK
		if !v.Bool() {
			status = scoring.StatusFailed
		}
	}
	return Reading{
		Role:         ToolCall,
		Conversation: s.genAIConversation(),
		CallID:       s.genAICallID(),
		Call:         scoring.Call{Status: status},
		Traits:       ResultOnly,
	}
}
