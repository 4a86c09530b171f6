package runs_test

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// A request and a span of the tool are one call, and complete each other.
func TestARequestCompletesTheSpanOfItsCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"by its ID", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":1}
			  tool search#call_search [3-4]`, `
			planner: search#call_search{"q":1}`,
			"the request has the arguments"},
		{"by the arguments", `
			agent planner [0-9]
			  model [1-2] asks:search#call_one{"q":1} asks:search#call_two{"q":2}
			  tool search{"q":2} [3-4]
			  tool search{"q":1} [5-6]`, `
			planner: search#call_two{"q":2}, search#call_one{"q":1}`,
			"the arguments say which"},
		{"by the tool alone", `
			agent planner [0-9]
			  model [1-2] asks:Get-Weather#call_weather{"q":1}
			  tool get_weather [3-4] normalized`, `
			planner: Get-Weather#call_weather{"q":1}`,
			"case and separators do not count, and the request has the spelling"},
		{"the only argument without its name", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":5}
			  tool search"5" [3-4] unnamed`, `
			planner: search#call_search{"q":5}`,
			"the value is that of the request, as a text"},
		{"the only argument, a text that is an object", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":"{\"a\":1}"}
			  tool search#call_search{"a":1} [3-4]`, `
			planner: search#call_search{"q":"{\"a\":1}"}`,
			"the span lost the name and read the text"},
		{"an ID that is counted up", `
			agent planner [0-9]
			  model [1-2] asks:search#call_0{"q":1}
			  tool search#call_0 [3-4]
			  model [5-6] asks:search#call_0{"q":2}
			  tool search#call_0 [7-8]`, `
			planner: search#call_0{"q":1}, search#call_0{"q":2}`,
			"a call follows its request"},
	})
}

func TestTheResultThatAModelWasShownCompletesItsCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"by its ID", `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  model [3-4] shows:#call_search->found`, `
			planner: search#call_search->found`,
			"the span has no output"},
		{"a failure", `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  model [3-4] fails:#call_search->broken`, `
			planner: search#call_search->broken failed`,
			"the span has no status"},
		{"once more", `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  model [3-4] shows:#call_search->found
			  model [5-6] fails:#call_search->broken`, `
			planner: search#call_search->found`,
			"the first one counts"},
		{"twice at once", `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  model [3-4] fails:#call_search->broken
			  model [3-4] shows:#call_search->found id:other`, `
			planner: search#call_search->found`,
			"the one that did not fail, because a failed call may not count"},
		{"by an ID that is counted up", `
			agent planner [0-9] by:crew
			  model [0-1] messages asks:search#call_0
			  model [2-3] messages asks:search#call_0 shows:#call_0->one
			  model [4-5] messages shows:#call_0->two`, `
			planner: search#call_0->one asked, search#call_0->two asked`,
			"each has the next result"},
	})
}

// A request without a tool span is a call if nothing else can record it.
func TestARequestIsACallIfNoSpanCanBe(t *testing.T) {
	check(t, closeAll(), []row{
		{"the instrumentation writes no tool spans", `
			agent planner [0-9]
			  model [1-2] messages asks:search#call_search{"q":1}`, `
			planner: search#call_search{"q":1} asked`,
			"nothing else can record it"},
		{"it writes tool spans", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":1}`, `
			planner:`,
			"the call was not made"},
		{"the other calls have spans, and the model was shown a result", `
			agent planner [0-9]
			  model [1-2] messages asks:search#call_one asks:search#call_two
			  tool search#call_one [3-4]
			  model [5-6] messages shows:#call_two->found`, `
			planner: search#call_two->found asked, search#call_one`,
			"its span was lost"},
		{"the other calls have spans, and no result was shown", `
			agent planner [0-9]
			  model [1-2] messages asks:search#call_one asks:search#call_two
			  tool search#call_one [3-4]`, `
			planner: search#call_one (copies_differ)`,
			"the request contradicts the spans"},
		{"recorded in two layers", `
			agent planner [0-9]
			  model [1-4] messages asks:search#call_search
			    model [2-3] messages asks:search#call_search{"q":1}`, `
			planner: search#call_search{"q":1} asked`,
			"the model calls overlap"},
		{"with an ID that was used before", `
			agent planner [0-9]
			  model [1-2] messages asks:search#call_search{"q":1}
			  model [3-4] messages asks:search#call_search{"q":2}`, `
			planner: search#call_search{"q":1} asked, search#call_search{"q":2} asked (copies_differ)`,
			"the model calls do not overlap"},
	})
}

func TestTheSourcesDecideWhatIsACall(t *testing.T) {
	log := `
		agent planner [0-9]
		  model [1-2] asks:search#call_one asks:draft#call_two
		  tool search#call_one [3-4]
		  tool book [5-6]`
	for _, tc := range []struct {
		sources runs.Sources
		row
	}{
		{runs.Auto, row{"auto", log, `planner: search#call_one, book`, "spans, because they can be written"}},
		{runs.Spans, row{"spans", log, `planner: search#call_one, book`, "spans alone"}},
		{runs.Messages, row{"messages", log, `planner: draft#call_two asked, search#call_one`, "what the model asked for"}},
	} {
		s := closeAll()
		s.Sources = tc.sources
		check(t, s, []row{tc.row})
	}
}
