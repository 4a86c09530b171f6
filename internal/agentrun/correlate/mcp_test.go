package correlate

import (
	"fmt"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// mcp9 is an MCP span of a call of x in trace 9.
func mcp9(arguments string, status scoring.CallStatus) agentrun.Call {
	s := runtest.At("p 2-4")
	s.Trace = pcommon.TraceID{9}
	c := agentrun.Call{Span: s, Call: scoring.Call{Name: "x", Status: status}, Traits: agentrun.Traits{MCP: true}}
	if arguments != "" {
		c.Arguments = scoring.JSON(arguments)
	}
	return c
}

func TestMCPSpansCompleteCalls(t *testing.T) {
	failed := mcp9(`{"k":1}`, scoring.StatusFailed)
	for _, tc := range []struct {
		name   string
		call   agentrun.Call
		want   scoring.CallStatus
		reason string
	}{
		{"the same call", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x", Arguments: scoring.JSON(`{"k":1.0}`)}}, scoring.StatusFailed,
			"name, time and arguments agree"},
		{"arguments that were not captured", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x"}}, scoring.StatusFailed, "nothing speaks against it"},
		{"a call that its agent thought well of", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x", Status: scoring.StatusOK}}, scoring.StatusFailed,
			"an application may make a text of an error, and the protocol knows better"},
		{"other arguments", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x", Arguments: scoring.JSON(`{"k":2}`)}}, scoring.StatusUnset, "another call"},
		{"another tool", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "y"}}, scoring.StatusUnset, "another call"},
		{"another time", agentrun.Call{Span: runtest.At("c<a 5-6"), Call: scoring.Call{Name: "x"}}, scoring.StatusUnset, "another call"},
		{"the MCP span itself", failed, scoring.StatusFailed, "it is left as it is"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := NewMCPSpans(agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 100})
			e.Add(0, runtest.ProcessOf("shop"), failed)
			e.Add(0, runtest.ProcessOf("shop"), failed) // a retried export
			other := tc.call
			other.ID = runtest.ID("z")
			r := ofProcess("shop", tc.call, other)
			e.FillIn(&r)
			if got := r.Calls[0].Status; got != tc.want {
				t.Errorf("status is %v, want %v: %s", got, tc.want, tc.reason)
			}
			if tc.call.Trace != failed.Trace && r.Calls[1].Status != tc.call.Status {
				t.Error("one MCP span completed two calls")
			}
		})
	}
}

// ofProcess is a run of a service with these calls.
func ofProcess(service string, calls ...agentrun.Call) agentrun.Run {
	s := runtest.At("a 0-9")
	s.Process = runtest.ProcessOf(service)
	return agentrun.Run{Anchors: []agentrun.Anchor{{Span: s}}, Calls: calls}
}

// A span of another process, or one that may be about another call, completes no call.
func TestMCPSpansKeepToTheirOwn(t *testing.T) {
	call := agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x"}}
	secret := mcp9(`{"ssn":1}`, scoring.StatusFailed)
	secret.Output = scoring.Text("private")
	e := NewMCPSpans(agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 100})
	e.Add(0, runtest.ProcessOf("other"), secret)
	r := ofProcess("shop", call)
	e.FillIn(&r)
	if r.Calls[0].Status != scoring.StatusUnset {
		t.Error("an MCP span of another process was taken")
	}
	secret.ID = runtest.ID("o")
	e.Add(0, runtest.ProcessOf("shop"), secret)
	r = ofProcess("shop", call)
	e.FillIn(&r)
	if c := r.Calls[0]; c.Status != scoring.StatusFailed || c.Arguments.Captured() || c.Output.Captured() {
		t.Errorf("the call is %v with arguments %v and output %v: without arguments to compare only the status is sure", c.Status, c.Arguments, c.Output)
	}
	again := secret
	again.ID = runtest.ID("q")
	e = NewMCPSpans(agentrun.Settings{})
	e.Add(0, runtest.ProcessOf("shop"), secret)
	e.Add(0, runtest.ProcessOf("shop"), again)
	r = ofProcess("shop", call)
	e.FillIn(&r)
	if r.Calls[0].Status != scoring.StatusUnset {
		t.Error("one of two possible MCP spans was taken")
	}
}

func TestMCPSpansAreBounded(t *testing.T) {
	e := NewMCPSpans(agentrun.Settings{})
	for i := range 5 * MaxMCPSpans {
		c := mcp9("", scoring.StatusOK)
		c.ID = pcommon.SpanID{byte(i), byte(i >> 8)}
		c.Name += string(rune('a' + i%3))
		e.Add(0, 1, c)
	}
	n := 0
	for _, calls := range e.alike {
		n += len(calls)
	}
	if n != MaxMCPSpans || e.all.Len() != n || len(e.known) != n {
		t.Errorf("%d MCP spans are kept, %d in order and %d by ID, want %d", n, e.all.Len(), len(e.known), MaxMCPSpans)
	}
}

// While an attacker fills the table, a call is completed by its MCP span, or it says that the span may be forgotten. A process
// that fills the table with its own spans, and a call that no forgotten span can be of, say nothing.
func TestMCPSpansOfOthersAreForgottenFirst(t *testing.T) {
	of := func(i, n int) agentrun.Process { return runtest.ProcessOf(fmt.Sprintf("attacker %d", i%n)) }
	for _, tc := range []struct {
		name      string
		before    int // MCP spans of the victim's own process that came after the one of its call
		attackers int
		call      string
		status    scoring.CallStatus
		forgotten bool
		reason    string
	}{
		{"one process", 0, 1, "c<a 1-5", scoring.StatusFailed, false, "the attacker has most, and loses its own"},
		{"one process, and a victim with a third of the table", MaxMCPSpans / 3, 1, "c<a 1-5", scoring.StatusFailed, false, "the same"},
		{"three processes, and a victim with a third of the table", MaxMCPSpans / 3, 3, "c<a 1-5", scoring.StatusUnset, true, "the victim has more than a fourth"},
		{"many processes", 0, 4 * MaxMCPSpans, "c<a 1-5", scoring.StatusUnset, true, "none has more than the victim"},
		{"many processes, and a later call", 0, 4 * MaxMCPSpans, "c<a 6-7", scoring.StatusUnset, false, "the forgotten spans are of an earlier time"},
		{"only the victim", MaxMCPSpans, 0, "c<a 1-5", scoring.StatusUnset, false, "a table of its own would have dropped the span as well"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := NewMCPSpans(agentrun.Settings{})
			e.Add(0, runtest.ProcessOf("shop"), mcp9("", scoring.StatusFailed))
			for i := range tc.before {
				e.Add(0, runtest.ProcessOf("shop"), numbered(i))
			}
			for i := range min(tc.attackers, 1) * 4 * MaxMCPSpans {
				e.Add(pcommon.Timestamp(1+i), of(i, tc.attackers), numbered(i))
			}
			r := ofProcess("shop", agentrun.Call{Span: runtest.At(tc.call), Call: scoring.Call{Name: "x"}})
			e.FillIn(&r)
			if c := r.Calls[0]; c.Status != tc.status || c.FromOtherProcess.Forgotten != tc.forgotten {
				t.Errorf("the status is %v and forgotten %t, want %v and %t: %s", c.Status, c.FromOtherProcess.Forgotten, tc.status, tc.forgotten, tc.reason)
			}
		})
	}
}

// numbered is an MCP span with that number, of another call than the others.
func numbered(i int) agentrun.Call {
	c := mcp9("", scoring.StatusOK)
	c.ID, c.Name = pcommon.SpanID{byte(i), byte(i >> 8), 1}, "y"
	return c
}

// A call finds its MCP span, whatever spans other processes send.
func TestMCPSpansOfOthersHideNone(t *testing.T) {
	e := NewMCPSpans(agentrun.Settings{})
	for i := range 2 * maxAlike {
		foreign := mcp9("", scoring.StatusFailed)
		foreign.ID = pcommon.SpanID{byte(i), 1}
		e.Add(0, runtest.ProcessOf("other"), foreign)
	}
	e.Add(0, runtest.ProcessOf("shop"), mcp9("", scoring.StatusFailed))
	r := ofProcess("shop", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x"}})
	e.FillIn(&r)
	if r.Calls[0].Status != scoring.StatusFailed {
		t.Error("the MCP span was not found")
	}
}
