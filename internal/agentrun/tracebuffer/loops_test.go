package tracebuffer

import (
	"testing"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// loopOf is a model call of a client. It requests a tool for each id. begins and answered are its place in the loop.
func loopOf(spec string, begins bool, answered string, ids ...string) func(*fixture) {
	return func(b *fixture) {
		a := agentrun.ModelResponse{Span: at(spec), MessagesOnly: true, Begins: begins, Answered: answered}
		for _, id := range ids {
			a.Requests = append(a.Requests, agentrun.ToolRequest{ID: "call_of_" + id, Name: id})
		}
		b.AddResponse(b.now, a)
	}
}

// offers is a model call that was offered tools and requested none.
func offers(spec string) func(*fixture) {
	return func(b *fixture) {
		b.AddResponse(b.now, agentrun.ModelResponse{Span: at(spec), MessagesOnly: true, Begins: true, Offered: true})
	}
}

// root is the span around all model calls.
func root(b *fixture) { b.anchor(agentrun.Root, "r 0-9") }

func TestLoops(t *testing.T) {
	for _, tc := range []struct {
		name   string
		steps  []func(*fixture)
		want   []string
		reason string
	}{
		{"one loop", []func(*fixture){loopOf("m<r 1-2", true, "", "x"), loopOf("n<r 3-4", false, "call_of_x", "y"), root},
			[]string{"r: x, y (anchor)"}, "its messages begin once"},
		{"two loops, one after the other", []func(*fixture){loopOf("m<r 1-2", true, "", "x"), loopOf("n<r 3-4", true, "", "y"), root},
			[]string{"r: x (anchor)", "-: y (anchor!)"}, "the second one has no span"},
		{"a loop inside of another", []func(*fixture){
			loopOf("m<r 1-2", true, "", "x"), loopOf("n<r 3-4", true, "", "y"), loopOf("o<r 5-6", false, "call_of_x", "z"), root,
		}, []string{"r: x, z (anchor)", "-: y (anchor!)"}, "the results that a model is given lead to the model call before"},
		{"tool spans", []func(*fixture){
			loopOf("m<r 1-2", true, "", "x"), loopOf("n<r 3-4", true, "", "y"), call("y", "c<r 5-6"), call("x", "d<r 7-8"), root,
		}, []string{"r: x (anchor)", "-: y (anchor!)"}, "a tool span is of the last loop that requested the tool"},
		{"messages that begin again for nothing", []func(*fixture){loopOf("m<r 1-2", true, "", "x"), loopOf("n<r 3-4", true, ""), root},
			[]string{"r: x (anchor)"}, "a model call without tools is no agent's"},
		{"an agent's span", []func(*fixture){loopOf("m<a 1-2", true, "", "x"), loopOf("n<a 3-4", true, "", "y"), agent("a 0-9")},
			[]string{"a: x, y (anchor)"}, "what a framework writes is believed before what messages show"},
		{"tools that were offered", []func(*fixture){offers("m<r 1-2"), root}, []string{"r:  (anchor)"}, "the agent called nothing"},
		{"tools that were offered below a span that is missing", []func(*fixture){offers("m<x 1-2"), root}, []string{"r passthrough"}, "an agent's span may have been lost"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, forwards := range []bool{true, false} {
				steps := tc.steps[:len(tc.steps)-1]
				b := newFixture(t, nil)
				for i := range steps {
					if !forwards {
						i = len(steps) - 1 - i
					}
					steps[i](b)
				}
				tc.steps[len(tc.steps)-1](b) // a root comes last, or nothing shows that it must be held
				b.want(b.wait(5*time.Second), tc.want...)
				b.done()
			}
			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

// If the calls of inner runs count for the outer one, it has all.
func TestLoopsAreOneRunWithInclude(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.Include = true })
	loopOf("m<r 1-2", true, "", "x")(b)
	loopOf("n<r 3-4", true, "", "y")(b)
	root(b)
	b.want(b.wait(5*time.Second), "r: x, y (anchor)")
	b.done()
}

// If the root was forwarded before the first model call arrived, the run has no span. It is still a run.
func TestARunWithoutCallsOrAnchor(t *testing.T) {
	for _, tc := range []struct {
		name   string
		step   func(*fixture)
		want   []string
		reason string
	}{
		{"tools that were offered", offers("m<r 1-2"), []string{"-:  (idle!)"}, "an agent that called nothing needs a verdict most"},
		{"a later turn", func(b *fixture) {
			b.AddResponse(b.now, agentrun.ModelResponse{Span: at("m<r 1-2"), MessagesOnly: true, Offered: true})
		}, []string{"-:  (idle!)"}, "the assistant has spoken before, and each turn is a run"},
		{"no tools", loopOf("m<r 1-2", true, ""), nil, "a model call without tools is no agent's"},
		{"a later model call", func(b *fixture) {
			b.AddResponse(b.now, agentrun.ModelResponse{Span: at("m<r 1-2"), MessagesOnly: true, Answered: "call_of_x", Offered: true})
		}, nil, "its run may have closed already"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, nil)
			tc.step(b)
			b.want(b.wait(2*time.Minute), tc.want...)
			tc.step(b)
			b.want(b.wait(2 * time.Minute)) // late, and no second run
			b.done()
			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}
