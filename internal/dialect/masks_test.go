package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestIsMask(t *testing.T) {
	for text, want := range map[string]bool{
		"***": true, "********": true, "###": true, "__REDACTED__": true, "<redacted>": true, "[REDACTED]": true, `"[Filtered]"`: true,
		"[Scrubbed due to 'password']": true, "(hidden)": true, "[REDACTED:email]": true, "**masked**": true,
		"": false, "{}": false, "[]": false, `["redacted"]`: false, `{"redacted":true}`: false, "redacted": false, "hidden": false,
		"<b>": false, "[x]": false, "Oslo": false, "[redactedness]": false, "null": false, "<hidden": false, "_": false, `""`: false, `"""`: false,
	} {
		if got := isMask(text); got != want {
			t.Errorf("isMask(%q) = %v", text, got)
		}
	}
}

func TestMasks(t *testing.T) {
	tool := func(arguments, result string) map[string]any {
		return map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAIArguments: arguments, genAIResult: result}
	}
	with := func(arguments, output string) Reading {
		return call("search").with(func(r *Reading) { r.Call.Arguments, r.Call.Output = scoring.JSON(arguments), scoring.JSON(output) })
	}
	checkRows(t, []row{
		{name: "a mask of any text", attributes: tool("gone", "gone"), want: call("search"), reason: "what stands for everything is no content"},
		{name: "a mask of the usual form", attributes: tool("<masked>", "1"), want: call("search").with(func(r *Reading) {
			r.Call.Output = scoring.JSON("1")
		}), reason: "an application may hide inputs only"},
		{name: "a tool that returns its arguments", attributes: tool(`{"q":1}`, `{"q":1}`), want: with(`{"q":1}`, `{"q":1}`), reason: "no mask is an object"},
		{name: "two lists", attributes: tool(`[]`, `[]`), want: with(`[]`, `[]`), reason: "nor a list"},
	})
}
