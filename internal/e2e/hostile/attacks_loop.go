package main

import (
	"time"
)

// closings keep the goroutine busy that closes the runs of every sender.
func closings() []attack {
	regex := "\n  - {when: 'IsMatch(resource.attributes[\"host.name\"], \"(prod|live)-[a-z]+-eu\")', tools: [x]}"
	return []attack{{
		name: "condition-regex", does: "5,000 agents of a resource with an attribute of 2 MB that a condition's expression looks through",
		short: true, setup: setup{before: regex},
		plan: func(p *plan) {
			b := evil()
			b.resource.Attributes().PutStr("host.name", text(2_000_000))
			for range 5_000 {
				b.span(p.traceID(), p.spanID(), noParent).agent("")
			}
			p.send(b.td)
		},
	}, {
		name: "settle-again", does: "6 traces of 9,990 calls of unknown origin, and an agent for each five times a second: all calls are looked at each time",
		plan: func(p *plan) {
			ids := traceIDs(p, 6)
			for _, id := range ids {
				b := evil()
				for range 9_990 {
					b.span(id, p.spanID(), p.spanID()).tool("x")
				}
				p.send(b.td)
			}
			agentsFor(p, ids, 40, 200*time.Millisecond)
		},
	}, {
		name: "merge-again", does: "a call with 64 kB of arguments above 1,000 calls of its name, and an agent ten times a second: compared each time",
		plan: func(p *plan) {
			id, outer := p.traceID(), p.spanID()
			b := evil()
			b.span(id, outer, p.spanID()).tool("x").with("gen_ai.tool.call.arguments", dense)
			for range 1_000 {
				b.span(id, p.spanID(), outer).tool("x").with("gen_ai.tool.call.arguments", "{}")
			}
			p.send(b.td)
			agentsFor(p, []traceID{id}, 60, 100*time.Millisecond)
		},
	}}
}

// comparedRuns have correlation compare runs with each other.
func comparedRuns() []attack {
	return []attack{{
		name: "shadow", does: "1,024 runs of one call, then model calls that ask for a tool with a name of 3 MB: compared with each run",
		plan: func(p *plan) {
			ask(p, "x")
			b := evil()
			for range 1_024 {
				t, a := p.traceID(), p.spanID()
				b.span(t, p.spanID(), a).tool("x")
				b.span(t, a, noParent).agent("")
			}
			p.send(b.td)
			p.wait(2 * wait)
			for range 3 {
				ask(p, text(3_000_000))
			}
		},
	}, {
		name: "resource-hash-loop", does: "an MCP span, then 20,000 agents of a resource of 2 MB: hashed for each",
		plan: func(p *plan) {
			b := evil()
			b.span(p.traceID(), p.spanID(), noParent).with("mcp.method.name", "tools/call")
			p.send(b.td)
			b = evil()
			b.resource.Attributes().PutStr("x", text(2_000_000))
			for range 20_000 {
				b.span(p.traceID(), p.spanID(), noParent).agent("")
			}
			p.send(b.td)
		},
	}}
}

// agentsFor sends an agent for each trace, and repeats that.
func agentsFor(p *plan, ids []traceID, times int, every time.Duration) {
	for range times {
		p.wait(every)
		b := evil()
		for _, id := range ids {
			b.span(id, p.spanID(), p.spanID()).agent("").from(-time.Hour, time.Hour)
		}
		if !p.send(b.td) {
			return
		}
	}
}

// ask sends a model call that asks for a tool.
func ask(p *plan, name string) {
	b := evil()
	b.span(p.traceID(), p.spanID(), noParent).chat().from(-time.Hour, -time.Hour).with("gen_ai.output.messages",
		`[{"role":"assistant","parts":[{"type":"tool_call","id":"call_`+p.spanID().String()+`","name":"`+name+`","arguments":{}}]}]`)
	p.send(b.td)
}
