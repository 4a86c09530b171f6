package scoring

import (
	"strings"
	"testing"
)

// outputMethods returns the methods that can compare outputs, with the option for it.
func outputMethods() []Method {
	exact, subset := DefaultNative(), DefaultNative()
	exact.Output, subset.Output = OutputExact, OutputSubset
	params := []string{"output"}
	return []Method{
		must(NewNative(exact)), must(NewNative(subset)),
		must(NewDeepEval(DeepEvalOptions{EvaluationParams: params})),
		must(NewDeepEval(DeepEvalOptions{EvaluationParams: params, ShouldConsiderOrdering: true})),
		must(NewDeepEval(DeepEvalOptions{EvaluationParams: params, ShouldExactMatch: true})),
		must(NewDeepEvalMultimodal(DeepEvalOptions{EvaluationParams: params})),
		must(NewEvalSharp(EvalSharpOptions{EvaluationParams: params})),
		must(NewEvalSharp(EvalSharpOptions{EvaluationParams: params, ShouldConsiderOrdering: true})),
	}
}

// A span has an output as text, and perhaps in content blocks. The result of the tool is the same.
func TestOutputsAreComparedAsTheyWereWritten(t *testing.T) {
	const blocks = `[{"type":"text","text":"18 degrees"}]`
	quotedBlocks := `"` + strings.ReplaceAll(blocks, `"`, `\"`) + `"`
	for _, tc := range []struct {
		name             string
		expected, called Payload
		agree            bool
		reason           string
	}{
		{"a text of digits", JSON(`"42"`), JSON(`42`), true, "a tool that returned the text leaves just that on its span"},
		{"a text of digits in quotes", JSON(`"42"`), JSON(`"42"`), true, "some write texts as JSON"},
		{"a text that says true", JSON(`"true"`), JSON(`true`), true, "for the same reason"},
		{"a text that says null", JSON(`"null"`), JSON(`null`), true, "for the same reason"},
		{"a text that is an object", JSON(`"{\"a\": 1}"`), JSON(`{"a": 1}`), true, "for the same reason"},
		{"a text that is an object written otherwise", JSON(`"{\"a\":1}"`), JSON(`{"a": 1}`), false, "texts compare character by character"},
		{"a text with quotes", JSON(`"\"42\""`), JSON(`"42"`), true, "the text is written with its quotes"},
		{"another text", JSON(`"42"`), JSON(`42.0`), false, "a number may be written so, the text 42 not"},
		{"a number and a text", JSON(`42`), JSON(`"42"`), false, "a number was expected, and a text is sure to have come"},
		{"a number and what is no JSON", JSON(`42`), Text("42"), false, "for the same reason"},
		{"blocks around a text", JSON(`"18 degrees"`), JSON(blocks), true, "one side was unwrapped"},
		{"a text and blocks around it", JSON(blocks), JSON("18 degrees"), true, "the other was"},
		{"a text of blocks and the text in them", JSON(quotedBlocks), JSON("18 degrees"), true, "the test case has what the server wrote, as text"},
		{"blocks on both sides, with notes on one", JSON(blocks), JSON(`{"content":[{"type":"text","text":"18 degrees"}],"isError":false}`), true, "the envelope is the protocol's"},
		{"blocks around digits", JSON(`"42"`), JSON(`[{"type":"text","text":"42"}]`), true, "in blocks as without"},
		{"blocks around a number", JSON(`42`), JSON(`[{"type":"text","text":"42"}]`), true, "a server has no other way to return one"},
		{"several blocks", JSON(`"1\n2"`), JSON(`[{"type":"text","text":"1"},{"type":"text","text":"2"}]`), true, "their texts are lines"},
		{"a block of JSON", JSON(`7`), JSON(`[{"json":7}]`), true, "Strands' form"},
		{"other blocks", JSON(blocks), JSON("19 degrees"), false, "the text differs"},
		{"a block that is no text", JSON(`"a"`), JSON(`[{"type":"text","text":"a"},{"type":"image","data":""}]`), false, "the image would be lost"},
		{"a record with a text", JSON(`"4"`), JSON(`{"text":"4"}`), false, "a tool may well return that"},
		{"a called text of blocks", JSON(`"18 degrees"`), JSON(quotedBlocks), false, "what a tool wrote into a text stays a text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Output: tc.expected}}})
			for _, m := range outputMethods() {
				v := m.Judge(e, []Call{{Name: "a", Arguments: Omitted(), Output: tc.called}})
				if got := v.Score == 1; v.Status != Scored || got != tc.agree {
					t.Errorf("%s: %v, score %v, want agreement %v: %s", m.Name(), v.Status, v.Score, tc.agree, tc.reason)
				}
				if reason := v.Reason(ReasonOptions{}); strings.Contains(reason, "wrong output") == tc.agree {
					t.Errorf("%s: %q: %s", m.Name(), reason, tc.reason)
				}
			}
		})
	}
}

// The memory of one output must not change the next verdict.
func TestOutputsOneAfterTheOther(t *testing.T) {
	m := native(t, func(o *NativeOptions) { o.Output = OutputExact })
	e := expectation(t, ExpectationSettings{Tools: []Tool{{Name: "a", Output: JSON(`"42"`)}, {Name: "b", Output: JSON(`7`)}}})
	calls := []Call{{Name: "a", Output: JSON(`[{"type":"text","text":"42"}]`)}, {Name: "b", Output: Omitted()}, {Name: "b", Output: JSON("7")}}
	for range 3 {
		v := m.Judge(e, calls)
		if v.Score != 1 || len(v.Alignment.Pairs) != 2 || v.Alignment.Pairs[1].Called != 2 {
			t.Fatalf("score %v with pairs %v", v.Score, v.Alignment.Pairs)
		}
		if v := m.Judge(e, calls[1:2]); v.Score != 0 {
			t.Fatalf("score %v of a call that returned nothing", v.Score)
		}
	}
}
