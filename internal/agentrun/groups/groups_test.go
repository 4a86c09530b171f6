package groups_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/groups"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// A trace is one that a test makes.
type trace struct {
	set        agentrun.Settings
	candidates []ownership.Candidate
	links      []agentrun.Span
	groups     []agentrun.ModelResponse
	others     []agentrun.ModelResponse
	complete   bool // nothing may arrive any more
}

// A change adds something to a trace.
type change func(*trace)

// by has a process send a span.
func by(p agentrun.Process, s agentrun.Span) agentrun.Span {
	s.Process = p
	return s
}

func run(p agentrun.Process, spec, agent string, state ownership.State) change {
	return func(t *trace) {
		t.candidates = append(t.candidates, ownership.Candidate{
			Span: by(p, runtest.At(spec)), Kind: agentrun.Agent, AgentHash: compare.NameHash(agent), State: state,
		})
	}
}

func link(p agentrun.Process, spec string) change {
	return func(t *trace) { t.links = append(t.links, by(p, runtest.At(spec))) }
}

// asked has a model's own span with a request, of the last run.
func asked(p agentrun.Process) change {
	return func(t *trace) {
		s := &t.candidates[len(t.candidates)-1]
		s.Responses = append(s.Responses, agentrun.ModelResponse{Span: by(p, s.Span), Requests: []agentrun.ToolRequest{{ID: "m", Name: "tool"}}})
	}
}

// group is the span of a group. A share is "agent ij k": a letter for each request, with a space between messages.
func group(p agentrun.Process, spec string, shares ...string) change {
	return func(t *trace) {
		a := agentrun.ModelResponse{Span: by(p, runtest.At(spec)), OfAgent: true, MessagesOnly: true, Shares: &[]agentrun.Share{}}
		for task, said := range shares {
			words := strings.Fields(said)
			share := agentrun.Share{Agent: words[0], Task: task}
			for _, message := range words[1:] {
				share.Messages = append(share.Messages, len(message))
				for _, id := range message {
					a.Requests = append(a.Requests, agentrun.ToolRequest{ID: string(id), Name: "tool"})
				}
			}
			*a.Shares = append(*a.Shares, share)
		}
		t.groups, t.links = append(t.groups, a), append(t.links, a.Span)
	}
}

// give gives the groups' requests to runs. It says what each run has, and what stays.
func (t *trace) give() (given, stays []string, requests int, w compare.Work) {
	t.set.MaxCalls = 1 << 20
	var links parents.Table
	for i := range t.candidates {
		t.links = append(t.links, t.candidates[i].Span)
	}
	for _, s := range t.links {
		links.Add(parents.Link{ID: s.ID, Parent: s.Parent, Process: s.Process}, &w)
	}
	r := ownership.NewResolver(&t.set, nil, &w)
	r.Begin(ownership.Examined{Parents: &links, Candidates: t.candidates, Responses: t.groups, Received: 1 << 20, MayStillArrive: !t.complete})
	left, requests := groups.Give(t.groups, t.others, groups.Trace{
		Resolver: &r, Candidates: t.candidates, WholeTrace: t.set.WholeTrace, MayStillArrive: !t.complete,
	}, &w)
	for i := range t.candidates {
		for _, a := range t.candidates[i].Responses {
			given = append(given, runtest.Letter(t.candidates[i].ID)+": "+say(&a))
		}
	}
	for i := range left {
		stays = append(stays, say(&left[i]))
	}
	return given, stays, requests, w
}

// say writes the shares of a response as they are in [group], with the times of the response. "?" is a doubt: requests may be missing.
func say(a *agentrun.ModelResponse) string {
	words := []string{fmt.Sprintf("%d-%d", a.Start/1e9, a.End/1e9)}
	if a.Unread {
		words = append(words, "?")
	}
	requests := a.Requests
	if a.Shares == nil {
		return strings.Join(words, " ")
	}
	for _, share := range *a.Shares {
		words = append(words, share.Agent)
		for _, n := range share.Messages {
			var message []byte
			for _, q := range requests[:n] {
				message = append(message, q.ID...)
			}
			words, requests = append(words, string(message)), requests[n:]
		}
	}
	return strings.Join(words, " ")
}

// A share belongs to the one run of its agent right inside of the group. It stays only while a run may still take it.
func TestWhoGetsAShare(t *testing.T) {
	const ready, waits, closed = ownership.Ready, ownership.Waiting, ownership.Closed
	for _, tc := range []struct {
		name    string
		changes []change
		given   []string
		stays   []string
		reason  string
	}{
		{"right inside", []change{run(1, "a<g 2-4", "x", ready), group(1, "g 0-9", "x ij k")}, []string{"a: 2-4 x ij k"}, nil, "nothing else is possible; the time is the run's"},
		{"a task between", []change{run(1, "a<t 2-4", "x", ready), link(1, "t<g 1-5"), group(1, "g 0-9", "x i")}, []string{"a: 2-4 x i"}, nil, "a task is no run"},
		{"two agents", []change{run(1, "a<g 2-4", "x", ready), run(1, "b<g 5-6", "y", ready), group(1, "g 0-9", "x i", "y j")}, []string{"a: 2-4 x i", "b: 5-6 y j"}, nil,
			"each has its share"},
		{"no run yet", []change{group(1, "g 0-9", "x i", "y")}, nil, []string{"0-9 x i"}, "the run may arrive; a share without requests gives nothing"},
		{"no run, and none may arrive", []change{group(1, "g 0-9", "x i"), func(t *trace) { t.complete = true }}, nil, nil, "no run is invented"},
		{"a run that waits", []change{run(1, "a<g 2-4", "x", waits), group(1, "g 0-9", "x i")}, nil, []string{"0-9 x i"}, "it gets the share when it closes"},
		{"a run that has closed", []change{run(1, "a<g 2-4", "x", closed), group(1, "g 0-9", "x i")}, nil, nil, "its calls were judged"},
		{"one agent closed, one not there", []change{run(1, "a<g 2-4", "x", closed), group(1, "g 0-9", "x i", "y j")}, nil, []string{"0-9 y j"}, "only the share of y can still be taken"},
		{"two runs", []change{run(1, "a<g 2-4", "x", ready), run(1, "b<g 5-6", "x", ready), group(1, "g 0-9", "x i")}, []string{"a: 0-9 ?", "b: 0-9 ?"}, nil, "nothing says which"},
		{"two runs with requests of models", []change{run(1, "a<g 2-4", "x", ready), asked(1), run(1, "b<g 5-6", "x", ready), group(1, "g 0-9", "x i")},
			[]string{"a: 2-4", "b: 0-9 ?"}, nil, "where models' own spans have requests, the group's repeat them"},
		{"two runs with a request of another process's model", []change{run(1, "a<g 2-4", "x", ready), asked(2), run(1, "b<g 5-6", "x", ready), group(1, "g 0-9", "x i")},
			[]string{"a: 2-4", "a: 0-9 ?", "b: 0-9 ?"}, nil, "another process does not know what the run lacks"},
		{"two runs of which one waits", []change{run(1, "a<g 2-4", "x", ready), run(1, "b<g 5-6", "x", waits), group(1, "g 0-9", "x i")}, []string{"a: 0-9 ?"}, []string{"0-9 x i"},
			"it stays as long as one of them does, and the answer is the same later"},
		{"two tasks", []change{run(1, "a<g 2-4", "x", ready), group(1, "g 0-9", "x i", "x j")}, []string{"a: 0-9 ?"}, nil, "the run is one of them"},
		{"two tasks of which one requested nothing", []change{run(1, "a<g 2-4", "x", ready), group(1, "g 0-9", "x i", "x")}, []string{"a: 0-9 ?"}, nil, "the run may be that one"},
		{"a run that waits, and two tasks of which one requested nothing", []change{run(1, "a<g 2-4", "x", waits), group(1, "g 0-9", "x", "y", "x i")}, nil,
			[]string{"0-9 x x i"}, "the answer is the same when the run closes"},
		{"two spellings of a name", []change{run(1, "a<g 2-4", "Travel Desk", ready), group(1, "g 0-9", "travel_desk i", "TravelDesk j")}, []string{"a: 0-9 ?"}, nil, "they are one agent's tasks"},
		{"a run without a name", []change{run(1, "a<g 2-4", "", ready), group(1, "g 0-9", "x i")}, nil, []string{"0-9 x i"}, "nothing says that it is the agent's"},
		{"a group inside of a group", []change{
			run(1, "a<h 2-4", "x", ready), group(1, "h<g 1-5", "x j"), group(1, "g 0-9", "x i"),
		}, []string{"a: 2-4 x j"}, []string{"0-9 x i"}, "the nearest group knows its agents; the outer one may have a run of its own"},
		{"a run inside of a run", []change{run(1, "a<g 2-8", "y", ready), run(1, "b<a 3-4", "x", ready), group(1, "g 0-9", "x i")}, []string{"b: 0-9 ?"}, nil, "a delegation is no task"},
		{"a run beside the group", []change{run(1, "a<r 2-4", "x", ready), link(1, "r 0-9"), group(1, "g<r 0-9", "x i")}, nil, []string{"0-9 x i"}, "time is no proof"},
		{"a run whose parents are lost", []change{run(1, "a<g 2-4", "x", ready), run(1, "b<l 5-6", "x", ready), group(1, "g 0-9", "x i")}, []string{"a: 0-9 ?"}, nil, "it may be in the group"},
		{"a cycle of parents", []change{run(1, "a<t 2-4", "x", ready), link(1, "t<u 1-5"), link(1, "u<t 1-5"), group(1, "g 0-9", "x i")}, nil, []string{"0-9 x i"},
			"a cycle is in no group"},
		{"a run that is its own parent", []change{run(1, "a<a 2-4", "x", ready), group(1, "g 0-9", "x i")}, nil, []string{"0-9 x i"}, "a cycle is in no group"},
		{"a group that is its own parent", []change{run(1, "a<g 2-4", "x", ready), group(1, "g<g 0-9", "x i")}, []string{"a: 2-4 x i"}, nil, "the way from the run ends at the group"},
		{"two parents of a span between", []change{run(1, "a<t 2-4", "x", ready), link(1, "t<g 1-5"), link(1, "t<u 1-5"), group(1, "g 0-9", "x i")}, nil, nil,
			"nothing says which parent is true"},
		{"another process's group", []change{run(1, "a<g 2-4", "x", ready), group(2, "g 0-9", "x i")}, nil, []string{"0-9 x i"}, "a process says nothing about another's runs"},
		{"both processes' groups", []change{run(1, "a<g 2-4", "x", ready), group(2, "g 0-9", "x i"), group(1, "g 0-9", "x j")}, []string{"a: 2-4 x j"}, []string{"0-9 x i"},
			"each says what its own process did"},
		{"another process's run of the name", []change{run(1, "a<g 2-4", "x", ready), run(2, "b<g 5-6", "x", ready), group(1, "g 0-9", "x i")}, []string{"a: 2-4 x i"}, nil,
			"another process takes nothing away"},
		{"another process's link", []change{run(1, "a<t 2-4", "x", ready), link(2, "t<g 1-5"), group(1, "g 0-9", "x i")}, nil, nil, "the run's own process has not said what it is in"},
		{"copies that contradict each other", []change{run(1, "a<g 2-4", "x", ready), group(1, "g 0-9", "x i j"), group(1, "g 0-9", "x j i")},
			[]string{"a: 2-4 x i j", "a: 2-4 x j i"}, nil, "either may be true, and the run is contested elsewhere"},
		{"other responses that stay", []change{func(t *trace) { t.others = []agentrun.ModelResponse{{Span: runtest.At("m 1-2")}} }, group(1, "g 0-9", "x i")}, nil,
			[]string{"1-2", "0-9 x i"}, "they stay in front"},
		{"a whole trace", []change{func(t *trace) { t.set.WholeTrace = true }, run(1, "a 0-9", "y", ready), group(1, "g<a 1-8", "x i", "x j")}, []string{"a: 1-8 x i x j"}, nil,
			"all calls are the root's, whoever made them"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var made trace
			for _, change := range tc.changes {
				change(&made)
			}
			given, stays, requests, _ := made.give()
			if !slices.Equal(given, tc.given) || !slices.Equal(stays, tc.stays) {
				t.Errorf("gave %q and kept %q, want %q and %q: %s", given, stays, tc.given, tc.stays, tc.reason)
			}
			if want := len(letters(stays)); requests != want {
				t.Errorf("%d requests stay, want %d", requests, want)
			}
		})
	}
}

// letters are the requests of shares that [say] wrote: words of one or two letters from i on.
func letters(shares []string) (all []byte) {
	for _, share := range shares {
		for word := range strings.FieldsSeq(share) {
			if strings.Trim(word, "ijk") == "" {
				all = append(all, word...)
			}
		}
	}
	return all
}

// The nearest group takes a run, however far away it is, and each span is walked over once.
func TestWalksToGroupsGrowLinearly(t *testing.T) {
	for name, make := range map[string]func(t *trace, n int){
		"a long way that all runs share": func(t *trace, n int) {
			for i := range n {
				s := agentrun.Span{ID: runtest.SpanOf('t', i+1), Parent: runtest.SpanOf('t', i), Process: 1}
				t.links = append(t.links, s)
				t.candidates = append(t.candidates, ownership.Candidate{Span: agentrun.Span{ID: runtest.SpanOf('a', i), Parent: s.ID, Process: 1}, Kind: agentrun.Agent, AgentHash: uint32(i + 1)})
			}
			t.groups = []agentrun.ModelResponse{{Span: agentrun.Span{ID: runtest.SpanOf('t', 0), Process: 1}, Shares: &[]agentrun.Share{{Agent: "x"}}}}
		},
		"a share for each message": func(t *trace, n int) {
			run(1, "a<g 2-4", "x", ownership.Ready)(t)
			group(1, "g 0-9", "x "+strings.Repeat("i ", n))(t)
		},
		"tasks of one agent": func(t *trace, n int) {
			run(1, "a<g 2-4", "x", ownership.Ready)(t)
			group(1, "g 0-9", slices.Repeat([]string{"x i"}, n)...)(t)
		},
		"processes": func(t *trace, n int) {
			for i := range n {
				run(agentrun.Process(i+1), "a<g 2-4", "x", ownership.Ready)(t)
				group(agentrun.Process(i+1), "g 0-9", "x i")(t)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			runtest.CheckGrowth(t, 1<<8, "a share and a span are looked at a few times", func(_ testing.TB, n int) compare.Work {
				var made trace
				make(&made, n)
				_, _, _, w := made.give()
				return w
			})
		})
	}
}
