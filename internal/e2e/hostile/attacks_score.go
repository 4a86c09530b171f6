package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// longGroups are groups of calls that overlap, so that scoring has many orders to choose from.
func longGroups() []attack {
	return []attack{{
		name: "concurrent", does: "76 runs of 997 calls that overlap in groups of 12 and out of the expected order: each group has hundreds of orders",
		short: true,
		plan:  func(p *plan) { concurrentRuns(p, 76, 83, 6) },
	}, {
		name: "concurrent-large", does: "6 runs of 9,955 calls that overlap in groups of 42: each group has millions of orders",
		plan: func(p *plan) { concurrentRuns(p, 6, 237, 21) },
	}}
}

// comparedValues have scoring compare many calls, or long texts.
func comparedValues() []attack {
	return []attack{{
		name: "fuzzy", does: "290 runs of a call with a text of 16,000 letters, compared by edit distance with three such texts that the configuration expects",
		aim: "of 3 expected calls matched", setup: fuzzy(3, 16_000),
		plan: func(p *plan) { longTexts(p, 290, 16_000) },
	}, {
		name: "fuzzy-processes", does: "1,350 runs, each of a process of its own, of a call with a text of 3,300 letters, compared with three such texts",
		aim: "of 3 expected calls matched", setup: fuzzy(3, 3_300),
		plan: func(p *plan) { longTextsOfProcesses(p, 1_350, 3_300) },
	}, {
		name: "in-order-from-span", does: "13 runs of 6,200 calls whose own attribute expects 43,000 tools in order",
		aim: "of 43000 expected calls matched", setup: setup{before: "\n  - {when: 'attributes[\"expected\"] != nil', from_attribute: expected}"},
		plan: longOrders,
	}, {
		name: "wide-any", does: "one run of 45,000 calls with arguments, expected in another order, matched in any order",
		aim: tooWide, setup: wide("order: any, arguments: subset", 13), plan: wideRun(13),
	}, {
		name: "wide-in-order", does: "the same, matched in order",
		aim: tooWide, setup: wide("order: in_order, arguments: subset", 13), plan: wideRun(13),
	}, {
		name: "wide-exact", does: "the same, matched place by place",
		aim: tooWide, setup: wide("order: exact, arguments: subset", 13), plan: wideRun(13),
	}, {
		name: "distinct-any", does: "the same, each of another tool, matched by name in any order",
		aim: "all 45000 expected calls were made", setup: wide("order: any, arguments: ignore", wideCalls), plan: wideRun(wideCalls),
	}, {
		name: "distinct-in-order", does: "the same, matched in order",
		aim: "more than the 268435456 that can be put in order", setup: wide("order: in_order, arguments: ignore", wideCalls), plan: wideRun(wideCalls),
	}, {
		name: "distinct-exact", does: "the same, matched place by place",
		aim: "2 of 45000 expected calls matched", setup: wide("order: exact, arguments: ignore", wideCalls), plan: wideRun(wideCalls),
	}}
}

const (
	// wideCalls is how many calls a wide run has, and how many are expected of it.
	wideCalls = 45_000
	// tooWide is the reason if so many calls have arguments that are compared.
	tooWide = "pairs of an expected tool and a call would have to be compared"
)

// wide is a configuration that expects many calls of the agent wide, to that number of tools. What a span expects has a smaller bound.
func wide(native string, tools int) setup {
	var expected strings.Builder
	for i := range wideCalls {
		n := wideCalls - i
		fmt.Fprintf(&expected, ", {name: x%d, arguments: {a: %d, b: %d}}", n%tools, n%7, n%11)
	}
	return setup{
		limits: "calls_per_run: 50000",
		native: native + ", threshold: 0.8",
		before: "\n  - when: 'attributes[\"gen_ai.agent.name\"] == \"wide\"'\n    tools: [" + expected.String()[2:] + "]",
	}
}

// fuzzy is a configuration that expects n calls of the agent fuzzy, each with a text of that number of letters.
func fuzzy(n, letters int) setup {
	rng := rand.New(rand.NewPCG(1, 2))
	var tools strings.Builder
	for range n {
		fmt.Fprintf(&tools, ", {name: x, arguments: {q: %q}}", anyText(rng, letters))
	}
	return setup{
		native: "order: any, arguments: fuzzy, threshold: 0.8",
		before: "\n  - when: 'attributes[\"gen_ai.agent.name\"] == \"fuzzy\"'\n    tools: [" + tools.String()[2:] + "]",
	}
}

// anyText is a text of n letters in random order. Each is rarer than one in a hundred: difflib skips letters that are not.
func anyText(rng *rand.Rand, n int) string {
	const first, letters = 'Ā', 200
	b := make([]rune, n)
	for i := range b {
		b[i] = first + rune(rng.IntN(letters))
	}
	return string(b)
}

// concurrentRuns sends runs of the victim's agent that begin with the last expected call. In each group, half of the calls
// end one by one, and as many begin behind them one by one.
func concurrentRuns(p *plan, runs, groups, half int) {
	for range runs {
		b := evil()
		t, a := p.traceID(), p.spanID()
		b.span(t, p.spanID(), a).tool("refund_order").with("gen_ai.tool.call.arguments", `{"currency":"EUR"}`).from(0, 1)
		for g := range groups {
			base := time.Duration(1+g) * time.Millisecond
			for i := range time.Duration(half) {
				b.span(t, p.spanID(), a).tool("search_orders").from(base+i, base+1_000+10*i)
				b.span(t, p.spanID(), a).tool("search_orders").from(base+1_005+10*i, base+2_000)
			}
		}
		b.span(t, a, noParent).agent("support").from(0, time.Hour)
		p.send(b.td)
	}
}

// longTexts sends runs of one call with a long text.
func longTexts(p *plan, runs, letters int) {
	for range runs / 10 {
		b := evil()
		for range 10 {
			t, a := p.traceID(), p.spanID()
			b.span(t, p.spanID(), a).tool("x").with("gen_ai.tool.call.arguments", `{"q":"`+anyText(p.rng, letters)+`"}`)
			b.span(t, a, noParent).agent("fuzzy")
		}
		p.send(b.td)
	}
}

// longTextsOfProcesses is longTexts with a resource for each run.
func longTextsOfProcesses(p *plan, runs, letters int) {
	for i := range runs {
		b := batchOf("evil" + number(i))
		t, a := p.traceID(), p.spanID()
		b.span(t, p.spanID(), a).tool("x").with("gen_ai.tool.call.arguments", `{"q":"`+anyText(p.rng, letters)+`"}`)
		b.span(t, a, noParent).agent("fuzzy")
		p.send(b.td)
	}
}

// longOrders sends runs of two tools in random order, which expect them in another random order.
func longOrders(p *plan) {
	for range 13 {
		b := evil()
		t, a := p.traceID(), p.spanID()
		for i := range 6_200 {
			b.span(t, p.spanID(), a).tool(p.aOrB()).from(time.Duration(i), time.Duration(i+1))
		}
		var expected strings.Builder
		for range 43_000 {
			expected.WriteString(`,"` + p.aOrB() + `"`)
		}
		b.span(t, a, noParent).agent("").with("expected", "["+expected.String()[1:]+"]")
		p.send(b.td)
	}
}

// wideRun is a run of many calls to that number of tools. What is expected are those calls, the other way round. The next hop takes no
// request of more than 4 MiB, so the calls are in several.
func wideRun(tools int) func(*plan) {
	return func(p *plan) {
		t, a := p.traceID(), p.spanID()
		b := evil()
		b.span(t, a, noParent).agent("wide").from(-time.Second, time.Minute)
		for i := range wideCalls {
			b.span(t, p.spanID(), a).tool("x"+number(i%tools)).from(time.Duration(i), time.Duration(i+1)).
				with("gen_ai.tool.call.arguments", fmt.Sprintf(`{"a":%d,"b":%d,"c":%d}`, i%7, i%11, i%3))
			if i%10_000 == 9_999 {
				p.send(b.td)
				b = evil()
			}
		}
		p.send(b.td)
	}
}
