package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// Two instrumentations record one run, each with spans of its own.
func TestDuplicateRunsAreOne(t *testing.T) {
	check(t, closeAll(), []row{
		{"in two traces", "they share a call, and most of their time", `
			agent planner [0-9] by:crew
			  tool search#call_search{"q":1} [1-2] by:crew
			trace b
			agent planner [0-8] by:other
			  tool search#call_search->found [1-2] by:other
			  tool book#call_book [3-4] by:other`, `planner + agent planner: search#call_search{"q":1}->found, book#call_book`},
		{"of one instrumentation", "its IDs come from a cache", `
			agent planner [0-9] by:crew
			  tool search#call_search [1-2] by:crew
			trace b
			agent planner [0-8] by:crew
			  tool search#call_search [1-2] by:crew`, `
			planner: search#call_search
			planner: search#call_search`},
		{"of little common time", "a sub-agent's call counts for its caller too", `
			agent planner [0-9] by:crew
			  tool search#call_search [1-2] by:crew
			trace b
			agent planner [1-3] by:other
			  tool search#call_search [1-2] by:other`, `
			planner: search#call_search
			planner: search#call_search`},
		{"with other arguments", "the ID is of two calls", `
			agent planner [0-9] by:crew
			  tool search#call_search{"q":1} [1-2] by:crew
			trace b
			agent planner [0-8] by:other
			  tool search#call_search{"q":2} [1-2] by:other`, `planner + agent planner: search#call_search{"q":1}, search#call_search{"q":2} (copies_differ, part_incomplete)`},
	})
}

// An instrumentation of models has no span around a run: each model call is a trace, and is shown what the earlier ones asked for.
func TestStepsOfAModelAreOneRun(t *testing.T) {
	check(t, closeAll(), []row{
		{"a chain", "the last step represents them", `
			model [0-1] held by:models messages asks:search#call_search
			trace b
			model [2-3] held by:models messages shows:#call_search->found asks:book#call_book
			trace c
			model [4-5] held by:models messages shows:#call_book->booked`, `model + model + model: search#call_search->found asked, book#call_book->booked asked`},
		{"that has the ID of a call with other arguments", "the request is not the call's", `
			agent planner [0-50] by:crew
			  tool shell#call_shell{"cmd":"ls"} [3-4] by:crew
			trace b
			model [2-3] held by:models messages asks:shell#call_shell{"cmd":"rm"}`, `
			planner: shell#call_shell{"cmd":"ls"} (copies_differ)
			model: shell#call_shell{"cmd":"rm"} asked (copies_differ)`},
		{"that came after the call with its ID", "it was made when the call had ended", `
			agent planner [0-50] by:crew
			  tool shell#call_shell{"cmd":"ls"} [3-4] by:crew
			trace b
			model [30-31] held by:models messages asks:shell#call_shell{"cmd":"rm"}`, `
			planner: shell#call_shell{"cmd":"ls"} (copies_differ)
			model: shell#call_shell{"cmd":"rm"} asked (copies_differ)`},
		{"two chains", "neither was shown a result of the other", `
			model [0-1] held by:models messages asks:search#call_search
			trace b
			model [2-3] held by:models messages asks:book#call_book`, `
			model: search#call_search asked
			model: book#call_book asked`},
		{"beside the run of an agent", "the agent's spans say that it was called", `
			agent planner [0-9] by:crew
			  tool search#call_search [1-2] by:crew
			trace b
			model [0-1] held by:models messages asks:search#call_search{"q":1}`, `
			planner: search#call_search{"q":1}
			passed: model`},
	})
}

// A command line writes a trace for each step of a run, and says which conversation and which prompt it is of.
func TestPartsOfAnAgentsRunAreOneRun(t *testing.T) {
	check(t, closeAll(), []row{
		{"of one prompt", "the tools' part is of the prompt before it", `
			agent cli [0-1] conversation:talk part:p1
			trace b
			agent cli [2-5] conversation:talk part:
			  tool search [3-4]
			trace c
			agent cli [6-7] conversation:talk part:p1`, `cli + agent cli + agent cli: search`},
		{"of two prompts", "each is a run", `
			agent cli [0-1] conversation:talk part:p1
			trace b
			agent cli [2-5] conversation:talk part:
			  tool search [3-4]
			trace c
			agent cli [6-7] conversation:talk part:p2
			trace d
			agent cli [8-9] conversation:talk part:
			  tool book [8-9]`, `
			cli + agent cli: search
			cli + agent cli: book`},
		{"of two conversations", "nothing says that they are one", `
			agent cli [0-1] conversation:talk part:p1
			trace b
			agent cli [2-5] conversation:other part:p1
			  tool search [3-4]`, `
			cli:
			cli: search`},
		{"with a sub-agent", "its run is its own", `
			agent cli [0-1] conversation:talk part:p1
			trace b
			agent cli [2-9] conversation:talk part:
			  tool invoke_agent [3-8]
			    agent writer [4-7] conversation:talk
			      tool draft [5-6]`, `
			cli + agent cli: invoke_agent
			writer: draft`},
		{"that are no parts", "a conversation has several runs", `
			agent cli [0-1] conversation:talk
			trace b
			agent cli [2-5] conversation:talk
			  tool search [3-4]`, `
			cli:
			cli: search`},
	})
}

// Steps that share no ID with the run of an agent are recognized by their process, their time and the names of the calls.
func TestStepsWithoutIDsAreRecognized(t *testing.T) {
	check(t, closeAll(), []row{
		{"in the agent's time", "the step asked for the call", `
			agent planner [0-9] by:crew from:desk
			  tool search [2-3] by:crew from:desk
			trace b
			model [1-2] held by:models from:desk messages asks:search`, `
			planner: search
			passed: model`},
		{"in another process", "another agent's", `
			agent planner [0-9] by:crew from:desk
			  tool search [2-3] by:crew from:desk
			trace b
			model [1-2] held by:models from:shop messages asks:search`, `
			planner: search
			model: search asked`},
		{"for another tool", "the agent made no such call", `
			agent planner [0-9] by:crew from:desk
			  tool search [2-3] by:crew from:desk
			trace b
			model [1-2] held by:models from:desk messages asks:book`, `
			planner: search
			model: book asked`},
		{"two of them", "the agent made one call, so one of them is another run", `
			agent planner [0-9] by:crew from:desk
			  tool search [3-4] by:crew from:desk
			trace b
			model [1-2] held by:models from:desk messages asks:search
			trace c
			model [2-3] held by:models from:desk messages asks:search`, `
			planner: search
			model: search asked (owner_unknown)
			passed: model`},
	})
}

// A client of MCP often has a trace of its own, and its spans know how calls ended.
func TestAProtocolsSpansOfOtherTracesCompleteCalls(t *testing.T) {
	for _, tc := range []struct {
		name, protocol, want, reason string
	}{
		{"in the call's time", `mcp search{"q":1}->found [3-4] from:desk failed`,
			`planner: search{"q":1}->found failed, book, book`, "the only one that fits"},
		{"in another process", `mcp search{"q":1}->found [3-4] from:shop failed`,
			`planner: search{"q":1}, book, book`, "another agent's"},
		{"with other arguments", `mcp search{"q":2}->found [3-4] from:desk failed`,
			`planner: search{"q":1}, book, book`, "another call's"},
		{"at another time", `mcp search{"q":1}->found [6-7] from:desk failed`,
			`planner: search{"q":1}, book, book`, "the call was over"},
		{"two", `mcp search{"q":1}->found [3-4] from:desk failed
		         mcp search{"q":1}->found [4-4.5] from:desk ok`,
			`planner: search{"q":1}, book, book (result_ambiguous)`, "one says that the call failed"},
		{"two that say no more", `mcp search{"q":1} [3-4] from:desk
		         mcp search{"q":1} [4-4.5] from:desk`,
			`planner: search{"q":1}, book, book`, "nothing depends on which"},
		{"one for two calls", `mcp book [3-4] from:desk failed`,
			`planner: search{"q":1}, book, book (result_ambiguous)`, "one of the two failed"},
		{"copies that differ", `mcp search{"q":1}->found [3-4] from:desk failed
		         mcp search{"q":1}->found [3-4] from:desk ok`,
			`planner: search{"q":1}, book, book (result_ambiguous)`, "nobody knows how it ended"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := closeAll()
			spans := runstest.Log(t, "trace mcp\n"+tc.protocol).Traces[0].Facts
			s.Protocol = func(p evidence.Process, tool string) (of []evidence.Fact) {
				for _, f := range spans {
					if f.Process == p && f.Call.Name == tool {
						of = append(of, f)
					}
				}
				return of
			}
			require.Equal(t, tc.want+"\n", s.then(t, new(evidence.Log), `
				agent planner [0-9] from:desk
				  tool search{"q":1} [1-5] from:desk
				  tool book [2-5] from:desk id:1
				  tool book [2-5] from:desk id:2`), tc.reason)
		})
	}
}

// A model asks for a call, somebody approves it, and a later trace of the conversation makes it: that is one call, though one
// instrumentation wrote both.
func TestACallThatWasApprovedIsOneCall(t *testing.T) {
	s := closeAll()
	s.Conversations = true
	check(t, s, []row{
		{"with its ID", "the ID is the call's own", `
			agent planner [0-9] by:crew conversation:talk
			  model [1-2] by:crew messages asks:refund#call_refund{"x":1}
			trace b
			agent planner [20-29] by:crew conversation:talk
			  tool refund#call_refund [21-22] by:crew`, `planner + agent planner: refund#call_refund{"x":1}`},
		{"with an ID that is counted up", "it may be another call's", `
			agent planner [0-9] by:crew conversation:talk
			  model [1-2] by:crew messages asks:refund#call_0{"x":1}
			trace b
			agent planner [20-29] by:crew conversation:talk
			  tool refund#call_0 [21-22] by:crew`, `planner + agent planner: refund#call_0{"x":1} asked, refund#call_0`},
	})
}
