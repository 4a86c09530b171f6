package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestMCP(t *testing.T) {
	search := call("search").with(func(r *Reading) { r.Traits = MCP })
	checkRows(t, []row{
		{
			name: "the same name without the protocol", span: "MCP send tools/call search",
			attributes: map[string]any{genAIOperation: executeTool}, want: call("MCP send tools/call search"),
			reason: "an application may name its spans anything",
		},
		{
			name: "a call without an operation", span: "tools/call search",
			attributes: map[string]any{
				mcpMethod: mcpCallTool, genAIToolName: "search", genAIArguments: `{"q":"a"}`,
				genAIResult: `{"content":[{"type":"text","text":"found"}],"isError":false}`,
			},
			want: search.with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON("found")
			}),
			reason: "the method alone says what it is; the protocol's envelope is no part of the result",
		},
		{
			name: "Sentry's server", span: "tools/call search",
			attributes: map[string]any{
				mcpMethod: mcpCallTool, "mcp.tool.name": "search", mcpArgument + "q": `"a"`, "mcp.tool.result.content": `{"n":1}`, "mcp.tool.result.is_error": false,
			},
			want: search.with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON(`{"n":1}`)
			}),
			reason: "one attribute for each argument, its value as JSON text",
		},
		{
			name:       "an argument that is no JSON",
			attributes: map[string]any{mcpMethod: mcpCallTool, "mcp.tool.name": "search", mcpArgument + "q": "a\"b"},
			want:       search.with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"q":"a\"b"}`) }),
			reason:     "redacted, it is text",
		},
		{
			name:       "an object that was cut off",
			attributes: map[string]any{mcpMethod: mcpCallTool, "mcp.tool.name": "search", mcpArgument + "q": `"a"`, mcpArgument + "to": `{"zip":"8001","text":"aaa`},
			want:       search.with(func(r *Reading) { r.Call.Arguments = scoring.TooLarge() }),
			reason:     "read as a text, it would have no members, and a model decides how long they are",
		},
		{
			name:       "a text that was cut off",
			attributes: map[string]any{mcpMethod: mcpCallTool, "mcp.tool.name": "search", mcpArgument + "q": `"aaa`},
			want:       search.with(func(r *Reading) { r.Call.Arguments = scoring.TooLarge() }),
			reason:     "its quote is not closed",
		},
		{
			name:       "a failed call without content",
			span:       "tools/call search",
			attributes: map[string]any{mcpMethod: mcpCallTool, "mcp.tool.result.is_error": true},
			want:       search.with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "a tool's error is no error of the protocol",
		},
		{
			name:       "a failed call by its error's type",
			attributes: map[string]any{mcpMethod: mcpCallTool, "mcp.tool.name": "search", errorType: "tool_error"},
			want:       search.with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "the conventions' way to say it",
		},
		{
			name:       "wrong types",
			span:       "span",
			attributes: map[string]any{mcpMethod: mcpCallTool, "mcp.tool.name": []any{}, mcpArgument + "q": 1, mcpArgument: `"a"`, "mcp.tool.result.is_error": "true"},
			want:       call("span").with(func(r *Reading) { r.Traits = MCP }),
			reason:     "a call of which nothing is known",
		},
		{
			name: "a marker of the wrong type", attributes: map[string]any{mcpMethod: []any{mcpCallTool}, "mcp.tool.name": "search"},
			reason: "a marker counts only as a string",
		},
	})
}
