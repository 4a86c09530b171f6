package acceptance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A randomShape says what of a trace is elsewhere: in other processes than the agent that asks for it.
type randomShape struct {
	tools, servers, agents bool // tools without a span of the agent's framework, servers of MCP, and agents that others call
	// prefixes: a framework calls a tool of a server by another name than the server does.
	prefixes bool
}

var (
	randomOneProcess = randomShape{}
	randomEverything = randomShape{tools: true, servers: true, agents: true, prefixes: true}
)

// A randomTrace is a trace with its truth: what the agents did, known because they did it here.
type randomTrace struct {
	id    pcommon.TraceID
	shape randomShape
	rand  *rand.Rand
	spans []*randomSpan // the root is the first
	runs  []*randomRun
	used  map[int]bool // the starts of spans: no two are equal, so calls have one order
}

// A randomRun is one execution of an agent.
type randomRun struct {
	agent  string
	outer  *randomRun // the agent around it, nil for none
	anchor *randomSpan
	calls  []randomCall
}

// A randomCall is one call of a tool.
type randomCall struct {
	name, arguments string
	id              string // empty if no tool span has it
	failed          bool
	start           int
	form            randomForm
}

// A randomForm says which spans record a call.
type randomForm int

const (
	randomLocal        randomForm = iota // a framework's span in the agent's process
	randomRemote                         // a framework's span in the process of a service of tools, and none in the agent's
	randomProtocol                       // a framework's span, and below it those of a client and a server of MCP
	randomOnlyProtocol                   // those of MCP alone
)

// randomForms has each form as often as it is drawn.
var randomForms = []randomForm{
	randomLocal, randomLocal, randomLocal, randomLocal, randomLocal, randomRemote, randomRemote, randomRemote, randomProtocol, randomProtocol,
	randomProtocol, randomOnlyProtocol,
}

// A randomSpan is one span. Its times are in microseconds since randomEpoch.
type randomSpan struct {
	id, parent pcommon.SpanID
	name       string
	process    randomProcess
	scope      string
	kind       ptrace.SpanKind
	start, end int
	failed     bool
	attributes map[string]string
}

// A randomProcess sends spans: one pod of a service.
type randomProcess struct{ service, pod string }

func (p randomProcess) String() string { return p.service + "/" + p.pod }

const (
	randomEpoch    = pcommon.Timestamp(1_700_000_000_000_000_000)
	randomMaxDepth = 4 // of agents in agents
)

// Instrumentations, each with a scope of its own, as one process has several.
const (
	randomFramework = "example.agents"
	randomModels    = "example.models"
	randomMCP       = "example.mcp"
	randomHTTP      = "example.http"
	randomDatabase  = "example.sql"
	randomApp       = "example.app"
)

var (
	randomAgents    = []string{"planner", "researcher", "writer", "support", "billing", "travel"}
	randomTools     = []string{"search", "get_weather", "lookup_order", "refund", "convert", "read_file"}
	randomServices  = []string{"assistant", "specialists", "orders"}
	randomToolHosts = []string{"tools", "docs", "orders"}
	randomPods      = []string{"pod-1", "pod-2"}
)

// randomTraceOf makes the trace of a seed.
func randomTraceOf(seed uint64, shape randomShape) *randomTrace {
	g := &randomTrace{shape: shape, rand: rand.New(rand.NewPCG(seed, 1)), used: map[int]bool{}}
	first, second := g.bytes(), g.bytes()
	g.id = pcommon.TraceID(slices.Concat(first[:], second[:]))
	home := randomProcess{randomServices[g.rand.IntN(len(randomServices))], randomPods[0]}
	at := g.rand.IntN(1000)
	if g.chance(3) {
		g.agent(nil, nil, home, at)
		return g
	}
	// Several agents serve one request, whose span is an application's own.
	root := &randomSpan{name: "POST /ask", process: home, scope: randomHTTP, kind: ptrace.SpanKindServer}
	switch g.rand.IntN(3) {
	case 0:
		root.process = g.process(shape.agents, home, []string{"gateway"})
	case 1:
		root.name, root.scope, root.kind = "assist", randomApp, ptrace.SpanKindInternal
	}
	g.within(nil, root, at, func(at int) int {
		agents := make([]func(int) int, 1+g.rand.IntN(3))
		for i := range agents {
			agents[i] = func(at int) int { return g.subAgent(root, nil, at) }
		}
		return g.several(agents, at)
	})
	return g
}

// agent executes an agent and returns when it ended, as all the functions below do that are given a time.
func (g *randomTrace) agent(parent *randomSpan, outer *randomRun, process randomProcess, at int) int {
	run := &randomRun{agent: randomAgents[g.rand.IntN(len(randomAgents))], outer: outer}
	for outer != nil && run.agent == outer.agent { // an agent that only calls itself is one run, which other tests say
		run.agent = randomAgents[g.rand.IntN(len(randomAgents))]
	}
	g.runs = append(g.runs, run)
	run.anchor = &randomSpan{
		name: "invoke_agent " + run.agent, process: process, scope: randomFramework, kind: ptrace.SpanKindInternal,
		attributes: map[string]string{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": run.agent},
	}
	return g.within(parent, run.anchor, at, func(at int) int {
		for range g.rand.IntN(4) {
			at = g.through(run.anchor, at, func(parent *randomSpan, at int) int { return g.step(parent, run, at) })
		}
		return g.chat(run.anchor, nil, at)
	})
}

// depth is how many agents a run is in, with its own.
func (r *randomRun) depth() int {
	if r == nil {
		return 0
	}
	return 1 + r.outer.depth()
}

// step is a call of the model, and what the model asked for.
func (g *randomTrace) step(parent *randomSpan, run *randomRun, at int) int {
	var called []randomCall
	var all []func(int) int
	for range 1 + g.rand.IntN(3) {
		if run.depth() < randomMaxDepth && g.chance(8) {
			all = append(all, func(at int) int { return g.subAgent(parent, run, at) })
			continue
		}
		c := g.call(append(slices.Clone(run.calls), called...))
		called = append(called, c)
		all = append(all, func(at int) int { return g.execute(parent, run, c, at) })
	}
	return g.several(all, g.chat(parent, called, at))
}

// call draws a call. Now and then it repeats one of those before it.
func (g *randomTrace) call(before []randomCall) randomCall {
	c := randomCall{name: randomTools[g.rand.IntN(len(randomTools))], arguments: fmt.Sprintf(`{"limit":%d,"q":"%x"}`, g.rand.IntN(9), g.bytes())}
	c.form = randomForms[g.rand.IntN(len(randomForms))]
	if c.form == randomProtocol && g.shape.prefixes && g.chance(2) {
		c.name = "mcp__docs__" + c.name
	}
	if len(before) > 0 && g.chance(6) {
		again := before[g.rand.IntN(len(before))]
		c.name, c.arguments, c.form = again.name, again.arguments, again.form
	}
	if !g.chance(4) {
		c.id = fmt.Sprintf("call_%x", g.bytes())
	}
	c.failed = g.chance(6)
	return c
}

// execute executes a call of the run. The first of its spans is the outermost one.
func (g *randomTrace) execute(parent *randomSpan, run *randomRun, c randomCall, at int) int {
	own, elsewhere := run.anchor.process, g.shape.servers
	if c.form == randomRemote {
		elsewhere = g.shape.tools
	}
	host := g.process(elsewhere, own, randomToolHosts)
	return g.through(parent, at, func(parent *randomSpan, at int) int {
		switch c.form {
		case randomRemote:
			return g.request(parent, host, at, func(parent *randomSpan, at int) int {
				span := g.tool(host, c)
				return g.within(parent, span, g.took(run, c, at), func(at int) int { return g.work(span, run, at) })
			})
		case randomProtocol:
			span := g.tool(own, c)
			return g.within(parent, span, g.took(run, c, at), func(at int) int {
				return g.through(span, at, func(parent *randomSpan, at int) int { return g.protocol(parent, run, c, host, at) })
			})
		case randomOnlyProtocol:
			return g.protocol(parent, run, c, host, g.took(run, c, at))
		}
		span := g.tool(own, c)
		return g.within(parent, span, g.took(run, c, at), func(at int) int { return g.work(span, run, at) })
	})
}

// took notes that the run has the call, and returns when it starts: at the next time at which nothing else does.
func (g *randomTrace) took(run *randomRun, c randomCall, at int) int {
	for g.used[at] {
		at++
	}
	c.start = at
	run.calls = append(run.calls, c)
	return at
}

// tool is the span of a framework that executes a tool.
func (g *randomTrace) tool(process randomProcess, c randomCall) *randomSpan {
	span := &randomSpan{
		name: "execute_tool " + c.name, process: process, scope: randomFramework, kind: ptrace.SpanKindInternal, failed: c.failed,
		attributes: map[string]string{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": c.name, "gen_ai.tool.call.arguments": c.arguments},
	}
	if c.id != "" {
		span.attributes["gen_ai.tool.call.id"] = c.id
	}
	return span
}

// protocol is a call by MCP: the client's span, and below it the server's, which knows only its own name of the tool.
func (g *randomTrace) protocol(parent *randomSpan, run *randomRun, c randomCall, host randomProcess, at int) int {
	bare := strings.TrimPrefix(c.name, "mcp__docs__")
	span := func(process randomProcess, kind ptrace.SpanKind, arguments bool) *randomSpan {
		s := &randomSpan{
			name: "tools/call " + bare, process: process, scope: randomMCP, kind: kind, failed: c.failed,
			attributes: map[string]string{"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": bare},
		}
		if arguments {
			s.attributes["gen_ai.tool.call.arguments"] = c.arguments
		}
		return s
	}
	client := span(run.anchor.process, ptrace.SpanKindClient, c.form == randomOnlyProtocol || g.chance(2))
	return g.within(parent, client, at, func(at int) int {
		transport := func(parent *randomSpan, at int, inside func(*randomSpan, int) int) int { return inside(parent, at) }
		if g.chance(2) {
			transport = func(parent *randomSpan, at int, inside func(*randomSpan, int) int) int {
				return g.request(parent, host, at, inside)
			}
		}
		return transport(client, at, func(parent *randomSpan, at int) int {
			server := span(host, ptrace.SpanKindServer, g.chance(2))
			return g.within(parent, server, at, func(at int) int { return g.work(server, run, at) })
		})
	})
}

// work is what a tool does: it asks a database, has an agent do it, or neither.
func (g *randomTrace) work(tool *randomSpan, run *randomRun, at int) int {
	switch g.rand.IntN(5) {
	case 0:
		return g.within(tool, &randomSpan{name: "SELECT", process: tool.process, scope: randomDatabase, kind: ptrace.SpanKindClient}, at, g.nothing)
	case 1:
		if run.depth() < randomMaxDepth {
			return g.subAgent(tool, run, at)
		}
	}
	return g.nothing(at)
}

// subAgent calls an agent, in the same process or in another one.
func (g *randomTrace) subAgent(parent *randomSpan, outer *randomRun, at int) int {
	process := parent.process
	call := func(parent *randomSpan, at int) int {
		return g.through(parent, at, func(parent *randomSpan, at int) int { return g.agent(parent, outer, process, at) })
	}
	if g.chance(2) {
		process = g.process(g.shape.agents, process, randomServices)
		return g.request(parent, process, at, call)
	}
	return call(parent, at)
}

// request is a request by HTTP to another process, which handles it.
func (g *randomTrace) request(parent *randomSpan, to randomProcess, at int, handle func(*randomSpan, int) int) int {
	client := &randomSpan{name: "POST", process: parent.process, scope: randomHTTP, kind: ptrace.SpanKindClient}
	server := &randomSpan{name: "POST /run", process: to, scope: randomHTTP, kind: ptrace.SpanKindServer}
	return g.within(parent, client, at, func(at int) int {
		return g.within(client, server, at, func(at int) int { return handle(server, at) })
	})
}

// through puts an application's own spans between, or none.
func (g *randomTrace) through(parent *randomSpan, at int, inside func(*randomSpan, int) int) int {
	if !g.chance(4) {
		return inside(parent, at)
	}
	between := &randomSpan{name: "step", process: parent.process, scope: randomApp, kind: ptrace.SpanKindInternal}
	return g.within(parent, between, at, func(at int) int { return g.through(between, at, inside) })
}

// chat is a call of a model. It records what the model asked for, unless the content was not captured.
func (g *randomTrace) chat(parent *randomSpan, asked []randomCall, at int) int {
	span := &randomSpan{
		name: "chat small-model", process: parent.process, scope: randomModels, kind: ptrace.SpanKindClient,
		attributes: map[string]string{"gen_ai.operation.name": "chat", "gen_ai.request.model": "small-model"},
	}
	if len(asked) > 0 && g.chance(2) {
		span.attributes["gen_ai.output.messages"] = g.messages(asked)
	}
	return g.within(parent, span, at, g.nothing)
}

// messages is the response of a model that asks for calls. It gives each an ID, even if the span of the tool has none.
func (g *randomTrace) messages(asked []randomCall) string {
	var parts []string
	for _, c := range asked {
		if c.id == "" {
			c.id = fmt.Sprintf("call_%x", g.bytes())
		}
		parts = append(parts, fmt.Sprintf(`{"type":"tool_call","id":%q,"name":%q,"arguments":%s}`, c.id, c.name, c.arguments))
	}
	return `[{"role":"assistant","finish_reason":"tool_call","parts":[` + strings.Join(parts, ",") + `]}]`
}

// several does all things at once, or one after the other.
func (g *randomTrace) several(all []func(int) int, at int) (end int) {
	atOnce := g.chance(2)
	end = at
	for _, one := range all {
		ended := one(at)
		end = max(end, ended)
		if !atOnce {
			at = ended
		}
	}
	return end
}

// nothing lets time pass.
func (g *randomTrace) nothing(at int) int { return at + 1 + g.rand.IntN(500) }

// within adds a span around what happens inside of it. A nil parent makes it the root.
func (g *randomTrace) within(parent, span *randomSpan, at int, inside func(int) int) int {
	for g.used[at] {
		at++
	}
	g.used[at] = true
	span.id, span.start = pcommon.SpanID(g.bytes()), at
	if parent != nil {
		span.parent = parent.id
	}
	g.spans = append(g.spans, span)
	span.end = inside(at+1+g.rand.IntN(50)) + 1 + g.rand.IntN(50)
	return span.end
}

// process draws a pod of one of the services, or stays in the own process.
func (g *randomTrace) process(elsewhere bool, own randomProcess, services []string) randomProcess {
	drawn := randomProcess{services[g.rand.IntN(len(services))], randomPods[g.rand.IntN(len(randomPods))]}
	if !elsewhere {
		return own
	}
	return drawn
}

func (g *randomTrace) chance(in int) bool { return g.rand.IntN(in) == 0 }

func (g *randomTrace) bytes() (b [8]byte) {
	binary.LittleEndian.PutUint64(b[:], g.rand.Uint64())
	return b
}
