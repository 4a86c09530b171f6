package main

import (
	"slices"
	"time"
)

// An attack is traffic that means harm, beside an honest victim.
type attack struct {
	name string
	does string // what it does, and what it aims at
	setup
	plan  func(*plan)
	short bool // a part of the short form
}

// attacks are all that run in process.
func attacks() []attack {
	return slices.Concat(
		[]attack{{name: "none", does: "nothing: the victim alone, for comparison", plan: func(*plan) {}}},
		largeOnes(), slowOnes(), loopOnes(), crowds(), shapes(),
	)
}

// largeOnes ask the processor to keep much more than they send.
func largeOnes() []attack {
	return []attack{{
		name: "resource-copies", does: "a resource of 100,000 small attributes, and an agent in each of 4,000 scopes: a copy for each scope is out of memory",
		short: true,
		plan: func(p *plan) {
			b := evil()
			fill(b.resource, 100_000)
			for range 4_000 {
				scope := b.td.ResourceSpans().At(0).ScopeSpans().AppendEmpty()
				spanIn(scope.Spans(), p.traceID(), p.spanID(), noParent).agent("")
			}
			p.send(b.td)
		},
	}, {
		name: "resource-large", does: "a resource of 2 MB and 20,000 agents: a copy for each release",
		plan: func(p *plan) {
			b := evil()
			b.resource.Attributes().PutStr("x", text(2_000_000))
			for range 20_000 {
				b.span(p.traceID(), p.spanID(), noParent).agent("")
			}
			p.send(b.td)
		},
	}, {
		name: "names-long", does: "an agent's name, and tools' names, of 1 MB: what is written with a verdict is as long",
		plan: func(p *plan) {
			for range 3 {
				b := evil()
				t, a := p.traceID(), p.spanID()
				b.span(t, a, noParent).agent("support" + text(1_000_000))
				b.span(t, p.spanID(), a).tool(text(1_000_000))
				p.send(b.td)
			}
		},
	}, {
		name: "names-many", does: "350 runs of the victim's agent, each of 128 calls with names of 256 bytes: verdicts make releases larger than 4 MiB",
		short: true,
		plan: func(p *plan) {
			for range 5 {
				b := evil()
				for i := range 70 {
					t, a := p.traceID(), p.spanID()
					for range 128 {
						b.span(t, p.spanID(), a).tool(text(200) + number(i))
					}
					b.span(t, a, noParent).agent("support")
				}
				p.send(b.td)
			}
		},
	}, {
		name: "anchors-large", does: "agents' spans of 3.9 MB each: two do not fit a release of 4 MiB",
		plan: func(p *plan) {
			for range 2 {
				b := evil()
				b.span(p.traceID(), p.spanID(), noParent).agent("support").with("x", text(3_900_000))
				p.send(b.td)
			}
		},
	}, {
		name: "messages-dense", does: "messages of 3.9 MB of numbers: decoded, they are many times as large",
		plan: func(p *plan) {
			for range 2 {
				b := evil()
				b.span(p.traceID(), p.spanID(), p.spanID()).chat().with("gen_ai.output.messages", `[{"type":"tool_call"},[`+repeat("0,", 1_950_000)+"0]]")
				p.send(b.td)
			}
		},
	}, {
		name: "expected-from-span", does: "agents whose own attribute expects 900,000 tools",
		short: true, setup: setup{before: "\n  - {when: 'attributes[\"expected\"] != nil', from_attribute: expected}"},
		plan: func(p *plan) {
			for _, tool := range []string{`{},`, `"a",`} {
				b := evil()
				b.span(p.traceID(), p.spanID(), noParent).agent("").with("expected", "["+repeat(tool, 900_000)+`"a"]`)
				p.send(b.td)
			}
		},
	}}
}

// loopOnes keep the goroutine busy that closes runs for everybody.
func loopOnes() []attack {
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
	}, {
		name: "concurrent", does: "76 runs of 997 calls that overlap in groups of 12 and out of the expected order: each group has hundreds of orders",
		short: true,
		plan:  func(p *plan) { concurrentRuns(p, 76, 83, 6) },
	}, {
		name: "concurrent-large", does: "6 runs of 9,955 calls that overlap in groups of 42: each group has millions of orders",
		plan: func(p *plan) { concurrentRuns(p, 6, 237, 21) },
	}, {
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
	}, {
		name: "fuzzy", does: "30 calls and 30 expected tools with texts of 60 kB each, compared by edit distance",
		short: true, setup: setup{native: "order: any, arguments: fuzzy, threshold: 0.8", before: "\n  - {when: 'attributes[\"expected\"] != nil', from_attribute: expected}"},
		plan: func(p *plan) { longTexts(p, 30) },
	}, {
		name: "wide-any", does: "one run of 45,000 calls with arguments, expected in another order, matched in any order",
		setup: wide("any"), plan: func(p *plan) { wideRun(p, 45_000) },
	}, {
		name: "wide-in-order", does: "the same, matched in order",
		setup: wide("in_order"), plan: func(p *plan) { wideRun(p, 45_000) },
	}, {
		name: "wide-exact", does: "the same, matched place by place",
		setup: wide("exact"), plan: func(p *plan) { wideRun(p, 45_000) },
	}}
}

func wide(order string) setup {
	return setup{
		limits: "calls_per_run: 50000",
		native: "order: " + order + ", arguments: subset, threshold: 0.8",
		before: "\n  - {when: 'attributes[\"expected\"] != nil', from_attribute: expected}",
	}
}

// agentsFor sends an agent for each trace, so many times.
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
