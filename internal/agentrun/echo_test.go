package agentrun

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// echo is what a protocol's span in trace 9 tells of a call.
func echo(spec, name, arguments string, status scoring.CallStatus) Call {
	s := at(spec)
	s.Trace = pcommon.TraceID{9}
	c := Call{Span: s, Call: scoring.Call{Name: name, Status: status}, Doubts: Doubts{Protocol: true}}
	if arguments != "" {
		c.Arguments = scoring.JSON(arguments)
	}
	return c
}

func TestEchoesCompleteCalls(t *testing.T) {
	failed := echo("p 2-4", "x", `{"k":1}`, scoring.StatusFailed)
	for _, tc := range []struct {
		name   string
		call   Call
		want   scoring.CallStatus
		reason string
	}{
		{"the same call", Call{Span: at("c<a 1-5"), Call: scoring.Call{Name: "x", Arguments: scoring.JSON(`{"k":1.0}`)}}, scoring.StatusFailed,
			"name, time and arguments agree"},
		{"arguments that were not captured", Call{Span: at("c<a 1-5"), Call: scoring.Call{Name: "x"}}, scoring.StatusFailed, "nothing speaks against it"},
		{"a call that its agent thought well of", Call{Span: at("c<a 1-5"), Call: scoring.Call{Name: "x", Status: scoring.StatusOK}}, scoring.StatusFailed,
			"an application may make a text of an error, and the protocol knows better"},
		{"other arguments", Call{Span: at("c<a 1-5"), Call: scoring.Call{Name: "x", Arguments: scoring.JSON(`{"k":2}`)}}, scoring.StatusUnset, "another call"},
		{"another tool", Call{Span: at("c<a 1-5"), Call: scoring.Call{Name: "y"}}, scoring.StatusUnset, "another call"},
		{"another time", Call{Span: at("c<a 5-6"), Call: scoring.Call{Name: "x"}}, scoring.StatusUnset, "another call"},
		{"the echo itself", failed, scoring.StatusFailed, "it is left as it is"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := NewEchoes(Settings{KeepArguments: true, MaxPayload: 100})
			e.Add(failed)
			e.Add(failed) // a retried export
			r := Run{Calls: []Call{tc.call, tc.call}}
			e.FillIn(&r)
			if got := r.Calls[0].Status; got != tc.want {
				t.Errorf("status is %v, want %v: %s", got, tc.want, tc.reason)
			}
			if tc.call.Trace != failed.Trace && r.Calls[1].Status != tc.call.Status {
				t.Error("one echo completed two calls")
			}
		})
	}
}

func TestEchoesAreBounded(t *testing.T) {
	e := NewEchoes(Settings{})
	for i := range 5 * maxEchoes {
		c := echo("p 2-4", "x", "", scoring.StatusOK)
		c.ID = pcommon.SpanID{byte(i), byte(i >> 8)}
		c.Name += string(rune('a' + i%3))
		e.Add(c)
	}
	n := 0
	for _, calls := range e.byName {
		n += len(calls)
	}
	if n != maxEchoes || e.order.len() != n {
		t.Errorf("%d echoes are kept, %d in order, want %d", n, e.order.len(), maxEchoes)
	}
	for e.order.len() > 0 {
		e.drop()
	}
	if e.size != 0 || len(e.byName) != 0 {
		t.Errorf("left over: %d bytes, %d names", e.size, len(e.byName))
	}
}
