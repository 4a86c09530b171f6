package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// A call belongs to the nearest agent above it, and if the chain of parents leads to none, to the run at its time.
func TestTheNearestAgentAboveOwnsACall(t *testing.T) {
	check(t, closeAll(), []row{
		{"above", "the times say nothing: both calls are in the time of both", `
			agent planner [0-9]
			  agent writer [2-5]
			    tool draft [3-4]
			  tool search [3-6]`, `
			planner: search
			writer: draft`},
		{"through other spans", "ordinary spans have no calls", `
			agent planner [0-9]
			  span [1-8]
			    span [2-7]
			      tool search [3-6]`, `planner: search`},
		{"in another service", "spans of a trace belong together whoever sent them", `
			agent planner [0-9] from:shop
			  span [2-5] from:shop
			    span [3-4] from:tools
			      tool search [3-4] from:tools`, `planner: search`},
		{"of a tool that runs an agent", "the tool's call is the outer agent's", `
			agent planner [0-9]
			  tool ask_writer [1-8]
			    agent writer [2-7]
			      tool draft [3-4]`, `
			planner: ask_writer
			writer: draft`},
		{"after the agent had ended", "the parent is known, so the time does not matter", `
			agent planner [0-9]
			  tool search [10-11]`, `planner: search`},
		{"in a cycle of parents", "a cycle leads nowhere, so the time decides", `
			agent planner [0-9]
			span [1-8] id:x parent:y
			  tool search [3-4] id:y`, `planner: search`},
	})
}

func TestTheTimeOwnsACallOfABrokenChain(t *testing.T) {
	check(t, closeAll(), []row{
		{"one run contains it", "only the planner ran then", `
			agent planner [0-9] id:p
			  agent writer [2-5]
			- span [0-9]
			  tool search [6-7]`, `
			planner: search
			writer:`},
		{"several contain it", "the innermost has it, and all that contain it are in doubt", `
			agent planner [0-9]
			  agent writer [2-5]
			- span [0-9]
			  tool search [3-4]`, `
			planner: (owner_unknown)
			writer: search (owner_unknown)`},
		{"none contains it", "the first that had not ended when it began", `
			agent planner [0-2]
			agent writer [4-9]
			- span [0-9]
			  tool search [1-10]`, `
			planner: search
			writer:`},
		{"it has no parent", "nothing is missing, so nobody is in doubt", `
			agent planner [0-9]
			  agent writer [2-5]
			tool search [3-4]`, `
			planner:
			writer: search`},
	})
}

// While spans may still arrive, a call of a broken chain waits for them.
func TestACallWaitsForItsParent(t *testing.T) {
	check(t, closeUntil(5), []row{
		{"the chain above the run is whole", "no run above the planner can come", `
			agent planner [0-9] at:5
			- span [0-9]
			  tool search [3-4]`, `planner: search`},
		{"the chain above the run is broken, too", "a run between them may come", `
			- span [0-9]
			  agent planner [0-9] at:5
			- span [1-8]
			  tool search [3-4]`, `planner:`},
	})
}

// With include, a call counts for the runs around its own too.
func TestIncludedCallsCountForAllRunsAroundTheirOwn(t *testing.T) {
	s := closeAll()
	s.Include = true
	check(t, s, []row{
		{"of two agents around", "it is the writer's own", `
			agent chief [0-10]
			  agent planner [1-9]
			    agent writer [2-5]
			      tool draft [3-4]`, `
			chief: draft shared
			planner: draft shared
			writer: draft`},
	})
	s = closeUntil(5)
	s.Include = true
	check(t, s, []row{
		{"of one that closes later", "the call waits for the planner", `
			agent planner [0-9] at:6
			  agent writer [2-5] at:5
			    tool draft [3-4]`, `writer: draft`},
	})
}

func TestAWholeTraceIsOneRun(t *testing.T) {
	s := closeAll()
	s.WholeTrace = true
	check(t, s, []row{
		{"all calls", "agents are no runs, and chains do not matter", `
			root [0-20]
			  agent planner [0-9] unheld
			    tool search [1-2]
			  - span [10-19]
			    agent writer [10-19] unheld
			      tool draft [11-12]`, `root: search, draft`},
		{"two roots", "the one that began first", `
			- span [0-30]
			  root [1-9]
			    tool search [3-4]
			  root [0-20] id:outer
			    tool draft [5-6]`, `
			root: search, draft
			passed: root`},
	})
}

// A span may say whose it is, where an instrumentation lost the context of a sub-agent.
func TestASpanNamesItsAgent(t *testing.T) {
	check(t, closeAll(), []row{
		{"inside of the agent above", "the writer's later steps are below the planner", `
			agent planner [0-9]
			  tool write [1-8] of:planner
			    agent writer [2-5]
			      tool draft [3-4]
			  tool print [4-5] of:Writer
			  tool send [6-7] of:writer`, `
			planner: write
			writer: draft, print, send`},
		{"outside of it", "it is no sub-agent of the planner's", `
			agent planner [0-9]
			  tool print [4-5] of:writer
			agent writer [2-5]`, `
			planner: print
			writer:`},
		{"around it", "the call ran the agent whose name it has", `
			agent planner [0-9]
			  tool write [1-8] of:writer
			    agent writer [2-5]
			      tool draft [3-4]`, `
			planner: write
			writer: draft`},
		{"of two runs", "the one at its time has it", `
			agent planner [0-9]
			  agent writer [1-3]
			  agent writer [4-6]
			  tool print [5-6] of:writer`, `
			planner:
			writer:
			writer: print`},
		{"of two runs, after both", "either may have it", `
			agent planner [0-9]
			  agent writer [1-3]
			  agent writer [4-6]
			  tool print [7-8] of:writer`, `
			planner: print (owner_unknown)
			writer: (owner_unknown)
			writer: (owner_unknown)`},
	})
}

// A tool's span that lost its parent is a trace of its own, and belongs to the run whose model asked for its call.
func TestAnOrphanBelongsToTheRunThatAskedForIt(t *testing.T) {
	check(t, closeAll(), []row{
		{"several", "parallel tools ran without context", `
			agent planner [0-9] by:crew
			  model [1-2] by:crew asks:search#call_search asks:book#call_book
			trace b
			tool search#call_search [3-5] by:crew held
			trace c
			tool book#call_book{} [3-4] by:crew held`, `
			planner + tool search + tool book: search#call_search, book#call_book{}`},
		{"of a sub-agent", "the response is the writer's", `
			agent planner [0-9]
			  chat [0-1]
			  agent writer [1-8]
			    model [1-2] asks:draft#call_draft
			trace b
			tool draft#call_draft [3-5] held`, `
			planner:
			writer + tool draft: draft#call_draft`},
		{"that nobody asked for", "it is a run as before", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search
			trace b
			root [3-5]
			  tool search#call_other [3-5]`, `
			planner:
			root: search#call_other`},
		{"beside the span of the call", "an ID of a cache proves nothing", `
			agent planner [0-9] by:crew
			  model [1-2] by:crew asks:search#call_search
			  tool search#call_search [3-4] by:crew
			trace b
			tool search#call_search [3-5] by:crew`, `
			planner: search#call_search
			?: search#call_search (anchor_missing)`},
		{"of another tool", "the ID is used again", `
			agent planner [0-9] by:crew
			  model [1-2] by:crew asks:search#call_search
			trace b
			tool book#call_search [3-5] by:crew`, `
			planner:
			?: book#call_search (anchor_missing)`},
		{"of two traces with one ID", "the last that asked for it before", `
			agent planner [0-3]
			  model [1-2] asks:search#call_search
			trace b
			agent writer [4-9]
			  model [5-6] asks:search#call_search
			trace c
			tool search#call_search [7-8]`, `
			planner:
			writer: search#call_search`},
	})
}

// An orphan waits for the run that it belongs to, and a copy that comes later is late.
func TestAnOrphanWaitsForItsRun(t *testing.T) {
	log := runstest.Log(t, `
		- agent planner [0-9]
		  model [1-2] asks:search#call_search
		trace b
		tool search#call_search [3-5] id:search
		root [3-5] id:search`)
	require.Empty(t, closeUntil(10).then(t, log, ""))
	require.Equal(t, "tool search, held root", runstest.Left(&evidence.Log{Traces: log.Traces[1:]}))
	require.Equal(t, "planner + root: search#call_search\n", closeUntil(20).then(t, log, "agent planner [0-9] at:11"))
	require.Equal(t, "late: 1\n", closeUntil(30).then(t, log, "trace b\ntool search#call_search [3-5] id:search"))
}

// Of an agent that ran very often nobody looks for the run that a span may be of.
func TestASpanOfAnAgentThatRanOften(t *testing.T) {
	for _, often := range []int{64, 65} {
		var log strings.Builder
		log.WriteString("agent planner [0-999]\n  tool print [5-6] of:writer\n")
		for i := range often {
			fmt.Fprintf(&log, "  agent writer [%d-%d] id:w%d\n", 2+10*i, 9+10*i, i)
		}
		closed := closeAll().then(t, new(evidence.Log), log.String())
		require.Equal(t, often == 64, strings.Contains(closed, "writer: print\n"), "%d runs", often)
		require.Equal(t, often == 65, strings.Contains(closed, "planner: print (owner_unknown)\n"), "%d runs", often)
	}
}

// An ID that very many responses asked for says nothing of whose call an orphan is.
func TestAnOrphanWhoseIDWasAskedForOften(t *testing.T) {
	for _, often := range []int{64, 65} {
		var log strings.Builder
		log.WriteString("trace b\ntool search#call_search [200-201]\ntrace a\nagent planner [0-199]\n")
		for i := range often {
			fmt.Fprintf(&log, "  model [%d-%d] asks:search#call_search\n", i+1, i+2)
		}
		closed := closeAll().then(t, new(evidence.Log), log.String())
		require.Equal(t, often == 64, strings.Contains(closed, "planner: search#call_search"), "%d responses: %s", often, closed)
	}
}
