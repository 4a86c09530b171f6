package main

import (
	"fmt"
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

// longTexts is a run whose calls, and whose expected tools, have long texts that differ in the middle.
func longTexts(p *plan, n int) {
	var expected strings.Builder
	t, a := p.traceID(), p.spanID()
	b := evil()
	for i := range n {
		long := repeat("ab", 15_000) + number(i)
		fmt.Fprintf(&expected, `,{"name":"x","arguments":{"q":"%sy%s"}}`, long, repeat("cd", 15_000))
		b.span(t, p.spanID(), a).tool("x").with("gen_ai.tool.call.arguments", `{"q":"`+long+"z"+repeat("dc", 15_000)+`"}`)
	}
	b.span(t, a, noParent).agent("").from(-time.Second, time.Minute).with("expected", "["+expected.String()[1:]+"]")
	p.send(b.td)
}

// wideRun is a run of many calls whose expected tools are those calls, the other way round.
func wideRun(p *plan, n int) {
	var expected strings.Builder
	t, a := p.traceID(), p.spanID()
	b := evil()
	for i := range n {
		fmt.Fprintf(&expected, `,{"name":"x","arguments":{"a":%d,"b":%d}}`, i%7, (n-i)%11)
		b.span(t, p.spanID(), a).tool("x").from(time.Duration(i), time.Duration(i+1)).
			with("gen_ai.tool.call.arguments", fmt.Sprintf(`{"a":%d,"b":%d,"c":%d}`, i%7, i%11, i%3))
	}
	b.span(t, a, noParent).agent("").from(-time.Second, time.Minute).with("expected", "["+expected.String()[1:]+"]")
	p.send(b.td)
}
