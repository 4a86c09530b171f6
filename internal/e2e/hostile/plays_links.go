package main

import "time"

// linkPlays fill the table of the links of traces that are not known to be agentic. The forbidden call is below a span that came
// before any span of an agent. Without its link, the time of the call leads to another agent.
func linkPlays() []play {
	step := spanID{7}
	before, rest := batchOf("victim"), batchOf("victim")
	before.span(victimTrace, step, theAgent).from(250*time.Millisecond, 500*time.Millisecond)
	rest.span(victimTrace, theShell, step).from(300*time.Millisecond, 400*time.Millisecond).tool("shell")
	rest.span(victimTrace, spanID{4}, theAgent).from(260*time.Millisecond, 480*time.Millisecond).agent("helper")
	rest.span(victimTrace, theSearch, theAgent).from(100*time.Millisecond, 200*time.Millisecond).tool("search_orders")
	rest.span(victimTrace, theAgent, noParent).from(0, second).agent("support")
	links := batchOf("third-party")
	for i := range 4 * many {
		links.span(traceID{8, byte(i), byte(i >> 8)}, spanID{8, byte(i), byte(i >> 8)}, stranger).from(0, second)
	}
	return []play{{
		name: "fill-links", does: "4,800 links of another sender, and a small table, where a link leads from the forbidden call to its agent",
		section: "limits: {memory_mib: 4}\n" + named, law: neverSilent, honest: []batch{before, rest}, attacked: []batch{before, rest, links},
	}}
}
