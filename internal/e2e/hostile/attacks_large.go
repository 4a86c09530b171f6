package main

// largeResources are resources that are copied for each release.
func largeResources() []attack {
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
	}}
}

// longNames are names that a verdict repeats.
func longNames() []attack {
	return []attack{{
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
	}}
}

// largeContent is content that grows when it is read or released.
func largeContent() []attack {
	return []attack{{
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
