package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestMasks(t *testing.T) {
	tool := func(arguments, result string) map[string]any {
		return map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAIArguments: arguments, genAIResult: result}
	}
	with := func(arguments, output string) Reading {
		return call("search").with(func(r *Reading) { r.Call.Arguments, r.Call.Output = scoring.JSON(arguments), scoring.JSON(output) })
	}
	checkRows(t, []row{
		{name: "a mask of any text", attributes: tool("gone", "gone"), want: call("search"), reason: "a text that masks everything is no content"},
		{name: "a mask of the usual form", attributes: tool("<masked>", "1"), want: call("search").with(func(r *Reading) {
			r.Call.Output = scoring.JSON("1")
		}), reason: "an application may hide inputs only"},
		{name: "a tool that returns its arguments", attributes: tool(`{"q":1}`, `{"q":1}`), want: with(`{"q":1}`, `{"q":1}`), reason: "no mask is an object"},
		{name: "two lists", attributes: tool(`[]`, `[]`), want: with(`[]`, `[]`), reason: "nor a list"},
	})
}
