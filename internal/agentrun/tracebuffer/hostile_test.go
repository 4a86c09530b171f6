package tracebuffer

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A shape is input of a hostile sender that makes a Buffer work for long: n spans, or spans of n bytes together.
type shape struct {
	name   string
	fill   func(grower)
	reason string // why it is no more work than to read it
}

// list is a list of n numbers and one that distinguishes it.
func list(n, last int) scoring.Payload {
	return scoring.JSON("[" + strings.Repeat("0,", n) + strconv.Itoa(last) + "]")
}

func (g grower) tool(c agentrun.Call) { g.AddCall(g.now, c) }

// call is a call below a span, of one name.
func (g grower) toolBelow(parent pcommon.SpanID, i int, arguments scoring.Payload, callID string) agentrun.Call {
	return agentrun.Call{
		Call: scoring.Call{Name: "search", Arguments: arguments}, CallID: callID,
		Span: g.span(runtest.SpanOf('c', i), parent, 1, 2),
	}
}

// agentAround is an agent around all.
func (g grower) agentAround() {
	g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', 0), pcommon.SpanID{}, 0, math.MaxInt32))
}

var shapes = []shape{
	{"calls below one with large arguments", func(g grower) {
		g.agentAround()
		g.tool(g.toolBelow(runtest.SpanOf('a', 0), 0, list(g.n, 1), ""))
		for i := 1; i < g.n; i++ {
			g.tool(g.toolBelow(runtest.SpanOf('c', 0), i, scoring.JSON("{}"), ""))
		}
	}, "the large arguments are read once"},
	{"requests with large arguments", func(g grower) {
		g.agentAround()
		a := agentrun.ModelResponse{Span: g.span(runtest.SpanOf('m', 0), runtest.SpanOf('a', 0), 0, 1), MessagesOnly: true}
		for i := range compare.MaxCandidates {
			a.Requests = append(a.Requests, agentrun.ToolRequest{Name: "search", Arguments: list(g.n, i)})
		}
		g.AddResponse(g.now, a)
		for i := range g.n - compare.MaxCandidates {
			g.tool(g.toolBelow(runtest.SpanOf('a', 0), i, scoring.JSON("{}"), ""))
		}
	}, "each is read once, however many calls it is compared with"},
	{"bare arguments, and requests with one that is large", func(g grower) {
		g.agentAround()
		a := agentrun.ModelResponse{Span: g.span(runtest.SpanOf('m', 0), runtest.SpanOf('a', 0), 0, 1), MessagesOnly: true}
		for range compare.MaxCandidates {
			a.Requests = append(a.Requests, agentrun.ToolRequest{Name: "search", Arguments: scoring.JSON(`{"q":` + strings.Repeat("9", g.n) + "}")})
		}
		g.AddResponse(g.now, a)
		for i := range g.n - compare.MaxCandidates {
			c := g.toolBelow(runtest.SpanOf('a', 0), i, scoring.Text(strconv.Itoa(i)), "")
			c.UnnamedArgument = true
			g.tool(c)
		}
	}, "the only member is read once"},
	{"a request with a long name, and calls with its id", func(g grower) {
		g.agentAround()
		g.AddResponse(g.now, agentrun.ModelResponse{Span: g.span(runtest.SpanOf('m', 0), runtest.SpanOf('a', 0), 0, 1), MessagesOnly: true, Requests: []agentrun.ToolRequest{
			{ID: "call_0", Name: strings.Repeat("a_", g.n)},
		}})
		for i := range g.n {
			g.tool(g.toolBelow(runtest.SpanOf('a', 0), i, scoring.Payload{}, "call_0"))
		}
	}, "a name is folded once"},
	{"copies of an agent, and others that wait", func(g grower) {
		copied := g.span(runtest.SpanOf('a', 0), pcommon.SpanID{}, 0, 1)
		g.anchor(agentrun.Agent, copied)
		g.now = g.now.Add(4 * time.Second)
		for range g.n {
			g.anchor(agentrun.Agent, copied)
		}
		g.now = g.now.Add(time.Second)
		for i := range g.n {
			g.anchor(agentrun.Agent, g.span(runtest.SpanOf('b', i), pcommon.SpanID{}, 0, 1))
		}
		g.held -= held(g.duly()) // the first one takes its copies along
		g.now = g.now.Add(4 * time.Second)
		g.held -= held(g.duly())
	}, "each deadline finds at once that nothing is due"},
	{"copies of an agent around others", func(g grower) {
		for range g.n {
			g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', 0), pcommon.SpanID{}, 0, 1))
		}
		for i := range g.n {
			g.anchor(agentrun.Agent, g.span(runtest.SpanOf('b', i), runtest.SpanOf('a', 0), 0, 1))
			g.call(i, runtest.SpanOf('b', i), 0, 1)
		}
	}, "the conversation of the copies is read once"},
	{"results of a counting id, and calls with it", func(g grower) {
		g.agentAround()
		results := make([]agentrun.ToolResult, byprocess.MaxRepeatable)
		for i := range results {
			results[i].ID = "call_0"
		}
		for i := range g.n / byprocess.MaxRepeatable {
			g.AddResponse(g.now, agentrun.ModelResponse{Span: g.span(runtest.SpanOf('m', i), runtest.SpanOf('a', 0), 0, 1), MessagesOnly: true, Results: results})
		}
		for i := range g.n {
			c := g.toolBelow(runtest.SpanOf('a', 0), i, scoring.Payload{}, "call_0")
			c.Start, c.End = 5, 5
			g.tool(c)
		}
	}, "the next result is found by its time"},
	{"results of one call, of which the first is long", func(g grower) {
		g.agentAround()
		id := "call_abcdefghij"
		a := agentrun.ModelResponse{Span: g.span(runtest.SpanOf('m', 0), runtest.SpanOf('a', 0), 0, 1), MessagesOnly: true}
		a.Results = append(a.Results, agentrun.ToolResult{ID: id, Output: scoring.Text(strings.Repeat("a", g.n))})
		for range g.n {
			a.Results = append(a.Results, agentrun.ToolResult{ID: id, Output: scoring.Text("b")})
		}
		g.AddResponse(g.now, a)
	}, "two are compared as far as the shorter goes"},
	{"one call over and over, where there is room for one more", func(g grower) {
		g.agentAround()
		for i := range g.n - 1 {
			g.tool(g.toolBelow(runtest.SpanOf('a', 0), i, scoring.Payload{}, ""))
		}
		for range g.n {
			g.tool(g.toolBelow(runtest.SpanOf('a', 0), 0, scoring.Payload{}, ""))
		}
	}, "where it stands is known"},
	{"one answer over and over", func(g grower) {
		for range g.n {
			g.answer(0, pcommon.SpanID{}, 0, 1)
		}
	}, "repetitions are dropped whenever there are twice as many"},
	{"runs of one trace that close", func(g grower) {
		g.call(0, runtest.SpanOf('x', 0), 0, math.MaxInt32) // so that the trace stays
		for i := range g.n {
			g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', i), pcommon.SpanID{1}, i, i+1))
		}
	}, "those that are forgotten go together"},
	{"spans of calls that ended, and of calls", func(g grower) {
		g.agentAround()
		for i := range g.n {
			c := g.toolBelow(runtest.SpanOf('a', 0), i, scoring.JSON("{}"), "")
			c.ResultOnly = i%2 == 0
			g.tool(c)
		}
	}, "the next one that fits is found by what they have in common"},
	{"agents in agents", func(g grower) {
		g.nested(agentrun.Agent)
		for i := range g.n {
			g.call(i, runtest.SpanOf('a', i), g.n, g.n+1)
		}
	}, "each way up is walked once"},
	{"tools in tools of one name", func(g grower) {
		for i := range g.n {
			parent := pcommon.SpanID{}
			if i > 0 {
				parent = runtest.SpanOf('c', i-1)
			}
			g.tool(agentrun.Call{Call: scoring.Call{Name: "search"}, Span: g.span(runtest.SpanOf('c', i), parent, 2*g.n-i, 2*g.n-i)})
		}
	}, "each way up is halved"},
	{"a cycle of agents and calls", func(g grower) {
		for i := range g.n {
			g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', i), runtest.SpanOf('c', i), i, i+1))
			g.tool(agentrun.Call{Call: scoring.Call{Name: "search"}, Span: g.span(runtest.SpanOf('c', i), runtest.SpanOf('a', (i+1)%g.n), i, i+1)})
		}
	}, "a cycle is walked once"},
	{"calls and requests of one name", func(g grower) {
		g.agentAround()
		for i := range g.n / 2 {
			g.AddResponse(g.now, agentrun.ModelResponse{Span: g.span(runtest.SpanOf('m', i), runtest.SpanOf('a', 0), i, i), MessagesOnly: true, Requests: []agentrun.ToolRequest{
				{Name: "search", Arguments: scoring.JSON(strconv.Itoa(i))},
			}})
			g.tool(g.toolBelow(runtest.SpanOf('a', 0), i, scoring.JSON(strconv.Itoa(g.n/2-i)), ""))
		}
	}, "each is compared with a few"},
	{"calls of unknown origin among agents", func(g grower) {
		for i := range g.n {
			g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', i), pcommon.SpanID{}, i, i+g.n))
			g.call(i, pcommon.SpanID{}, i+1, i+2)
		}
	}, "agents are put in order of time"},
}

// settings keep all payloads.
func (s shape) settings(n int) func(*Settings) {
	return func(set *Settings) {
		set.MaxCalls, set.MaxPayload, set.MaxClosed = n, 1<<20, 1024
	}
}

// play sends n spans of a shape, waits for all to close, and returns the work.
func (s shape) play(tb testing.TB, n int) compare.Work {
	b := newFixture(tb, s.settings(n))
	s.fill(grower{b, n})
	b.held -= held(b.wait(time.Minute))
	b.done()
	return b.work
}

// Four times the input is four times the work, or a little more if something is sorted.
func TestWorkGrowsWithWhatCame(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) { runtest.CheckGrowth(t, 1_000, s.reason, s.play) })
	}
}

// BenchmarkHostile: what does a span of each shape cost, and is that the same for many?
func BenchmarkHostile(b *testing.B) {
	for _, s := range shapes {
		runtest.BenchmarkGrowth(b, s.name, s.play)
	}
}

// Copies of an agent's span with more values than are compared.
func TestLargeCopiesOfAnAgent(t *testing.T) {
	large := func() ptrace.Span { // its map is in any order
		entries := make(map[string]any, copies.MaxRead)
		for i := range copies.MaxRead {
			entries[strconv.Itoa(i)] = 1
		}
		s := ptrace.NewSpan()
		require.NoError(t, s.Attributes().PutEmptyMap("m").FromRaw(entries))
		return s
	}
	one, other := large(), large()
	for _, tc := range []struct {
		name     string
		copies   [2]ptrace.Span
		complete bool
		reason   string
	}{
		{"equal", [2]ptrace.Span{one, one}, true, "a retried export takes nothing from the run"},
		{"in another order", [2]ptrace.Span{one, other}, false, "nothing says that they agree"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var first []string
			for _, order := range [][2]int{{0, 1}, {1, 0}} {
				b := newFixture(t, nil)
				s := at("a 1-9")
				b.AddAgentSpan(b.now, s, agentrun.Agent)
				for _, i := range order {
					held := ptrace.NewSpan()
					tc.copies[i].CopyTo(held)
					b.Hold(b.now, agentrun.Anchor{Span: s, Kind: agentrun.Agent, Held: held})
				}
				h := b.wait(time.Minute)
				require.Len(t, h.Runs, 1)
				require.Len(t, h.Runs[0].Anchors, 2)
				require.Equal(t, tc.complete, h.Runs[0].Complete, tc.reason)
				require.Equal(t, !tc.complete, h.Runs[0].Contradicted, tc.reason)
				first = append(first, firstKey(h.Runs[0].Anchors[0].Held))
			}
			require.Equal(t, first[0], first[1], "the order of arrival decides nothing")
		})
	}
}

// firstKey is the key of the first entry of the span's first attribute.
func firstKey(s ptrace.Span) string {
	for _, m := range s.Attributes().All() {
		for key := range m.Map().All() {
			return key
		}
	}
	return ""
}

// Arguments with many values that are written in another order.
func TestLargeArgumentsOfACall(t *testing.T) {
	object := func(n int, down bool) scoring.Payload { return scoring.JSON(runtest.Object(n, down)) }
	const few, many = 100, compare.MaxValues
	copied := func(n int) func(b *fixture) {
		return func(b *fixture) {
			b.callWith("c<a 2-3", "", scoring.Call{Name: "x", Arguments: object(n, false)})
			b.callWith("c<a 2-3", "", scoring.Call{Name: "x", Arguments: object(n, true)})
		}
	}
	requested := func(n int) func(b *fixture) {
		return func(b *fixture) {
			b.callWith("c<a 4-5", "", scoring.Call{Name: "x", Arguments: object(n, false)})
			b.AddResponse(b.now, agentrun.ModelResponse{Span: at("m<a 2-3"), Requests: []agentrun.ToolRequest{{Name: "x", Arguments: object(n, true)}}})
		}
	}
	for _, tc := range []struct {
		name     string
		fill     func(b *fixture)
		calls    int
		complete bool
		reason   string
	}{
		{"a call two times, with few", copied(few), 1, true, "the copies have the same content"},
		{"a call two times, with many", copied(many), 2, false, "nothing says that the copies agree"},
		{"a call and its request, with few", requested(few), 1, true, "the request is that of the call"},
		{"a call and its request, with many", requested(many), 1, false, "nothing says whether the request is that of the call"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, func(s *Settings) { s.MaxPayload = 1 << 24 })
			tc.fill(b)
			b.anchor(agentrun.Agent, "a 1-9")
			h := b.wait(time.Minute)
			require.Len(t, h.Runs, 1)
			require.Len(t, h.Runs[0].Calls, tc.calls, tc.reason)
			require.Equal(t, tc.complete, h.Runs[0].Complete, tc.reason)
			require.Equal(t, !tc.complete, h.Runs[0].Contradicted, tc.reason)
			require.Less(t, b.work, compare.Work(many), "arguments beyond the bound are not read")
		})
	}
}

// Each trace here needs three quarters of the bound.
func TestTheBoundOnArgumentsIsForOneClosing(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxPayload = 1 << 24 })
	list := func(space string) scoring.Payload {
		return scoring.JSON("[" + strings.Repeat("0,", compare.MaxValues*3/8) + space + "0]")
	}
	for trace := range byte(2) {
		in := func(spec string) agentrun.Span {
			s := at(spec)
			s.Trace[0] = trace + 1
			return s
		}
		for _, space := range []string{"", " "} {
			b.AddCall(b.now, agentrun.Call{Span: in("c<a 2-3"), Call: scoring.Call{Name: "x", Arguments: list(space)}})
		}
		b.AddAgentSpan(b.now, in("a 1-9"), agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: in("a 1-9"), Kind: agentrun.Agent, Held: ptrace.NewSpan()})
		h := b.wait(time.Minute)
		require.Len(t, h.Runs, 1)
		require.Len(t, h.Runs[0].Calls, 1)
		require.True(t, h.Runs[0].Complete, "trace %d", trace)
	}
}
