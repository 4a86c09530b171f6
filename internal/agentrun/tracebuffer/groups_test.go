package tracebuffer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// groupOf is the response on a group's span. Each share is "agent" and the ids of its requests. Those of one message have a plus
// between them.
func groupOf(spec string, shares ...string) agentrun.ModelResponse {
	a := agentrun.ModelResponse{Span: at(spec), MessagesOnly: true, OfAgent: true, Shares: &[]agentrun.Share{}}
	for task, said := range shares {
		agent, messages, _ := strings.Cut(said, " ")
		share := agentrun.Share{Agent: agent, Task: task}
		for message := range strings.FieldsSeq(messages) {
			ids := strings.Split(message, "+")
			share.Messages = append(share.Messages, len(ids))
			for _, id := range ids {
				a.Requests = append(a.Requests, agentrun.ToolRequest{ID: id, Name: "tool", Arguments: scoring.JSON(`{}`)})
			}
		}
		*a.Shares = append(*a.Shares, share)
	}
	return a
}

// group adds a group's span, which is a workflow.
func group(spec string, shares ...string) func(*fixture) {
	return groupBy(0, spec, shares...)
}

func groupBy(by agentrun.Process, spec string, shares ...string) func(*fixture) {
	return func(b *fixture) {
		a := groupOf(spec, shares...)
		a.Process = by
		b.AddResponse(b.now, a)
		b.AddAgentSpan(b.now, a.Span, agentrun.Workflow)
	}
}

// member adds an agent's span. Its name is behind the spec.
func member(by agentrun.Process, spec, name string) func(*fixture) {
	return func(b *fixture) {
		s := at(spec)
		s.Process = by
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		a := agentrun.Anchor{Span: s, Kind: agentrun.Agent, Agent: name, Held: ptrace.NewSpan(), Size: 100}
		if _, closed := b.Closed(a); !closed && b.ShouldHold(s, agentrun.Agent) {
			b.Hold(b.now, a)
			b.held++
		}
	}
}

func taskBy(by agentrun.Process, spec string) func(*fixture) {
	return func(b *fixture) {
		s := at(spec)
		s.Process = by
		b.AddParent(b.now, s)
		if by == 0 { // the trace may not be open
			b.early(spec)
		}
	}
}

// idsOf are the runs with the ids of their calls, in order.
func idsOf(h agentrun.ClosedBatch) (lines []string) {
	for i := range h.Runs {
		words := []string{"-"}
		if len(h.Runs[i].Anchors) > 0 {
			words[0] = runtest.Letter(h.Runs[i].Anchors[0].ID)
		}
		for _, c := range h.Runs[i].Calls {
			words = append(words, c.CallID)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	slices.Sort(lines)
	return lines
}

const (
	firstID  = "call_7201bee7aa"
	secondID = "call_7201bee7bb"
	thirdID  = "call_7201bee7cc"
)

// The span of a group of agents says which agent requested which calls. They are of the one run of that name in the group.
func TestRequestsOfAGroupBelongToTheAgentsRun(t *testing.T) {
	const x, y = "x " + firstID + " " + secondID, "y " + thirdID
	task := func(spec string) func(*fixture) { return taskBy(0, spec) }
	agentOf := func(spec, name string) func(*fixture) { return member(0, spec, name) }
	for _, tc := range []struct {
		name   string
		change func(*Settings)
		steps  []func(*fixture)
		want   []string
		reason string
	}{
		{"an agent for each share", nil, []func(*fixture){
			agentOf("a<t 2-4", "x"), task("t<g 1-5"), agentOf("b<u 6-7", "y"), task("u<g 5-8"), group("g 0-9", x, y),
		}, []string{"a " + firstID + " " + secondID, "b " + thirdID}, "each name is one run's"},
		{"a name in another spelling", nil, []func(*fixture){agentOf("a<g 2-4", "Travel-Desk"), group("g 0-9", "travel_desk "+firstID)},
			[]string{"a " + firstID}, "case and separators do not count in names"},
		{"two runs of one name", nil, []func(*fixture){agentOf("a<g 2-4", "x"), agentOf("b<g 5-7", "x"), group("g 0-9", x)},
			[]string{"a", "b"}, "nothing says which of them it was"},
		{"two tasks of one agent", nil, []func(*fixture){agentOf("a<g 2-4", "x"), group("g 0-9", x, "x "+thirdID)},
			[]string{"a"}, "the other run's span may be lost"},
		{"a task without requests", nil, []func(*fixture){agentOf("a<g 2-4", "x"), group("g 0-9", x, "x")},
			[]string{"a"}, "the run may be the one without requests"},
		{"no run of the name", nil, []func(*fixture){agentOf("a<g 2-4", "x"), group("g 0-9", y)}, []string{"a"}, "another agent's calls are not its own"},
		{"no run at all", nil, []func(*fixture){group("g 0-9", x)}, nil, "no run is invented"},
		{"a run beside the group", nil, []func(*fixture){agentOf("a<r 2-4", "x"), task("g<r 0-9"), group("g<r 0-9", x), task("r 0-9")},
			[]string{"a"}, "only links say who is in the group"},
		{"a run whose parent is lost", nil, []func(*fixture){agentOf("a<g 2-4", "x"), agentOf("b<l 5-7", "x"), group("g 0-9", x)},
			[]string{"a", "b"}, "the other one may be in the group too"},
		{"an agent inside of the agent", nil, []func(*fixture){agentOf("a<g 2-8", "x"), agentOf("b<a 5-7", "y"), group("g 0-9", x, y)},
			[]string{"a " + firstID + " " + secondID, "b"}, "the inner run may be a delegation, which is no task of the group"},
		{"a group inside of an agent", nil, []func(*fixture){
			agentOf("a<g 1-8", "x"), group("h<a 2-7", "x "+thirdID), agentOf("b<h 3-6", "x"), group("g 0-9", x),
		}, []string{"a " + firstID + " " + secondID, "b " + thirdID}, "each group has its own agents"},
		{"the models' own spans", nil, []func(*fixture){
			agentOf("a<g 2-8", "x"), model(true, "m<a 2-3", "", "tool "+firstID+" {}"), model(true, "n<a 4-5", "", "tool "+secondID+" {}"), group("g 0-9", x),
		}, []string{"a " + firstID + " " + secondID}, "one call id is one call"},
		{"one of the models' spans", nil, []func(*fixture){agentOf("a<g 2-8", "x"), model(true, "n<a 4-5", "", "tool "+secondID+" {}"), group("g 0-9", x)},
			[]string{"a " + firstID + " " + secondID}, "the other call is known from the group"},
		{"another process's group", nil, []func(*fixture){member(1, "a<g 2-4", "x"), groupBy(2, "g 0-9", x)},
			[]string{"a"}, "a process says nothing about the runs of another"},
		{"another process's link", nil, []func(*fixture){member(1, "a<t 2-4", "x"), taskBy(2, "t<g 1-5"), groupBy(1, "g 0-9", x)},
			[]string{"a"}, "only the run's own process says what it is in"},
		{"another process's run of the name", nil, []func(*fixture){member(1, "a<g 2-4", "x"), member(2, "b<g 5-7", "x"), groupBy(1, "g 0-9", x)},
			[]string{"a " + firstID + " " + secondID, "b"}, "another process takes nothing away"},
		{"a whole trace", func(s *Settings) { s.WholeTrace = true }, []func(*fixture){
			agentOf("a<g 2-4", "y"), func(b *fixture) { b.anchor(agentrun.Workflow, "g 0-9") }, group("g 0-9", x, x),
		}, []string{"g " + firstID + " " + secondID}, "all calls are the root's, whoever made them"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for seed := range uint64(6) {
				b := newFixture(t, tc.change)
				steps := slices.Concat(tc.steps, tc.steps) // all is sent twice
				rand.New(rand.NewPCG(seed, 3)).Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
				for _, step := range steps {
					step(b)
					b.now = b.now.Add(100 * time.Millisecond)
				}
				h := b.wait(time.Minute)
				h.Add(b.wait(time.Minute))
				b.held -= held(h)
				require.Equal(t, tc.want, idsOf(h), "order %d: %s", seed, tc.reason)
				for _, r := range h.Runs {
					require.False(t, r.Contradicted, tc.reason)
				}
				b.done()
			}
		})
	}
}

// With [agentrun.Settings.Include] the requests count for the runs around the agent's too, also if those close later.
func TestRequestsOfAGroupCountForTheRunsAround(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.Include = true })
	group("g<o 1-8", "x "+firstID)(b)
	member(0, "a<g 2-4", "x")(b)
	h := b.wait(4 * time.Second)
	member(0, "o 0-9", "outer")(b)
	h.Add(b.wait(2 * time.Second))
	require.Equal(t, []string{"a " + firstID}, idsOf(h))
	h.Add(b.wait(4 * time.Second))
	require.Equal(t, []string{"a " + firstID, "o " + firstID}, idsOf(h))
	b.held -= held(h)
	b.done()
}

// A group's span that arrives after its agents' runs have closed adds nothing, and is no run.
func TestALateGroupAddsNothing(t *testing.T) {
	for _, tc := range []struct {
		name string
		open func(*fixture)
	}{
		{"an open trace", func(b *fixture) { b.AddParent(b.now, at("t<g 1-5")); model(true, "m<l 3-3", "", "tool "+thirdID)(b) }},
		{"a closed trace", func(*fixture) {}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, nil)
			member(0, "a<t 2-4", "x")(b)
			b.AddParent(b.now, at("t<g 1-5"))
			h := b.wait(6 * time.Second)
			require.Equal(t, []string{"a"}, idsOf(h))
			tc.open(b)
			group("g 0-9", "x "+firstID)(b)
			member(0, "c<g 6-7", "x")(b)
			late := b.wait(6 * time.Second)
			require.Equal(t, []string{"c"}, idsOf(late), "it would be the calls of the run that has closed")
			h.Add(late)
			h.Add(b.wait(2 * time.Minute))
			for _, r := range h.Runs {
				require.NotContains(t, fmt.Sprint(idsOf(agentrun.ClosedBatch{Runs: []agentrun.Run{r}})), firstID)
			}
			b.held -= held(h)
			b.done()
		})
	}
}

// A buffer that restores what is left of a trace gives the requests as the first one would have.
func TestRequestsOfAGroupAreRestored(t *testing.T) {
	stored := func(s *Settings) { s.Stored = true }
	first := newFixture(t, stored)
	group("g 0-9", "x "+firstID, "y "+secondID)(first)
	member(0, "a<g 2-4", "x")(first)
	h := first.wait(6 * time.Second)
	require.Equal(t, []string{"a " + firstID}, idsOf(h))
	require.Len(t, h.Checkpoints, 1)

	e := record.NewEvidence(&first.set.Settings, at("g 0-9").Trace)
	e.AddResponse(groupOf("g 0-9", "x "+firstID, "y "+secondID)) // it is sent again
	for name, evidence := range map[string][][]byte{
		"the remainder":           {h.Checkpoints[0].Remainder},
		"the remainder and again": {h.Checkpoints[0].Remainder, e.Bytes()},
	} {
		t.Run(name, func(t *testing.T) {
			second := newFixture(t, stored)
			for _, data := range evidence {
				_, err := second.Restore(second.now, data)
				require.NoError(t, err)
			}
			member(0, "b<g 5-7", "y")(second)
			got := second.wait(6 * time.Second)
			require.Equal(t, []string{"b " + secondID}, idsOf(got))
			require.False(t, got.Runs[0].Contradicted)
		})
	}
}

// Groups, shares, runs and the ways between them cost in proportion to what was sent.
func TestGroupsGrowLinearly(t *testing.T) {
	for _, tc := range []struct {
		name string
		play func(b *fixture, n int)
	}{
		{"many agents in one group", func(b *fixture, n int) {
			var shares []string
			for i := range n {
				shares = append(shares, fmt.Sprintf("x%d call_7201bee7a%dz", i, i))
				b.hold(agentrun.Span{Trace: at("g 0-9").Trace, ID: runtest.SpanOf('a', i), Parent: at("g 0-9").ID, Start: 1, End: 2}, fmt.Sprint("x", i))
			}
			group("g 0-9", shares...)(b)
		}},
		{"groups in groups", func(b *fixture, n int) {
			for i := range n {
				s := agentrun.Span{Trace: at("g 0-9").Trace, ID: runtest.SpanOf('g', i+1), Parent: runtest.SpanOf('g', i), Start: 1, End: 2}
				a := groupOf("g 0-9", fmt.Sprintf("x call_7201bee7a%dz", i))
				a.Span = s
				b.AddResponse(b.now, a)
				b.hold(agentrun.Span{Trace: s.Trace, ID: runtest.SpanOf('a', i), Parent: s.ID, Start: 1, End: 2}, "x")
			}
		}},
		{"a long way up", func(b *fixture, n int) {
			for i := range n {
				s := agentrun.Span{Trace: at("g 0-9").Trace, ID: runtest.SpanOf('t', i+1), Parent: runtest.SpanOf('t', i), Start: 1, End: 2}
				b.AddParent(b.now, s)
				b.hold(agentrun.Span{Trace: s.Trace, ID: runtest.SpanOf('a', i), Parent: s.ID, Start: 1, End: 2}, "x")
			}
			group("g 0-9", "x "+firstID)(b)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			runtest.CheckGrowth(t, 1<<8, "each span is walked over once", func(tb testing.TB, n int) compare.Work {
				b := newFixture(tb, func(s *Settings) { s.MaxCalls = 1 << 20 })
				tc.play(b, n)
				b.wait(time.Minute)
				b.wait(time.Minute)
				return b.work
			})
		})
	}
}

// hold holds an agent's span.
func (b *fixture) hold(s agentrun.Span, name string) {
	b.AddAgentSpan(b.now, s, agentrun.Agent)
	b.Hold(b.now, agentrun.Anchor{Span: s, Kind: agentrun.Agent, Agent: name, Held: ptrace.NewSpan(), Size: 100})
}
