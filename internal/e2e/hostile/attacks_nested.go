package main

import (
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// nestedValues are values in which maps have many entries, or one key many times.
func nestedValues() []attack {
	return []attack{{
		name: "resource-nested", does: "12 requests of 240 kB without a span: maps in maps, each with one key four times, sorted by what they contain",
		short: true,
		plan: func(p *plan) {
			for range 12 {
				p.send(repeatedKeys(4, 7))
			}
		},
	}, {
		name: "copies-with-maps", does: "an agent's span two times, with a map of 150,000 entries in another order: each key is looked for in all of the other map",
		plan: func(p *plan) {
			entries := make(map[string]any)
			for i := range 150_000 {
				entries[number(i)] = 1
			}
			t, a := p.traceID(), p.spanID()
			for range 2 {
				b := evil()
				_ = b.span(t, a, noParent).agent("support").Attributes().PutEmptyMap("m").FromRaw(entries) // in any order
				p.send(b.td)
			}
		},
	}, {
		name: "copies-with-arguments", does: "70 calls two times, with 64 kB of arguments in another order and with escapes: each is read",
		plan: func(p *plan) {
			t, a, calls := p.traceID(), p.spanID(), newSpanIDs(p, 70)
			for range 2 {
				b := evil()
				for _, c := range calls {
					b.span(t, c, a).tool("x").with("gen_ai.tool.call.arguments", p.shuffled(4_000))
				}
				p.send(b.td)
			}
			b := evil()
			b.span(t, a, noParent).agent("support")
			p.send(b.td)
		},
	}}
}

// shuffled is a JSON object with n escaped keys, in any order.
func (p *plan) shuffled(n int) string {
	members := make([]string, n)
	for i, at := range p.rng.Perm(n) {
		members[at] = `"\u0061` + number(1_000+i) + `":1`
	}
	return "{" + strings.Join(members, ",") + "}"
}

// largeOrigins are resources and scopes that a release repeats.
func largeOrigins() []attack {
	return []attack{{
		name: "origins-in-turns", does: "9,000 agents of one trace that take turns between three resources, of which a release has room for one: each leaves alone",
		short: true,
		plan: func(p *plan) {
			const requests = 3
			t := p.traceID()
			for r := range requests {
				b := largeOrigin()
				for i := range 3_000 {
					at := time.Duration(i*requests+r) * time.Microsecond
					b.span(t, p.spanID(), noParent).agent("").from(at, at+time.Microsecond)
				}
				p.send(b.td)
			}
		},
	}, {
		name: "origins-of-copies", does: "three requests with the same 3,000 agents, each with a large resource: each agent's copies leave together",
		plan: func(p *plan) {
			t, agents := p.traceID(), newSpanIDs(p, 3_000)
			for range 3 {
				b := largeOrigin()
				for i, a := range agents {
					at := time.Duration(i) * time.Microsecond
					b.span(t, a, noParent).agent("").from(at, at+time.Microsecond)
				}
				p.send(b.td)
			}
		},
	}, {
		name: "origins-of-calls", does: "3,000 agents, and two calls of each in requests with a large resource, whose spans are annotated and leave with the agent's",
		setup: setup{more: "annotate: {calls: true}\n"},
		plan: func(p *plan) {
			t, agents := p.traceID(), newSpanIDs(p, 3_000)
			for r := range 3 {
				b := largeOrigin()
				for i, a := range agents {
					at := time.Duration(i) * time.Microsecond
					if r < 2 {
						b.span(t, p.spanID(), a).tool("search_orders").from(at, at+time.Microsecond)
					} else {
						b.span(t, a, noParent).agent("support").from(at, at+time.Microsecond)
					}
				}
				p.send(b.td)
			}
		},
	}}
}

// largeOrigin is a batch with a resource and a scope of which a release has room for one pair.
func largeOrigin() batch {
	const size = 255_000
	b := evil()
	b.resource.Attributes().PutStr("x", text(size))
	b.td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().Attributes().PutStr("x", text(size))
	return b
}

// repeatedKeys is a resource that has no span. Its value is maps in maps, each with fan entries of one key. The texts at the
// bottom are in descending order.
func repeatedKeys(fan, depth int) ptrace.Traces {
	leaf := 1 << 20
	var value func(depth int) string
	value = func(depth int) string {
		if depth == 0 {
			leaf--
			return `{"stringValue":"` + number(leaf) + `"}`
		}
		entries := make([]string, fan)
		for i := range entries {
			entries[i] = `{"value":` + value(depth-1) + `}`
		}
		return `{"kvlistValue":{"values":[` + strings.Join(entries, ",") + `]}}`
	}
	td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces([]byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"x","value":` + value(depth) + `}]}}]}`))
	if err != nil {
		panic(err) // the text is ours
	}
	return td
}
