package tracebuffer

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// accompanied checks that spans of calls leave with runs that have the calls.
func accompanied(t *testing.T, h agentrun.ClosedBatch) {
	t.Helper()
	for _, r := range h.Runs {
		for _, a := range r.Companions {
			if a.Kind == agentrun.Tool && !slices.ContainsFunc(r.Calls, func(c agentrun.Call) bool { return c.Span == a.Span }) {
				t.Errorf("the span %s goes with a run that does not have its call", runtest.Letter(a.ID))
			}
		}
	}
}

// Every case plays its steps in order and lets what closes the run happen. The span of a call goes with the run that has
// the call, and nothing is left.
func TestSpansOfCallsGoWithTheirRuns(t *testing.T) {
	const wait = 5 * time.Second
	waited := func(b *fixture) agentrun.ClosedBatch { return b.wait(wait) }
	idle := func(b *fixture) agentrun.ClosedBatch { return b.wait(time.Hour) }
	for _, tc := range []struct {
		name   string
		change func(*Settings)
		steps  []func(*fixture)
		close  func(*fixture) agentrun.ClosedBatch
		want   []string
		reason string
	}{
		{"its anchor came", nil, []func(*fixture){tool("x", "c<a 2-3"), tool("y", "d<a 4-5"), agent("a 1-9")}, waited,
			[]string{"a: x, y (anchor)", "c with a", "d with a"}, "the wait of the anchor is theirs"},
		{"after its anchor", nil, []func(*fixture){agent("a 1-9"), tool("x", "c<a 2-3")}, waited,
			[]string{"a: x (anchor)", "c with a"}, "arrival is no argument"},
		{"a copy of it", nil, []func(*fixture){tool("x", "c<a 2-3"), tool("x", "c<a 2-3"), agent("a 1-9")}, waited,
			[]string{"a: x (anchor)", "c with a", "c with a"}, "the call counts once, and both spans go on"},
		{"no anchor came", nil, []func(*fixture){tool("x", "c<a 2-3")}, idle,
			[]string{"-: x (idle!)", "c with -"}, "the run without an anchor has the call"},
		{"a limit", nil, []func(*fixture){tool("x", "c<a 2-3"), agent("a 1-9")}, (*fixture).oldest,
			[]string{"a: x (limit!)", "c with a"}, "what closes a run lets go of its spans"},
		{"a limit without an anchor", nil, []func(*fixture){tool("x", "c<a 2-3")}, (*fixture).oldest,
			[]string{"-: x (limit!)", "c with -"}, "likewise"},
		{"a shutdown", nil, []func(*fixture){tool("x", "c<a 2-3"), agent("a 1-9")}, (*fixture).drain,
			[]string{"a: x (shutdown!)", "c with a"}, "likewise"},
		{"a whole trace", func(s *Settings) { s.WholeTrace = true },
			[]func(*fixture){tool("x", "c<a 2-3"), plain("a<r 1-9"), func(b *fixture) { b.anchor(agentrun.Root, "r 0-9") }}, waited,
			[]string{"r: x (anchor)", "c with r"}, "the root has all calls"},
		{"a stand-in", nil, []func(*fixture){tool("x", "c<w 2-3"), workflow("w 0-9"), workflow("v<w 1-8")}, waited,
			[]string{"w: x (anchor)", "c with w", "v passthrough"}, "the outermost workflow has the calls"},
		{"a span below it of the same name", nil,
			[]func(*fixture){tool("x", "c<a 2-6"), tool("x", "d<c 3-5"), agent("a 1-9")}, waited,
			[]string{"a: x (anchor)", "c with a", "d passthrough"}, "framework and protocol recorded one call, and its span is the outer one"},
		{"another span of its call id", nil,
			[]func(*fixture){callID("x", "call_7201bee7", "c<a 2-6"), callID("x", "call_7201bee7", "d<a 3-5"),
				func(b *fixture) { b.aside("c<a 2-6"); b.aside("d<a 3-5") }, agent("a 1-9")}, waited,
			[]string{"a: x (anchor)", "c with a", "d passthrough"}, "likewise"},
		{"a call that no model requested, where only requests count", func(s *Settings) { s.Sources = agentrun.Messages },
			[]func(*fixture){tool("x", "c<a 2-3"), asked("m<a 1-2", "call_7201bee7"), agent("a 1-9")}, waited,
			[]string{"a: tool (anchor)", "c passthrough"}, "the run does not have the call"},
		{"a call that only a protocol's server recorded", nil,
			[]func(*fixture){served("x", "c<r 2-3"), func(b *fixture) { b.aside("c<r 2-3") }}, idle,
			[]string{"c passthrough"}, "that is no run"},
		{"a call of a run that has closed", nil,
			[]func(*fixture){agent("a 1-9"), agent("b<r 1-9"), func(b *fixture) { b.held -= held(b.wait(wait)) }, agent("e<r 1-20"),
				tool("x", "c<a 2-3")}, waited,
			[]string{"c passthrough", "e:  (anchor)"}, "its trace is open again for the next run, which does not have the call"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, tc.change)
			for _, step := range tc.steps {
				step(b)
			}
			h := tc.close(b)
			accompanied(t, h)
			b.want(h, tc.want...)
			b.done()
			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

func served(name, spec string) func(*fixture) {
	return func(b *fixture) {
		b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: name}, Span: at(spec), Traits: agentrun.Traits{MCP: true, MCPServer: true}})
	}
}

// A span whose run has closed, or whose call is not written down, is not held.
func TestSpansOfCallsThatAreNotHeld(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxCalls = 2 })
	require.False(t, b.ShouldHold(at("c<a 2-3"), agentrun.Tool), "no call was written down")
	b.anchor(agentrun.Agent, "a 1-9")
	b.want(b.wait(5*time.Second), "a:  (anchor)")
	require.False(t, b.tool("x", "c<a 2-3"), "the call is late")
	require.Zero(t, b.Open())

	require.True(t, b.tool("x", "d<b 12-13"))
	require.False(t, b.tool("x", "<b 12-13"), "a span without an ID belongs to no call")
	require.False(t, b.tool("x", "e<b 14-15"), "that call is over the limit")
	b.anchor(agentrun.Agent, "b 11-19")
	b.want(b.wait(5*time.Second), "b: x, x (limit!)", "d with b")

	b.call("x", "f<g 22-23") // and while its batch is with the next consumer
	b.anchor(agentrun.Agent, "g 21-29")
	b.want(b.wait(5*time.Second), "g: x (anchor)")
	_, closed := b.Closed(agentrun.Anchor{Span: at("f<g 22-23"), Kind: agentrun.Tool})
	require.True(t, closed, "its trace has closed in the meantime")
	b.done()
}

// The run of its own closes first, or last, or at once with the one around it.
func TestSpansOfCallsThatCountForSeveralRuns(t *testing.T) {
	include := func(s *Settings) { s.Include = true }
	b := newFixture(t, include)
	b.tool("x", "c<b 3-4")
	b.anchor(agentrun.Agent, "a 0-9")
	b.anchor(agentrun.Agent, "b<a 2-5")
	b.want(b.wait(5*time.Second), "a: x (anchor)", "b: x (anchor)", "c with b")
	b.done()

	b = newFixture(t, include)
	b.tool("x", "c<b 3-4")
	b.AddAgentSpan(b.now, at("a 0-9"), agentrun.Agent)
	b.anchor(agentrun.Agent, "b<a 2-5")
	b.want(b.wait(5*time.Second), "b: x (anchor)", "c with b")
	b.anchor(agentrun.Agent, "a 0-9")
	b.want(b.wait(5*time.Second), "a: x (anchor)")
	b.done()

	b = newFixture(t, include)
	b.tool("x", "c<b 3-4")
	b.AddAgentSpan(b.now, at("b<a 2-5"), agentrun.Agent)
	b.anchor(agentrun.Agent, "a 0-9")
	b.want(b.wait(5*time.Second), "a: x (anchor)")
	b.anchor(agentrun.Agent, "b<a 2-5")
	b.want(b.wait(5*time.Second), "b: x (anchor)", "c with b")
	b.done()
}

// A batch was refused. The span of a call in it is not awaited.
func TestARefusedSpanOfACallIsNotExpected(t *testing.T) {
	b := newFixture(t, nil)
	b.call("x", "c<a 2-3")
	b.MarkRefused(agentrun.Anchor{Span: at("c<a 2-3"), Kind: agentrun.Tool})
	b.want(b.wait(time.Minute), "-: x (idle!)") // and not ten minutes later
	b.done()
}

// A tool that ran an agent has the span id of that run. Restoring its span does not open the run again.
func TestSpansOfCallsOpenNoRunAgain(t *testing.T) {
	b := newFixture(t, nil)
	e := record.NewEvidence(&b.set.Settings, pcommon.TraceID{1})
	e.AddClosedRun(closedruns.Run{Span: at("c<a 2-3"), Reason: agentrun.ByAnchor, At: b.now.UnixNano()})
	require.NoError(t, b.RestoreClosed(e.Bytes()))
	b.Reopen(agentrun.Anchor{Span: at("c<a 2-3"), Kind: agentrun.Tool})
	_, closed := b.Closed(agentrun.Anchor{Span: at("c<a 2-3"), Kind: agentrun.Agent})
	require.True(t, closed)
}

// Waiting spans are accounted for, and a checkpoint is due only when the spans of calls are released as well.
func TestSpansOfCallsAreAccountedFor(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.Stored = true })
	b.call("x", "c<a 2-3")
	before, open := b.Size(), b.Open()
	require.True(t, b.aside("c<a 2-3"))
	require.Equal(t, before+anchorBytes+100, b.Size())
	require.Equal(t, open, b.Open(), "it is no run")
	b.anchor(agentrun.Agent, "a 1-9")
	b.TrackRecord(pcommon.TraceID{1}, 7)
	h := b.wait(5 * time.Second)
	require.Equal(t, int64(200+h.Runs[0].Size), h.Size())
	r := h.Runs[0].Companions[0].Checkpoint
	require.NotNil(t, r)
	forgotten := false
	meet := func() { r.Ack(func(*agentrun.Checkpoint, *agentrun.Checkpoint) { forgotten = true }) }
	meet() // the closed batch
	meet() // the anchor
	require.False(t, forgotten)
	meet()
	require.True(t, forgotten)
	b.held -= held(h)
	b.done()
}

// A span that remains when others of its trace close is accounted for as before.
func TestSpansOfCallsThatStay(t *testing.T) {
	var sizes [2]int
	for i := range sizes {
		b := newFixture(t, nil)
		b.call("x", "c<a 2-3")
		if i == 1 {
			b.aside("c<a 2-3")
		}
		b.anchor(agentrun.Agent, "b<r 1-4") // r has not come, so the call may be of another agent below it
		b.want(b.wait(5*time.Second), "b:  (anchor)")
		sizes[i] = b.Size()
		b.anchor(agentrun.Agent, "a<r 1-9")
		h := b.wait(5 * time.Second)
		b.want(h, []string{"a: x (anchor)", "c with a"}[:1+i]...)
		b.done()
	}
	require.Equal(t, sizes[0]+anchorBytes+100, sizes[1])
}
