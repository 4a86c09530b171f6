//go:build hostile

// Package hostile shows what harmful traffic does to an honest sender beside it. Its tests fail if a bound of docs/security.md is
// broken.
//
//	go test -tags hostile -v ./hostile [-run Attacks/NAME] [-short] [-seed N]
//
// The attacker sends up to 10 MB. The victim is an honest sender, whose runs have a known score. A bound is on what the attacker
// may cost the victim: how long requests take, how late verdicts are, how many are lost or wrong. Another is on memory. Each attack
// is measured in a child process whose memory is limited, and again if a bound is broken by little, because the machine may have
// been busy:
//
//	attacks_test.go  the list, to which an attack is added: "names-many" sends five requests
//	plan_test.go     a plan has the requests of an attack, and when each is sent; it is made before anything is measured
//	victim_test.go   the victim sends its runs, first alone, then beside the attacker, and counts what came out
//	measure_test.go  the child sends the plan, waits for the victim's verdicts, and prints a figure as JSON: a row of the table
//	machine_test.go  limits and watches the memory of the child; knows how long its threads waited for a core
//	bounds_test.go   compares the figure with the bounds
//
// Attacks on a verdict need no measurement: verdicts_test.go sends one run of the victim with and without the attacker's spans, in
// every order of the requests, while the clock stands still, and a law compares the verdicts.
package hostile

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/e2e/spans"
)

// wait is run.wait in every configuration: short, so that an attack is over soon.
const wait = time.Second

// memoryMiB is limits.memory_mib in every configuration, the default.
const memoryMiB = 256

// A setup is the processor's section, in pieces. What is empty keeps what section writes.
type setup struct{ limits, native, before, more string }

// section is the processor's section as a user writes it. It expects what the victim's runs call.
func (s setup) section() string {
	return fmt.Sprintf(`
run: {wait: %s}
limits: {%s}
%smetrics: {tool_correctness: {native: {%s}}}
expectations:%s
  - name: victim
    when: attributes["tool_correctness.agent"] == "support"
    tools: [search_orders, {name: refund_order, arguments: {currency: EUR}}]
`, wait, s.limits, s.more, cmp.Or(s.native, "order: in_order, arguments: subset, score: f1, threshold: 0.8"), s.before)
}

// An attack is traffic that means harm, beside an honest victim.
type attack struct {
	name string
	does string // what it does, and what it aims at
	setup
	plan  func(*plan)
	short bool // a part of the short form
	// aim is a part of the reason that a run of the attacker must have. Without such a run the attack shows nothing. Empty: the
	// attack does not aim at scores.
	aim string
}

// attacks are all of them. Each finds something that no other finds.
var attacks = []attack{
	{name: "none", does: "nothing: the victim alone, for comparison", plan: func(*plan) {}},

	// They make the processor keep or release more than they send.
	{
		name: "resource-copies", does: "a resource of 100,000 small attributes, and an agent in each of 4,000 scopes: a copy for each scope is out of memory",
		short: true,
		plan: func(p *plan) {
			b := evil()
			fill(b.resource, 100_000)
			for range 4_000 {
				scope := b.td.ResourceSpans().At(0).ScopeSpans().AppendEmpty()
				spans.In(scope.Spans(), p.traceID(), p.spanID(), spans.NoParent).Agent("")
			}
			p.send(b.td)
		},
	},
	{
		name: "names-many", does: "350 runs of the victim's agent, each of 128 calls with names of 256 bytes: verdicts make releases larger than 4 MiB",
		short: true,
		plan: func(p *plan) {
			for range 5 {
				b := evil()
				for i := range 70 {
					t, a := p.traceID(), p.spanID()
					for range 128 {
						b.span(t, p.spanID(), a).Tool(strings.Repeat("a", 200) + strconv.Itoa(i))
					}
					b.span(t, a, spans.NoParent).Agent("support")
				}
				p.send(b.td)
			}
		},
	},
	{
		name: "expected-from-span", does: "agents whose own attribute expects 900,000 tools",
		short: true, setup: setup{before: "\n  - {when: 'attributes[\"expected\"] != nil', from_attribute: expected}"},
		plan: func(p *plan) {
			for _, tool := range []string{`{},`, `"a",`} {
				b := evil()
				b.span(p.traceID(), p.spanID(), spans.NoParent).Agent("").With("expected", "["+strings.Repeat(tool, 900_000)+`"a"]`)
				p.send(b.td)
			}
		},
	},
	{
		name: "resource-nested", does: "12 requests of 240 kB without a span: maps in maps, each with one key four times, sorted by what they contain",
		short: true,
		plan: func(p *plan) {
			for range 12 {
				p.send(repeatedKeys(4, 7))
			}
		},
	},
	{
		name: "origins-in-turns", does: "9,000 agents of one trace that take turns between three resources, of which a release has room for one: each leaves alone",
		short: true,
		plan: func(p *plan) {
			const requests = 3
			t := p.traceID()
			for r := range requests {
				b := largeOrigin()
				for i := range 3_000 {
					at := time.Duration(i*requests+r) * time.Microsecond
					b.span(t, p.spanID(), spans.NoParent).Agent("").From(at, at+time.Microsecond)
				}
				p.send(b.td)
			}
		},
	},

	// They repeat work on the same things, under a lock or on the goroutine that closes the runs of all.
	{
		name: "due-quadratic", does: "an agent's span, 38,000 copies of it shortly before it is due, and 38,000 others shortly after",
		short: true, plan: dueQuadratic,
	},
	{
		name: "merge-below", does: "five traces with a call with 64 kB of arguments above 9,990 calls of its name: arguments decoded for each",
		short: true,
		plan: func(p *plan) {
			for range 5 {
				b := evil()
				t, a, outer := p.traceID(), p.spanID(), p.spanID()
				b.span(t, outer, a).Tool("x").With("gen_ai.tool.call.arguments", dense)
				for range 9_990 {
					b.span(t, p.spanID(), outer).Tool("x")
				}
				b.span(t, a, spans.NoParent).Agent("")
				p.send(b.td)
			}
		},
	},
	{
		name: "results-many", does: "1,400 messages with 64 results of one ID, and 9,990 calls of that ID: searched one by one",
		plan: func(p *plan) {
			results := `{"role":"tool","parts":[{"type":"tool_call_response","id":"call_0"}]}`
			messages := "[" + strings.Repeat(results+",", 63) + results + "]"
			t, a := p.traceID(), p.spanID()
			for range 14 {
				b := evil()
				for range 100 {
					b.span(t, p.spanID(), a).From(-time.Hour, -time.Hour).Chat().With("gen_ai.input.messages", messages)
				}
				p.send(b.td)
			}
			b := evil()
			for range 9_990 {
				b.span(t, p.spanID(), a).Tool("x").With("gen_ai.tool.call.id", "call_0")
			}
			b.span(t, a, spans.NoParent).From(-2*time.Hour, 0).Agent("")
			p.send(b.td)
		},
	},
	{
		name: "condition-regex", does: "5,000 agents of a resource with an attribute of 2 MB that a condition's expression looks through",
		short: true, setup: setup{before: lookedThrough},
		plan: func(p *plan) {
			b := evil()
			b.resource.Attributes().PutStr("host.name", strings.Repeat("a", 2_000_000))
			for range 5_000 {
				b.span(p.traceID(), p.spanID(), spans.NoParent).Agent("")
			}
			p.send(b.td)
		},
	},

	// They attack scoring: calls that overlap, so that there are many orders to choose from, and long texts.
	{
		name: "concurrent", does: "76 runs of 997 calls that overlap in groups of 12 and out of the expected order: each group has hundreds of orders",
		short: true,
		plan:  func(p *plan) { concurrentRuns(p, 76, 83, 6) },
	},
	{
		name: "fuzzy", does: "290 runs of a call with a text of 16,000 letters, compared by edit distance with three such texts that the configuration expects",
		aim: "of 3 expected calls matched", short: true, setup: fuzzy(3, 16_000),
		plan: func(p *plan) { longTexts(p, 290, 16_000) },
	},

	// They have many agents, runs or calls, or traces that no program writes.
	{
		name: "calls-without-agents", does: "70,000 traces of one call whose agent never comes", short: true,
		plan: func(p *plan) {
			for range 14 {
				b := evil()
				for range 5_000 {
					b.span(p.traceID(), p.spanID(), p.spanID()).Tool("x")
				}
				p.send(b.td)
			}
		},
	},
	{
		name: "nested-separate", does: "agents in agents, 10,000 deep, with a call each", short: true, plan: nested,
	},
	{
		name: "cycles", does: "agents, calls and others in cycles of their parents: one cycle of 20,000 spans, and 10,000 cycles of two",
		plan: func(p *plan) {
			for _, length := range []int{20_000, 2} {
				cycle(p, length)
			}
		},
	},
	{
		name: "mix", does: "all kinds of spans with repeated IDs, in old and new traces, with little memory and spans of calls held",
		setup: setup{limits: "memory_mib: 8", more: "annotate: {calls: true}\n"}, plan: mix,
	},
}

// lookedThrough is an expectation whose condition looks through a text.
const lookedThrough = "\n  - {when: 'IsMatch(resource.attributes[\"host.name\"], \"(prod|live)-[a-z]+-eu\")', tools: [x]}"

// largeOrigin is a batch with a resource and a scope of which a release has room for one pair.
func largeOrigin() batch {
	const size = 255_000
	b := evil()
	b.resource.Attributes().PutStr("x", strings.Repeat("a", size))
	b.td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().Attributes().PutStr("x", strings.Repeat("a", size))
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
			return `{"stringValue":"` + strconv.Itoa(leaf) + `"}`
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

func dueQuadratic(p *plan) {
	const n = 38_000
	t, a := p.traceID(), p.spanID()
	b := evil()
	b.span(t, a, p.spanID()).Agent("")
	p.send(b.td)
	p.wait(wait - 700*time.Millisecond)
	b = evil()
	for range n {
		b.span(t, a, p.spanID()).Agent("")
	}
	p.send(b.td)
	p.wait(300 * time.Millisecond)
	b = evil()
	b.span(t, p.spanID(), p.spanID()).Agent("")
	p.send(b.td)
	p.wait(900 * time.Millisecond)
	b = evil()
	for range n {
		b.span(t, p.spanID(), p.spanID()).Agent("")
	}
	p.send(b.td)
}

// concurrentRuns sends runs of the victim's agent that begin with the last expected call. In each group, half of the calls
// end one by one, and as many begin behind them one by one.
func concurrentRuns(p *plan, runs, groups, half int) {
	for range runs {
		b := evil()
		t, a := p.traceID(), p.spanID()
		b.span(t, p.spanID(), a).Tool("refund_order").With("gen_ai.tool.call.arguments", `{"currency":"EUR"}`).From(0, 1)
		for g := range groups {
			base := time.Duration(1+g) * time.Millisecond
			for i := range time.Duration(half) {
				b.span(t, p.spanID(), a).Tool("search_orders").From(base+i, base+1_000+10*i)
				b.span(t, p.spanID(), a).Tool("search_orders").From(base+1_005+10*i, base+2_000)
			}
		}
		b.span(t, a, spans.NoParent).Agent("support").From(0, time.Hour)
		p.send(b.td)
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

// longTexts sends runs of one call with a long text.
func longTexts(p *plan, runs, letters int) {
	for range runs / 10 {
		b := evil()
		for range 10 {
			t, a := p.traceID(), p.spanID()
			b.span(t, p.spanID(), a).Tool("x").With("gen_ai.tool.call.arguments", `{"q":"`+anyText(p.rng, letters)+`"}`)
			b.span(t, a, spans.NoParent).Agent("fuzzy")
		}
		p.send(b.td)
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

func nested(p *plan) {
	id, parent := p.traceID(), p.spanID()
	b := evil()
	for i := range 10_000 {
		at := time.Duration(i) * time.Microsecond
		a := p.spanID()
		b.span(id, a, parent).Agent("").From(at, time.Minute-at)
		b.span(id, p.spanID(), a).Tool("x").From(time.Second, 2*time.Second)
		parent = a
	}
	p.send(b.td)
}

// cycle sends 20,000 spans whose parents form cycles of that length.
func cycle(p *plan, length int) {
	const n = 20_000
	id := p.traceID()
	ids := make([]pcommon.SpanID, n)
	for i := range ids {
		ids[i] = p.spanID()
	}
	b := evil()
	for i := range n {
		next := i - i%length + (i+1)%length
		s := b.span(id, ids[i], ids[min(next, n-1)])
		switch i % 3 {
		case 0:
			s.Agent("")
		case 1:
			s.Tool("x")
		}
	}
	p.send(b.td)
}

func mix(p *plan) {
	id := p.traceID()
	for i := range 250 {
		b := evil()
		b.resource.Attributes().PutStr("x", strings.Repeat("a", 1_000))
		for i := range 200 {
			t := id
			if i%3 == 0 {
				t = p.traceID()
			}
			mixed(p, b.span(t, p.spanID(), p.spanID()).From(0, time.Duration(p.rng.IntN(1e9))))
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
func mixed(p *plan, s spans.Span) {
	switch p.rng.IntN(6) {
	case 0:
		s.Agent("support").With("session.id", "default")
	case 1, 2:
		s.Tool("search_orders").With("gen_ai.tool.call.id", "call_abcdefg"+strconv.Itoa(p.rng.IntN(50)))
	case 3:
		s.With("mcp.method.name", "tools/call").With("gen_ai.tool.name", "search_orders")
	case 4:
		s.SetParentSpanID(spans.NoParent)
		s.Chat().With("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_abcdefg1","name":"search_orders","arguments":{}}]}]`)
	}
}
