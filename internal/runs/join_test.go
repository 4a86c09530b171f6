package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// Two instrumentations record one run, each with spans of its own.
func TestDuplicateRunsAreOne(t *testing.T) {
	check(t, closeAll(), []row{
		{"in two traces", `
			agent planner [0-9] by:crew
			  tool search#call_search{"q":1} [1-2] by:crew
			trace b
			agent planner [0-8] by:other
			  tool search#call_search->found [1-2] by:other
			  tool book#call_book [3-4] by:other`, `
			planner + agent planner: search#call_search{"q":1}->found, book#call_book`,
			"they share a call, and most of their time"},
		{"of one instrumentation", `
			agent planner [0-9] by:crew
			  tool search#call_search [1-2] by:crew
			trace b
			agent planner [0-8] by:crew
			  tool search#call_search [1-2] by:crew`, `
			planner: search#call_search
			planner: search#call_search`,
			"its IDs come from a cache"},
		{"of little common time", `
			agent planner [0-9] by:crew
			  tool search#call_search [1-2] by:crew
			trace b
			agent planner [1-3] by:other
			  tool search#call_search [1-2] by:other`, `
			planner: search#call_search
			planner: search#call_search`,
			"a sub-agent's call counts for its caller too"},
		{"with other arguments", `
			agent planner [0-9] by:crew
			  tool search#call_search{"q":1} [1-2] by:crew
			trace b
			agent planner [0-8] by:other
			  tool search#call_search{"q":2} [1-2] by:other`, `
			planner + agent planner: search#call_search{"q":1}, search#call_search{"q":2} (copies_differ, part_incomplete)`,
			"the ID is of two calls"},
	})
}

// An instrumentation of models has no span around a run: each model call is a trace, and is shown what the earlier ones asked for.
func TestStepsOfAModelAreOneRun(t *testing.T) {
	check(t, closeAll(), []row{
		{"a chain", `
			model [0-1] held by:models messages asks:search#call_search
			trace b
			model [2-3] held by:models messages shows:#call_search->found asks:book#call_book
			trace c
			model [4-5] held by:models messages shows:#call_book->booked`, `
			model + model + model: search#call_search->found asked, book#call_book->booked asked`,
			"the last step represents them"},
		{"two chains", `
			model [0-1] held by:models messages asks:search#call_search
			trace b
			model [2-3] held by:models messages asks:book#call_book`, `
			model: search#call_search asked
			model: book#call_book asked`,
			"neither was shown a result of the other"},
		{"beside the run of an agent", `
			agent planner [0-9] by:crew
			  tool search#call_search [1-2] by:crew
			trace b
			model [0-1] held by:models messages asks:search#call_search{"q":1}`, `
			planner: search#call_search{"q":1}
			passed: model`,
			"the agent's spans say that it was called"},
	})
}

// Steps that share no ID with the run of an agent are recognized by their process, their time and the names of the calls.
func TestStepsWithoutIDsAreRecognized(t *testing.T) {
	check(t, closeAll(), []row{
		{"in the agent's time", `
			agent planner [0-9] by:crew from:desk
			  tool search [2-3] by:crew from:desk
			trace b
			model [1-2] held by:models from:desk messages asks:search`, `
			planner: search
			passed: model`,
			"the step asked for the call"},
		{"in another process", `
			agent planner [0-9] by:crew from:desk
			  tool search [2-3] by:crew from:desk
			trace b
			model [1-2] held by:models from:shop messages asks:search`, `
			planner: search
			model: search asked`,
			"another agent's"},
		{"for another tool", `
			agent planner [0-9] by:crew from:desk
			  tool search [2-3] by:crew from:desk
			trace b
			model [1-2] held by:models from:desk messages asks:book`, `
			planner: search
			model: book asked`,
			"the agent made no such call"},
		{"two of them", `
			agent planner [0-9] by:crew from:desk
			  tool search [3-4] by:crew from:desk
			trace b
			model [1-2] held by:models from:desk messages asks:search
			trace c
			model [2-3] held by:models from:desk messages asks:search`, `
			planner: search
			model: search asked (owner_unknown)
			passed: model`,
			"the agent made one call, so one of them is another run"},
	})
}

// The runs of agents that closed before recognize steps as well.
func TestStepsOfARunThatClosedBeforeAreRecognized(t *testing.T) {
	agents := closeAll()
	closed := runs.Runs(runstest.Log(t, `
		agent planner [0-9] from:desk
		  tool search [2-3] from:desk`), &agents.Options, &agents.Examination)
	s := closeAll()
	s.Elsewhere = func(evidence.Process) []*runs.Summary { return []*runs.Summary{runs.SummaryOf(&closed.Runs[0])} }
	require.Equal(t, "passed: model\n", s.then(t, new(evidence.Log), `
		model [1-2] held by:models from:desk messages asks:search`))
}

func TestAConversationIsOneRun(t *testing.T) {
	log := `
		agent planner [0-3] conversation:talk
		  tool search [1-2]
		trace b
		agent planner [5-9] conversation:talk
		  tool book [6-7]
		trace c
		agent planner [5-9] conversation:other`
	s := closeAll()
	check(t, s, []row{{"unless asked for", log, `
		planner: search
		planner: book
		planner:`, "each turn is a run"}})
	s.Conversations = true
	check(t, s, []row{{"if asked for", log, `
		planner + agent planner: search, book
		planner:`, "the last anchor represents it"}})
}

// A client of MCP often has a trace of its own, and its spans know how calls ended.
func TestAProtocolsSpansOfOtherTracesCompleteCalls(t *testing.T) {
	for _, tc := range []struct {
		name, protocol, want, reason string
	}{
		{"in the call's time", `mcp search{"q":1}->found [3-4] from:desk failed`,
			`planner: search{"q":1}->found failed, book{"q":1}`, "the only one that fits"},
		{"in another process", `mcp search{"q":1}->found [3-4] from:shop failed`,
			`planner: search{"q":1}, book{"q":1}`, "another agent's"},
		{"with other arguments", `mcp search{"q":2}->found [3-4] from:desk failed`,
			`planner: search{"q":1}, book{"q":1}`, "another call's"},
		{"at another time", `mcp search{"q":1}->found [6-7] from:desk failed`,
			`planner: search{"q":1}, book{"q":1}`, "the call was over"},
		{"two", `mcp search{"q":1}->found [3-4] from:desk failed
		         mcp search{"q":1}->found [4-4.5] from:desk ok`,
			`planner: search{"q":1}, book{"q":1} (result_ambiguous)`, "one says that the call failed"},
		{"two that say no more", `mcp search{"q":1} [3-4] from:desk
		         mcp search{"q":1} [4-4.5] from:desk`,
			`planner: search{"q":1}, book{"q":1}`, "nothing depends on which"},
		{"copies that differ", `mcp search{"q":1}->found [3-4] from:desk failed
		         mcp search{"q":1}->found [3-4] from:desk ok`,
			`planner: search{"q":1}, book{"q":1} (result_ambiguous)`, "nobody knows how it ended"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := closeAll()
			s.Protocol = runstest.Log(t, "trace mcp\n"+tc.protocol).Traces[0].Facts
			require.Equal(t, tc.want+"\n", s.then(t, new(evidence.Log), `
				agent planner [0-9] from:desk
				  tool search{"q":1} [2-5] from:desk
				  tool book{"q":1} [2-5] from:desk`), tc.reason)
		})
	}
}
