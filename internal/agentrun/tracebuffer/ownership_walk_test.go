package tracebuffer

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// inEitherOrder plays steps in a fixture of its own, in order and backwards.
func inEitherOrder(t *testing.T, change func(*Settings), steps []func(*fixture), check func(*fixture)) {
	t.Helper()
	for range 2 {
		b := newFixture(t, change)
		for _, step := range steps {
			step(b)
		}
		check(b)
		slices.Reverse(steps)
	}
}

// nested returns agents, each within the one before. The first is within "0".
func nested(names string) (steps []func(*fixture)) {
	for i := range names {
		up := "0"
		if i > 0 {
			up = names[i-1 : i]
		}
		steps = append(steps, agent(fmt.Sprintf("%c<%s %d-%d", names[i], up, 1+i, 90-i)))
	}
	return steps
}

// With include a closing copies calls, in their order, into the runs around their own up to a bound. A run that gets
// less is not complete. One that closes later gets all.
func TestIncludeCopiesUpToABound(t *testing.T) {
	const names = "ijklmnopqrst"
	const most = 2
	steps := append(nested(names), call("x", "1<t 40-41"), call("y", "2<t 42-43"))
	left := ownership.MaxCopies*most - (len(names) - 1) // by the first call
	want := []string{"t: x, y (anchor)"}
	for around, name := range slices.Backward([]byte(names[:len(names)-1])) {
		if len(names)-1-around <= left {
			want = append(want, string(name)+": x, y (anchor)")
		} else {
			want = append(want, string(name)+": x (limit!)")
		}
	}
	inEitherOrder(t, func(s *Settings) { s.Include, s.MaxCalls = true, most }, steps, func(b *fixture) {
		b.want(b.wait(5*time.Second), want...)
		agent("0 0-99")(b)
		b.want(b.wait(5*time.Second), "0: x, y (anchor)")
		b.done()
	})
}

// Without a low limit the bound grows with the spans of the trace, so that few spans do not lead to many copies.
func TestIncludeCopiesAMultipleOfTheTrace(t *testing.T) {
	const names = "abcdefghijklmnopqrstuvwxyzABCD"
	const calls = 60
	steps := nested(names)
	for i := range calls {
		steps = append(steps, call("x", fmt.Sprintf("%d<D 40-41", 10+i)))
	}
	const room = ownership.MaxCopies * calls
	inEitherOrder(t, func(s *Settings) { s.Include, s.MaxCalls = true, 1<<20 }, steps, func(b *fixture) {
		h := b.wait(5 * time.Second)
		b.held -= held(h)
		copied := -calls
		for _, r := range h.Runs {
			copied += len(r.Calls)
			if r.Complete != (len(r.Calls) == calls) {
				t.Errorf("%s has %d of %d calls, complete %t", runtest.Letter(r.Anchors[0].ID), len(r.Calls), calls, r.Complete)
			}
		}
		if copied > room || copied <= room-len(names) {
			t.Errorf("%d calls were copied, where %d may be", copied, room)
		}
	})
}

// The bound holds for model requests as well. A response counts as many calls as it requests.
func TestIncludeCopiesAnswersUpToABound(t *testing.T) {
	const names = "abcdefghijklmnopqrst"
	const first, second = 3, 6
	var asked []string
	for i := range first + second {
		asked = append(asked, fmt.Sprintf("x call_72%d1bee762b6", i))
	}
	steps := append(nested(names),
		model(true, "1<t 40-41", "", asked[:first]...), model(true, "2<t 42-43", "", asked[first:]...))
	left := ownership.MaxCopies*(first+second) - first*(len(names)-1)
	inEitherOrder(t, func(s *Settings) { s.Include, s.MaxCalls = true, first+second }, steps, func(b *fixture) {
		h := b.wait(5 * time.Second)
		b.held -= held(h)
		whole, part := 0, 0
		for _, r := range h.Runs {
			switch {
			case len(r.Calls) == first+second && r.Complete && r.ClosedBy == agentrun.ByAnchor:
				whole++
			case len(r.Calls) == first && !r.Complete && r.ClosedBy == agentrun.ByLimit:
				part++
			}
		}
		if whole != 1+left/second || part != len(names)-whole {
			t.Errorf("%d runs with all calls and %d with a part, want %d of %d", whole, part, 1+left/second, len(names))
		}
		b.drain()
		b.done()
	})
}

// In a cycle of parents each run counts a call once, with any number of other runs.
func TestIncludeCountsOnceInACycle(t *testing.T) {
	steps := []func(*fixture){
		agent("a<b 1-9"), agent("b<a 2-8"), agent("d 1-9"), agent("e 1-9"), call("x", "c<a 3-4"),
	}
	inEitherOrder(t, func(s *Settings) { s.Include = true }, steps, func(b *fixture) {
		b.want(b.wait(5*time.Second), "a: x (anchor)", "b: x (anchor)", "d:  (anchor)", "e:  (anchor)")
		b.done()
	})
}

// In a cycle of stand-ins the one that began first counts, wherever the call is.
func TestTheFirstStandInOfACycleCounts(t *testing.T) {
	for _, others := range [][]func(*fixture){nil, {workflow("d 1-9")}} {
		steps := append([]func(*fixture){
			workflow("a<b 2-9"), workflow("b<c 1-8"), workflow("c<a 3-8"), workflow("f<c 3-8"),
			call("x", "1<a 4-5"), call("y", "2<b 5-6"), call("z", "3<c 6-7"), call("w", "4<f 7-8"),
		}, others...)
		inEitherOrder(t, nil, steps, func(b *fixture) {
			h := b.wait(5 * time.Second)
			b.held -= held(h)
			if len(h.Runs) != 1 || runtest.Letter(h.Runs[0].Anchors[0].ID) != "b" || callsOf(h) != 4 {
				t.Errorf("closed %q, want the four calls in b", say(h))
			}
			b.done()
		})
	}
}

// The conversation of the nearest run around that names one counts, else that of the trace.
func TestConversationsOfNestedRuns(t *testing.T) {
	inConversation := func(spec, conversation string) func(*fixture) {
		return func(b *fixture) {
			s := at(spec)
			b.AddAgentSpan(b.now, s, agentrun.Agent)
			b.AddConversation(s.Trace, 0, conversation)
			b.Hold(b.now, agentrun.Anchor{Span: s, Conversation: conversation, Agent: s.ID.String()})
			b.held++
		}
	}
	steps := []func(*fixture){
		inConversation("a 0-9", "two"), agent("b<a 1-8"), agent("c<b 2-7"), inConversation("d<c 3-6", "three"), agent("e<d 4-5"),
		inConversation("f 0-9", "one"), agent("g<h 1-2"), agent("h<g 1-2"),
	}
	want := map[string]string{
		"a": "two", "b": "two", "c": "two", "d": "three", "e": "three", "f": "one", "g": "one", "h": "one",
	}
	inEitherOrder(t, nil, steps, func(b *fixture) {
		h := b.wait(5 * time.Second)
		b.held -= held(h)
		for _, r := range h.Runs {
			if name := runtest.Letter(r.Anchors[0].ID); r.Conversation != want[name] {
				t.Errorf("%s is of %q, want %q", name, r.Conversation, want[name])
			}
		}
		if len(h.Runs) != len(want) {
			t.Errorf("%d runs, want %d", len(h.Runs), len(want))
		}
		b.done()
	})
}

// A run is of the conversation that its own process names. One that another process names counts if its own names none.
func TestAnotherProcessDoesNotMoveARunToAConversation(t *testing.T) {
	inConversation := func(by agentrun.Process, conversation string) func(*fixture) {
		return func(b *fixture) {
			b.AddAgentSpan(b.now, at("z 0-9"), agentrun.Workflow) // of the trace with the conversation
			b.AddConversation(at("a 0-9").Trace, by, conversation)
		}
	}
	const victim, hostile = 1, 2
	run := func(b *fixture) {
		s := at("a 0-9")
		s.Process = victim
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: s})
		b.held++
	}
	for _, tc := range []struct {
		name   string
		steps  []func(*fixture)
		want   string
		reason string
	}{
		{"both name one", []func(*fixture){run, inConversation(victim, "own"), inConversation(hostile, "another"), inConversation(victim, "pwn")}, "own",
			"the lowest of its own counts, not that of another process"},
		{"only another names one", []func(*fixture){run, inConversation(hostile, "another")}, "another", "a service may know the session of those it calls"},
		{"an unknown process names one", []func(*fixture){run, inConversation(0, "old"), inConversation(hostile, "another")}, "old",
			"an earlier version stored it, and it may be of its own"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inEitherOrder(t, nil, tc.steps, func(b *fixture) {
				h := b.wait(5 * time.Second)
				b.held -= held(h)
				if len(h.Runs) != 1 || h.Runs[0].Conversation != tc.want {
					t.Errorf("closed %+v, want the conversation %q: %s", h.Runs, tc.want, tc.reason)
				}
				b.done()
			})
		})
	}
}
