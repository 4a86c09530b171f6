package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// A request and a span of the tool are one call, and complete each other.
func TestARequestCompletesTheSpanOfItsCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"by its ID", "the request has the arguments", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":1}
			  tool search#call_search [3-4]`, `planner: search#call_search{"q":1}`},
		{"by the arguments", "the arguments say which", `
			agent planner [0-9]
			  model [1-2] asks:search#call_one{"q":1} asks:search#call_two{"q":2}
			  tool search{"q":2} [3-4]
			  tool search{"q":1} [5-6]`, `planner: search#call_two{"q":2}, search#call_one{"q":1}`},
		{"by the tool alone", "case and separators do not count, and the request has the spelling", `
			agent planner [0-9]
			  model [1-2] asks:Get-Weather#call_weather{"q":1}
			  tool get_weather [3-4] normalized`, `planner: Get-Weather#call_weather{"q":1}`},
		{"the only argument without its name", "the value is that of the request, as a text", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":5}
			  tool search"5" [3-4] unnamed`, `planner: search#call_search{"q":5}`},
		{"the only argument, a text that is an object", "the span lost the name and read the text", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":"{\"a\":1}"}
			  tool search#call_search{"a":1} [3-4]`, `planner: search#call_search{"q":"{\"a\":1}"}`},
		{"an ID that is counted up", "a call follows its request", `
			agent planner [0-9]
			  model [1-2] asks:search#call_0{"q":1}
			  tool search#call_0 [3-4]
			  model [5-6] asks:search#call_0{"q":2}
			  tool search#call_0 [7-8]`, `planner: search#call_0{"q":1}, search#call_0{"q":2}`},
	})
}

func TestTheResultThatAModelWasShownCompletesItsCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"by its ID", "the span has no output", `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  model [3-4] shows:#call_search->found`, `planner: search#call_search->found`},
		{"a failure", "the span has no status", `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  model [3-4] fails:#call_search->broken`, `planner: search#call_search->broken failed`},
		{"once more", "the first one counts", `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  model [3-4] shows:#call_search->found
			  model [5-6] fails:#call_search->broken`, `planner: search#call_search->found`},
		{"twice at once", "the one that did not fail, because a failed call may not count", `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  model [3-4] fails:#call_search->broken
			  model [3-4] shows:#call_search->found id:other`, `planner: search#call_search->found`},
		{"by an ID that is counted up", "each has the next result", `
			agent planner [0-9] by:crew
			  model [0-1] messages asks:search#call_0
			  model [2-3] messages asks:search#call_0 shows:#call_0->one
			  model [4-5] messages shows:#call_0->two`, `planner: search#call_0->one asked, search#call_0->two asked`},
	})
}

// A request without a tool span is a call if nothing else can record it.
func TestARequestIsACallIfNoSpanCanBe(t *testing.T) {
	check(t, closeAll(), []row{
		{"the instrumentation writes no tool spans", "nothing else can record it", `
			agent planner [0-9]
			  model [1-2] messages asks:search#call_search{"q":1}`, `planner: search#call_search{"q":1} asked`},
		{"it writes tool spans", "the call was not made", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":1}`, `planner:`},
		{"the other calls have spans, and the model was shown a result", "its span was lost", `
			agent planner [0-9]
			  model [1-2] messages asks:search#call_one asks:search#call_two
			  tool search#call_one [3-4]
			  model [5-6] messages shows:#call_two->found`, `planner: search#call_two->found asked, search#call_one`},
		{"the other calls have spans, and no result was shown", "the request contradicts the spans", `
			agent planner [0-9]
			  model [1-2] messages asks:search#call_one asks:search#call_two
			  tool search#call_one [3-4]`, `planner: search#call_one (copies_differ)`},
		{"a span has other arguments than its request, and no result was shown", "the span of the other call may be lost", `
			agent planner [0-20] by:crew
			  model [1-2] messages asks:search#call_one{}
			  tool search{"limit":10} [3-4]
			  model [5-6] messages shows:#call_one asks:shell#call_two
			  model [7-8] messages shows:#call_one shows:#call_two`, `planner: search{"limit":10} (copies_differ)`},
		{"a span has other arguments than its only request", "a framework may add defaults", `
			agent planner [0-20] by:crew
			  model [1-2] messages asks:search#call_one{}
			  tool search{"limit":10} [3-4]
			  model [5-6] messages shows:#call_one`, `planner: search{"limit":10}`},
		{"recorded in two layers", "the model calls overlap", `
			agent planner [0-9]
			  model [1-4] messages asks:search#call_search
			    model [2-3] messages asks:search#call_search{"q":1}`, `planner: search#call_search{"q":1} asked`},
		{"with an ID that was used before", "the model calls do not overlap", `
			agent planner [0-9]
			  model [1-2] messages asks:search#call_search{"q":1}
			  model [3-4] messages asks:search#call_search{"q":2}`, `planner: search#call_search{"q":1} asked, search#call_search{"q":2} asked (copies_differ)`},
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
		{runs.Auto, row{"auto", "spans, because they can be written", log, `planner: search#call_one, book`}},
		{runs.Spans, row{"spans", "spans alone", log, `planner: search#call_one, book`}},
		{runs.Messages, row{"messages", "what the model asked for", log, `planner: draft#call_two asked, search#call_one`}},
	} {
		s := closeAll()
		s.Sources = tc.sources
		check(t, s, []row{tc.row})
	}
}

// A request is a call without a span if something proves that it was made.
func TestAProofMakesACallOfARequest(t *testing.T) {
	rows := []row{
		{"the provider made it", "the response says so", `
			agent planner [0-9]
			  model [1-2] hosts:search#call_search{"q":1}->found`, `planner: search#call_search{"q":1}->found asked`},
		{"the response has its result", "it cannot have a result otherwise", `
			agent planner [0-9]
			  model [1-2] answers:search#call_search{"q":1}->found`, `planner: search#call_search{"q":1}->found asked`},
		{"a later prompt has its result", "the application ran the tool by itself", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":1}
			  model [3-4] made:call_search`, `planner: search#call_search{"q":1} asked`},
		{"a prompt has the result of another request", "nothing proves this one", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search{"q":1}
			  model [3-4] made:call_other`, `planner:`},
		{"two layers record the response", "the calls are the same by their ID", `
			agent planner [0-9]
			  model [1-4] hosts:search#call_search{"q":1} by:crew
			    model [2-3] hosts:search#call_search{"q":1} by:models`, `planner: search#call_search{"q":1} asked`},
		{"a span records it too", "the span is the call, and the request completes it", `
			agent planner [0-9]
			  model [1-2] hosts:search#call_search{"q":1}
			  tool search#call_search [3-4]`, `planner: search#call_search{"q":1}`},
	}
	check(t, closeAll(), rows)
	s := closeAll()
	s.IgnoreHosted = true
	require.Equal(t, "planner: draft#call_draft asked\n", s.then(t, new(evidence.Log), `
		agent planner [0-9]
		  model [1-2] hosts:search#call_search answers:draft#call_draft`), "only what the provider ran is left out")
}
