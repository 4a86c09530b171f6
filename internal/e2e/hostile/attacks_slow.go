package main

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"time"
)

// repeatedWork has an operation under a lock look at the same things again and again.
func repeatedWork() []attack {
	return []attack{{
		name: "due-quadratic", does: "an agent's span, 38,000 copies of it shortly before it is due, and 38,000 others shortly after",
		short: true, plan: dueQuadratic,
	}, {
		name: "resource-hash", does: "a resource of 2 MB and 20,000 MCP spans: hashed for each",
		plan: func(p *plan) {
			b := evil()
			b.resource.Attributes().PutStr("x", text(2_000_000))
			id := p.traceID()
			for range 20_000 {
				b.span(id, p.spanID(), noParent).with("mcp.method.name", "tools/call")
			}
			p.send(b.td)
		},
	}, {
		name: "merge-below", does: "five traces with a call with 64 kB of arguments above 9,990 calls of its name: arguments decoded for each",
		short: true,
		plan: func(p *plan) {
			for range 5 {
				b := evil()
				t, a, outer := p.traceID(), p.spanID(), p.spanID()
				b.span(t, outer, a).tool("x").with("gen_ai.tool.call.arguments", dense)
				for range 9_990 {
					b.span(t, p.spanID(), outer).tool("x")
				}
				b.span(t, a, noParent).agent("")
				p.send(b.td)
			}
		},
	}}
}

// sharedKeys give many spans one call ID, or one place in a table.
func sharedKeys() []attack {
	return []attack{{
		name: "results-many", does: "1,400 messages with 64 results of one ID, and 9,990 calls of that ID: searched one by one",
		plan: func(p *plan) {
			results := `{"role":"tool","parts":[{"type":"tool_call_response","id":"call_0"}]}`
			messages := "[" + repeat(results+",", 63) + results + "]"
			t, a := p.traceID(), p.spanID()
			for range 14 {
				b := evil()
				for range 100 {
					b.span(t, p.spanID(), a).from(-time.Hour, -time.Hour).chat().with("gen_ai.input.messages", messages)
				}
				p.send(b.td)
			}
			b := evil()
			for range 9_990 {
				b.span(t, p.spanID(), a).tool("x").with("gen_ai.tool.call.id", "call_0")
			}
			b.span(t, a, noParent).from(-2*time.Hour, 0).agent("")
			p.send(b.td)
		},
	}, {
		name: "results-sort", does: "40,000 results of one ID whose first is of 60 kB: sorted by what they hold",
		plan: func(p *plan) {
			result := `{"type":"tool_call_response","id":"call_abcdefghij","response":"`
			t, a := p.traceID(), p.spanID()
			b := evil()
			b.span(t, p.spanID(), a).from(-time.Hour, -time.Hour).chat().with("gen_ai.input.messages",
				`[{"role":"tool","parts":[`+result+text(60_000)+`"}`+repeat(`,`+result+`b"}`, 40_000)+`]}]`)
			b.span(t, a, noParent).from(-2*time.Hour, 0).agent("")
			p.send(b.td)
		},
	}, {
		name: "ring-collisions", does: "65,536 ordinary spans of traces that share a place in a table, then agents of such traces: each walks all of it",
		plan: ringCollisions,
	}, {
		name: "ids-many", does: "60,000 calls of one run with IDs that say little, in ten traces at once",
		plan: func(p *plan) {
			for at := range 10 {
				b := evil()
				t, a := p.traceID(), p.spanID()
				for i := range 5_500 {
					b.span(t, p.spanID(), a).tool("x").with("gen_ai.tool.call.id", fmt.Sprintf("call_%d", (i+at)%50))
				}
				b.span(t, a, noParent).agent("")
				p.send(b.td)
			}
		},
	}}
}

func dueQuadratic(p *plan) {
	const n = 38_000
	t, a := p.traceID(), p.spanID()
	b := evil()
	b.span(t, a, p.spanID()).agent("")
	p.send(b.td)
	p.wait(wait - 700*time.Millisecond)
	b = evil()
	for range n {
		b.span(t, a, p.spanID()).agent("")
	}
	p.send(b.td)
	p.wait(300 * time.Millisecond)
	b = evil()
	b.span(t, p.spanID(), p.spanID()).agent("")
	p.send(b.td)
	p.wait(900 * time.Millisecond)
	b = evil()
	for range n {
		b.span(t, p.spanID(), p.spanID()).agent("")
	}
	p.send(b.td)
}

func ringCollisions(p *plan) {
	two := [2]traceID{colliding(p), colliding(p)}
	b := evil()
	for i := range 65_536 {
		b.span(two[i%2], p.spanID(), p.spanID())
		if i%8_192 == 8_191 {
			p.send(b.td)
			b = evil()
		}
	}
	for range 10 {
		b = evil()
		for range 100 {
			b.span(colliding(p), p.spanID(), noParent).agent("")
		}
		p.send(b.td)
	}
}

// colliding returns a trace id whose key would end with 15 zero bits if the key had no random seed.
func colliding(p *plan) traceID {
	for {
		id := p.traceID()
		hi, lo := bits.Mul64(binary.LittleEndian.Uint64(id[:8])^0xa0761d6478bd642f, binary.LittleEndian.Uint64(id[8:])^0xe7037ed1a0b428db)
		hi, lo = bits.Mul64(hi^lo, 0x9E3779B97F4A7C15)
		if (hi^lo)&(1<<15-1) == 0 {
			return id
		}
	}
}
