package main

import (
	"slices"
	"time"
)

// crowdsOfAgents are many agents, or many calls that wait for one.
func crowdsOfAgents() []attack {
	return []attack{{
		name: "agents-in-one-trace", does: "80,000 agents in one trace",
		plan: func(p *plan) {
			id := p.traceID()
			for range 8 {
				b := evil()
				for range 10_000 {
					b.span(id, p.spanID(), p.spanID()).agent("").from(0, time.Duration(p.rng.IntN(1e9)))
				}
				p.send(b.td)
				p.wait(150 * time.Millisecond)
			}
		},
	}, {
		name: "agents-slowly", does: "9,990 calls of unknown origin, and 100 agents of their trace ten times a second",
		plan: func(p *plan) {
			id := p.traceID()
			b := evil()
			for range 9_990 {
				b.span(id, p.spanID(), p.spanID()).tool("x").from(time.Duration(p.rng.IntN(1e9)), time.Second)
			}
			p.send(b.td)
			for range 60 {
				b = evil()
				for range 100 {
					b.span(id, p.spanID(), p.spanID()).agent("").from(0, time.Duration(p.rng.IntN(1e9)))
				}
				p.send(b.td)
				p.wait(100 * time.Millisecond)
			}
		},
	}, {
		name: "calls-without-agents", does: "70,000 traces of one call whose agent never comes", short: true,
		plan: func(p *plan) {
			for range 14 {
				b := evil()
				for range 5_000 {
					b.span(p.traceID(), p.spanID(), p.spanID()).tool("x")
				}
				p.send(b.td)
			}
		},
	}, {
		name: "agents-alone", does: "90,000 traces of one agent",
		plan: func(p *plan) {
			for range 18 {
				b := evil()
				for range 5_000 {
					b.span(p.traceID(), p.spanID(), p.spanID()).agent("")
				}
				p.send(b.td)
			}
		},
	}}
}

// crowdsOfRuns are many runs with calls.
func crowdsOfRuns() []attack {
	return []attack{{
		name: "conversation", does: "6,000 runs of ten calls in one conversation", setup: setup{run: ", scope: conversation, idle_timeout: 1s"},
		plan: func(p *plan) {
			for range 12 {
				b := evil()
				for range 500 {
					t, a := p.traceID(), p.spanID()
					for range 10 {
						b.span(t, p.spanID(), a).tool("search_orders")
					}
					b.span(t, a, noParent).agent("").with("session.id", "default")
				}
				p.send(b.td)
			}
		},
	}, {
		name: "mix", does: "all kinds of spans with repeated IDs, in old and new traces, with little memory and spans of calls held",
		setup: setup{limits: "memory_mib: 8", more: "annotate: {calls: true}\n"}, plan: mix,
	}, {
		name: "limits", does: "30,000 open runs where 1,000 may be", setup: setup{limits: "open_runs: 1000"},
		plan: func(p *plan) {
			for range 10 {
				b := evil()
				for range 3_000 {
					t, a := p.traceID(), p.spanID()
					b.span(t, p.spanID(), a).tool("x")
					b.span(t, a, noParent).agent("")
				}
				p.send(b.td)
				p.wait(50 * time.Millisecond)
			}
		},
	}}
}

// shapes are traces that no program writes.
func shapes() []attack {
	return []attack{{
		name: "nested", does: "agents in agents, 10,000 deep, with a call each, and the calls of all count for all", setup: setup{run: ", nested: include"},
		plan: nested,
	}, {
		name: "nested-separate", does: "the same, and calls count for the nearest agent", short: true, plan: nested,
	}, {
		name: "cycles", does: "agents, calls and others in cycles of their parents: one cycle of 20,000 spans, and 10,000 cycles of two",
		plan: func(p *plan) {
			for _, length := range []int{20_000, 2} {
				cycle(p, length)
			}
		},
	}, {
		name: "tools-with-agents", does: "10,000 calls of one trace whose parents are unknown, of 157 processes, with the step of an agent below each",
		short: true, plan: toolsWithAgents,
	}, {
		name: "crowd-agents-first", does: "38,000 agents and 38,000 calls of one trace, the agents first",
		plan: func(p *plan) { crowdOf(p, "agents") }, setup: setup{limits: "calls_per_run: 50000"},
	}, {
		name: "crowd-calls-first", does: "the same, the calls first",
		plan: func(p *plan) { crowdOf(p, "calls") }, setup: setup{limits: "calls_per_run: 50000"},
	}, {
		name: "crowd-mixed", does: "the same, mixed",
		plan: func(p *plan) { crowdOf(p, "mixed") }, setup: setup{limits: "calls_per_run: 50000"},
	}}
}

// toolsWithAgents sends calls that run agents which only their steps show. A process has few such agents.
func toolsWithAgents(p *plan) {
	const processes, agents = 157, 64
	t, all := p.traceID(), evil()
	all.span(t, p.spanID(), noParent).agent("support").from(0, time.Hour)
	for i := range processes {
		b := batchOf("evil " + number(i))
		steps := b.td.ResourceSpans().At(0).ScopeSpans().AppendEmpty()
		steps.Scope().SetName("@arizeai/openinference-instrumentation-beeai")
		for k := range agents {
			at, call := time.Duration(i*agents+k)*time.Microsecond, p.spanID()
			b.span(t, call, p.spanID()).tool("x").from(at, time.Minute-at)
			spanIn(steps.Spans(), t, p.spanID(), call).with("openinference.span.kind", "AGENT").from(at, time.Minute-at)
		}
		b.td.ResourceSpans().MoveAndAppendTo(all.td.ResourceSpans())
	}
	p.send(all.td)
}

// crowdOf sends 38,000 agents and as many calls of one trace, in the given order.
func crowdOf(p *plan, order string) {
	const n = 38_000
	id := p.traceID()
	agents, calls := make([]func(batch), n), make([]func(batch), n)
	for i := range n {
		at := time.Duration(p.rng.IntN(1e9))
		a, c := p.spanID(), p.spanID()
		agents[i] = func(b batch) { b.span(id, a, p.spanID()).agent("").from(at, at+time.Second) }
		calls[i] = func(b batch) { b.span(id, c, p.spanID()).tool("x").from(at, at+time.Second) }
	}
	all := slices.Concat(agents, calls)
	switch order {
	case "calls":
		all = slices.Concat(calls, agents)
	case "mixed":
		p.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	for at := 0; at < len(all); at += 10_000 {
		b := evil()
		for _, add := range all[at:min(at+10_000, len(all))] {
			add(b)
		}
		p.send(b.td)
	}
}

func mix(p *plan) {
	id := p.traceID()
	for i := range 250 {
		b := evil()
		b.resource.Attributes().PutStr("x", text(1_000))
		for i := range 200 {
			t := id
			if i%3 == 0 {
				t = p.traceID()
			}
			mixed(p, b.span(t, p.spanID(), p.spanID()).from(0, time.Duration(p.rng.IntN(1e9))))
		}
		if !p.send(b.td) {
			return
		}
		if i%20 == 19 {
			id = p.traceID()
		}
		p.wait(20 * time.Millisecond)
	}
}

// mixed makes a span one of several kinds.
func mixed(p *plan, s span) {
	switch p.rng.IntN(6) {
	case 0:
		s.agent("support").with("session.id", "default")
	case 1, 2:
		s.tool("search_orders").with("gen_ai.tool.call.id", "call_abcdefg"+number(p.rng.IntN(50)))
	case 3:
		s.with("mcp.method.name", "tools/call").with("gen_ai.tool.name", "search_orders")
	case 4:
		s.SetParentSpanID(noParent)
		s.chat().with("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_abcdefg1","name":"search_orders","arguments":{}}]}]`)
	}
}

func nested(p *plan) {
	id, parent := p.traceID(), p.spanID()
	b := evil()
	for i := range 10_000 {
		at := time.Duration(i) * time.Microsecond
		a := p.spanID()
		b.span(id, a, parent).agent("").from(at, time.Minute-at)
		b.span(id, p.spanID(), a).tool("x").from(time.Second, 2*time.Second)
		parent = a
	}
	p.send(b.td)
}

// cycle sends 20,000 spans whose parents form cycles of that length.
func cycle(p *plan, length int) {
	const n = 20_000
	id := p.traceID()
	ids := make([]spanID, n)
	for i := range ids {
		ids[i] = p.spanID()
	}
	b := evil()
	for i := range n {
		next := i - i%length + (i+1)%length
		s := b.span(id, ids[i], ids[min(next, n-1)])
		switch i % 3 {
		case 0:
			s.agent("")
		case 1:
			s.tool("x")
		}
	}
	p.send(b.td)
}
