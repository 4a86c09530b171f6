package tracebuffer

import (
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A program makes traces of any size and one shape: each instruction is followed n times, for i from 0.
type program struct {
	set          Settings
	perCall      int // MaxCalls for n spans is n/perCall
	interleaved  bool
	instructions []instruction
}

// An instruction says what is sent, and how its parts depend on i.
type instruction struct{ what, parent, when, name, payload, id byte }

const instructionBytes = 6

// programOf reads a program. Any bytes are valid.
func programOf(data []byte) program {
	var p program
	if len(data) > 0 {
		b := data[0]
		p.set.Include, p.set.WholeTrace, p.set.Stored, p.set.HoldCallSpans = b&1 > 0, b&2 > 0, b&4 > 0, b&8 > 0
		p.set.Sources = agentrun.Sources(b >> 4 & 3 % 3)
		p.interleaved, p.perCall = b&64 > 0, 1+3*int(b>>7)
		data = data[1:]
	}
	for len(data) >= instructionBytes && len(p.instructions) < 8 {
		p.instructions = append(p.instructions, instruction{data[0], data[1], data[2], data[3], data[4], data[5]})
		data = data[instructionBytes:]
	}
	return p
}

// player follows a program.
type player struct {
	*fixture
	n     int
	bytes int // of payloads and names that were sent
	sent  int // spans, requests and results
	taken int // calls of the runs that closed: with [Settings.Include] one call may count for many
}

// closed records the runs that have closed.
func (g *player) closed(h agentrun.ClosedBatch) {
	g.held -= held(h)
	for _, r := range h.Runs {
		g.taken += len(r.Calls)
	}
}

// play returns the work of sending n of each and waiting for all to close, and how many units that were sent or given out.
func (p program) play(tb testing.TB, n int) (w compare.Work, units int) {
	b := newFixture(tb, func(s *Settings) {
		s.MaxCalls, s.MaxPayload, s.MaxClosed = max(1, n/max(1, p.perCall)), 1<<20, 1024
		s.Include, s.WholeTrace, s.Stored, s.HoldCallSpans, s.Sources = p.set.Include, p.set.WholeTrace, p.set.Stored, p.set.HoldCallSpans, p.set.Sources
	})
	g := &player{fixture: b, n: n}
	if p.interleaved {
		for i := range n {
			for _, x := range p.instructions {
				g.follow(x, i)
			}
		}
	} else {
		for _, x := range p.instructions {
			for i := range n {
				g.follow(x, i)
			}
			if x.what&0x80 > 0 {
				g.closed(b.wait(3 * time.Second))
			}
		}
	}
	g.closed(b.wait(time.Minute))
	g.closed(b.drain())
	if b.held != 0 || b.Size() != 0 {
		tb.Errorf("%d held spans and %d bytes are left over", b.held, b.Size())
	}
	return b.work, g.sent + g.bytes/compare.WorkBytes + g.taken
}

// kinds of ids of spans.
var spanKinds = [...]byte{'a', 'c', 'm', 'x'}

// parentOf is the parent of span i.
func (g *player) parentOf(rule byte, i int) pcommon.SpanID {
	kind := spanKinds[rule>>4&3]
	switch rule & 15 % 8 {
	case 0:
		return pcommon.SpanID{}
	case 1:
		return runtest.SpanOf(kind, 0)
	case 2:
		return runtest.SpanOf(kind, i-1)
	case 3:
		return runtest.SpanOf(kind, i+1)
	case 4:
		return runtest.SpanOf(kind, (i+1)%g.n)
	case 5:
		return runtest.SpanOf(kind, i/2)
	case 6:
		return runtest.SpanOf(kind, g.n-1-i)
	}
	return runtest.SpanOf(kind, i)
}

// times returns when span i began and ended.
func (g *player) times(rule byte, i int) (start, end pcommon.Timestamp) {
	n := g.n
	both := [...][2]int{{1, 2}, {i, i + 1}, {i, 3*n - i}, {2*n - i, 2 * n}, {0, math.MaxInt32}, {2 * i, 2 * i}, {i % 16, n}, {n, n + i}}
	at := both[rule&7]
	return pcommon.Timestamp(at[0]), pcommon.Timestamp(at[1])
}

func (g *player) nameOf(rule byte, i int) string {
	name := "search"
	switch rule % 6 {
	case 1:
		name += strconv.Itoa(i)
	case 2:
		name += strconv.Itoa(i % 3)
	case 3:
		if i == 0 {
			name = strings.Repeat("a_", g.n)
		}
	case 4:
		name = strings.Repeat("_", i%4) + "Sea-rch"
	case 5:
		name = ""
	}
	g.bytes += len(name)
	return name
}

func (g *player) payloadOf(rule byte, i int) scoring.Payload {
	var p scoring.Payload
	switch rule & 15 {
	case 1:
		p = scoring.JSON("{}")
	case 2:
		p = scoring.JSON(`{"q":` + strconv.Itoa(i) + `}`)
	case 3:
		if p = scoring.JSON("[1]"); i == 0 {
			p = list(g.n, 1)
		}
	case 4:
		if p = scoring.JSON("1e" + strconv.Itoa(g.n)); i == 0 {
			p = scoring.JSON("1" + strings.Repeat("0", g.n))
		}
	case 5:
		p = scoring.Text(strconv.Itoa(i % 5))
	case 6:
		if p = scoring.JSON(`{"k":1}`); i == 0 {
			p = scoring.JSON("{" + strings.Repeat(`"k":0,`, g.n) + `"k":1}`)
		}
	case 7:
		if p = scoring.Text("b"); i == 0 {
			p = scoring.Text(strings.Repeat("a", g.n))
		}
	case 8:
		p = scoring.Omitted()
	}
	g.bytes += p.Size()
	return p
}

func (g *player) idOf(rule byte, i int) string {
	switch rule % 6 {
	case 1:
		return "call_0"
	case 2:
		return "call_abcdefghi"
	case 3:
		return "call_abcdefghi" + strconv.Itoa(i)
	case 4:
		return "call_abcdefghi" + strconv.Itoa(i/2)
	case 5:
		return "call_" + strconv.Itoa(i%1000)
	}
	return ""
}

// follow executes an instruction for i.
func (g *player) follow(x instruction, i int) {
	g.sent++
	s := agentrun.Span{Trace: pcommon.TraceID{1 + x.what>>5&1}, Parent: g.parentOf(x.parent, i)}
	s.Start, s.End = g.times(x.when, i)
	own := i
	if x.when&0x80 > 0 { // the same span again
		own = 0
	}
	switch what := x.what & 7; what {
	case 0, 1:
		g.agent(s, own, agentrun.AnchorKind(what), x.when, x.what&8 > 0)
	case 2:
		s.ID = runtest.SpanOf('x', own)
		g.AddParent(g.now, s)
	case 3:
		s.ID = runtest.SpanOf('x', own)
		g.AddStep(g.now, s, [...]string{"", "assistant", "Assistant", "desk"}[x.what>>3&3])
	case 4, 5:
		g.answer(x, s, own, i)
	default:
		g.tool(x, s, own, i)
	}
}

// agentOf is the name of agent i, or one that all agents have.
func (g *player) agentOf(rule byte, i int) string {
	if rule&0x40 > 0 {
		return "assistant" + strconv.Itoa(i)
	}
	return "assistant"
}

func (g *player) agent(s agentrun.Span, own int, kind agentrun.AnchorKind, rule byte, named bool) {
	s.ID = runtest.SpanOf('a', own)
	g.AddAgentSpan(g.now, s, kind)
	if !g.ShouldHold(s, kind) {
		return
	}
	a := agentrun.Anchor{Span: s, Kind: kind, Held: ptrace.NewSpan(), Size: 100}
	if named {
		a.Agent = g.agentOf(rule, own)
	}
	if _, closed := g.Closed(a); !closed {
		g.Hold(g.now, a)
		g.held++
	}
}

func (g *player) tool(x instruction, s agentrun.Span, own, i int) {
	s.ID = runtest.SpanOf('c', own)
	g.AddCall(g.now, agentrun.Call{
		Call: scoring.Call{Name: g.nameOf(x.name, i), Arguments: g.payloadOf(x.payload, i), Output: g.payloadOf(x.payload>>4, i)},
		Span: s, CallID: g.idOf(x.id, i),
		Traits: agentrun.Traits{ResultOnly: x.name&32 > 0 && i%2 > 0, UnnamedArgument: x.name&64 > 0, MCP: x.name&128 > 0, NormalizedName: x.id&64 > 0},
	})
	if a := (agentrun.Anchor{Span: s, Kind: agentrun.Tool, Held: ptrace.NewSpan(), Size: 100}); x.id&128 > 0 && g.ShouldHold(s, agentrun.Tool) {
		g.Hold(g.now, a)
		g.held++
	}
}

func (g *player) answer(x instruction, s agentrun.Span, own, i int) {
	s.ID = runtest.SpanOf('m', own)
	a := agentrun.ModelResponse{Span: s, MessagesOnly: x.what&1 > 0, Begins: x.what&8 > 0, Offered: x.what&16 > 0}
	if x.what&64 > 0 {
		a.Answered = g.idOf(x.id>>3, i)
	}
	requests := 1 + int(x.name>>6)
	if isGroup := x.when&0x40 > 0; isGroup && x.when&0x20 > 0 && i == 0 {
		requests = g.n // all on one span
	}
	for k := range requests {
		a.Requests = append(a.Requests, agentrun.ToolRequest{ID: g.idOf(x.id, i+k), Name: g.nameOf(x.name, i+k), Arguments: g.payloadOf(x.payload, i+k)})
	}
	for k := range int(x.id >> 6) {
		a.Results = append(a.Results, agentrun.ToolResult{ID: g.idOf(x.id>>3, i+k), Output: g.payloadOf(x.payload>>4, i+k)})
	}
	g.sent += len(a.Requests) + len(a.Results)
	if x.when&0x40 > 0 {
		g.share(&a, x, i)
	}
	g.AddResponse(g.now, a)
}

// share makes a response that of a group: its requests are of one message, of one message each, or of an agent each.
func (g *player) share(a *agentrun.ModelResponse, x instruction, i int) {
	a.MessagesOnly, a.OfAgent, a.Shares = true, true, &[]agentrun.Share{}
	one := agentrun.Share{Agent: g.agentOf(x.when, i)}
	switch rule := x.when >> 3 & 3; rule {
	case 0:
		one.Messages = []int{len(a.Requests)}
		*a.Shares = append(*a.Shares, one)
	case 1:
		one.Messages = slices.Repeat([]int{1}, len(a.Requests))
		*a.Shares = append(*a.Shares, one)
	default:
		for k := range a.Requests {
			*a.Shares = append(*a.Shares, agentrun.Share{Agent: g.agentOf(rule<<5, i+k), Task: k, Messages: []int{1}})
		}
	}
	g.sent += len(*a.Shares)
	g.AddAgentSpan(g.now, a.Span, agentrun.Workflow)
}

// FuzzWork: for a trace of any shape, the work for a unit of input is bounded. Four times the input is about four times the
// work. What is quadratic takes sixteen times. Work is counted, so the machine does not matter.
func FuzzWork(f *testing.F) {
	f.Add([]byte{0, 0, 0, 4, 0, 0, 0, 7, 1, 1, 0, 0x33, 2})
	f.Add([]byte{64, 0, 2, 2, 0, 0, 0, 7, 7, 1, 1, 2, 3, 5, 1, 1, 1, 0x22, 0x42})
	f.Add([]byte{1, 0x80, 2, 2, 0, 0, 0, 0x86, 0x12, 0, 3, 4, 1, 0xa6, 0x71, 0, 0x22, 3, 0xc2, 5, 0, 1, 0, 7, 0xd1})
	f.Add([]byte{0, 8, 0x21, 0x40, 0, 0, 0, 5, 0, 0x40, 0, 1, 3})                   // groups, each with an agent
	f.Add([]byte{0, 8, 0x21, 0x40, 0, 0, 0, 5, 0, 0x78, 0, 1, 3})                   // one group with a task for each agent
	f.Add([]byte{1, 8, 0x21, 0x40, 0, 0, 0, 5, 0, 0x6c, 0, 1, 3, 6, 2, 1, 0, 1, 3}) // one agent with a message for each call, and their spans
	for _, seed := range []string{                                                  // the most work for each unit among some thousands
		"355a84e6f30ba180031361245617876019dace", "65e1a04fc51a0faf9415b9bf22", "515839d0d9b4de9e516c571f0c",
		"09e30183d644919e355bfe32de804b7553aa64d2081ee128406f9b07f9a0aef2b39226e584", "7e26bca7d3cba5af61203bddfc",
		"00373287303030", "315842303030308642c2303230", "0daf19d8d7287969022842c18a", // many records of one span
		"207f789fb2d62a", "59b021498357997f21d883267e", // one of them with long arguments, to which all others are compared
		"2199ddb4e22dd940ca5c21565b972b99db9912", // one with a long name
	} {
		data, err := hex.DecodeString(seed)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const (
			n, times, most, few = 256, 4, 6, 16
			perUnit             = 8 * compare.MaxCandidates // a unit is compared with that many others, in each of eight places
		)
		p := programOf(data)
		little, _ := p.play(t, n)
		much, units := p.play(t, times*n)
		if much > most*little+few*times*n {
			t.Errorf("%d of each take %d units of work, and %d of each take %d: %+v", n, little, times*n, much, p)
		}
		if much > perUnit*compare.Work(units) {
			t.Errorf("%d units take %d units of work, more than %d each: %+v", units, much, perUnit, p)
		}
	})
}
