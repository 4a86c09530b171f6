package correlate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// closed makes a run of trace n: its anchor, and calls "name id"; the calls are a second each, from the anchor's start.
func closed(n byte, kind agentrun.AnchorKind, spec string, calls ...string) agentrun.Run {
	s := runtest.At(spec)
	s.Trace = pcommon.TraceID{n}
	r := agentrun.Run{Trace: s.Trace, Complete: true, Anchors: []agentrun.Anchor{{Span: s, Kind: kind, Held: ptrace.NewSpan(), Size: 10}}}
	for i, c := range calls {
		name, id, _ := strings.Cut(c, " ")
		start := s.Start + pcommon.Timestamp(i)*1e9
		r.Calls = append(r.Calls, agentrun.Call{
			Call: scoring.Call{Name: name}, CallID: id,
			Span: agentrun.Span{Trace: s.Trace, ID: pcommon.SpanID{n, byte(i)}, Start: start, End: start + 1e9},
		})
		r.Size += 100
	}
	return r
}

// modelStep returns a run whose anchor is a model call with results.
func modelStep(n byte, spec, answered string, calls ...string) agentrun.Run {
	r := closed(n, agentrun.Root, spec, calls...)
	r.Step, r.AnsweredIDs = true, strings.Fields(answered)
	return r
}

// others gives the calls of r other spans.
func others(r agentrun.Run) agentrun.Run {
	for i := range r.Calls {
		r.Calls[i].ID[7] = 1
	}
	return r
}

func sharingCalls(r agentrun.Run) agentrun.Run {
	r.SharesCalls = true
	return r
}

// by is r as the instrumentation of that scope writes it.
func by(scope agentrun.Scope, r agentrun.Run) agentrun.Run {
	for i := range r.Anchors {
		r.Anchors[i].Scope = scope
	}
	for i := range r.Calls {
		r.Calls[i].Scope = scope
	}
	return r
}

// sentBy is r as that process sends it. Each process has an instrumentation of its own.
func sentBy(p agentrun.Process, r agentrun.Run) agentrun.Run {
	for i := range r.Anchors {
		r.Anchors[i].Process = p
	}
	for i := range r.Calls {
		r.Calls[i].Process = p
	}
	return by(agentrun.Scope(p), r)
}

// cut returns r as if calls of its trace had been left out.
func cut(r agentrun.Run) agentrun.Run {
	r.ClosedBy, r.Complete = agentrun.ByLimit, false
	return r
}

// withoutAnchor returns r as if its anchor had not arrived.
func withoutAnchor(r agentrun.Run) agentrun.Run {
	r.Anchors = nil
	return r
}

// asked returns r as if models' responses alone recorded its calls.
func asked(r agentrun.Run) agentrun.Run {
	for i := range r.Calls {
		r.Calls[i].Source, r.Calls[i].End = agentrun.SourceModel, r.Calls[i].Start
	}
	return r
}

// given gives the calls of r these arguments.
func given(arguments string, r agentrun.Run) agentrun.Run {
	for i := range r.Calls {
		r.Calls[i].Arguments = scoring.JSON(arguments)
	}
	return r
}

// bare is r as an instrumentation writes it that leaves out the names of arguments.
func bare(r agentrun.Run) agentrun.Run {
	for i := range r.Calls {
		r.Calls[i].Traits.UnnamedArgument = true
	}
	return r
}

func of(conversation string, r agentrun.Run) agentrun.Run {
	r.Conversation = conversation
	return r
}

func TestRunsAreCorrelated(t *testing.T) {
	const i1, i2, i3 = "call_abcdefgh", "call_ijklmnop", "call_qrstuvwx"
	for _, tc := range []struct {
		name   string
		runs   []agentrun.Run
		want   []string
		reason string
	}{
		{"duplicate runs", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1, "y "+i2)), sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1, "y "+i2)),
		}, []string{"a: x, y (anchor)", "b passthrough"}, "the one that began first stays"},
		{"duplicate runs in one trace", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), sharingCalls(others(closed(1, agentrun.Agent, "b 2-8", "x "+i1))),
		}, []string{"a: x (anchor)", "b passthrough"}, "two instrumentations side by side"},
		{"a call that counts for two runs", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), sharingCalls(closed(1, agentrun.Agent, "b 1-8", "x "+i1)),
		}, []string{"a: x (anchor)", "b: x (anchor)"}, "it is one span, and b is an agent inside of a"},
		{"an id that is used again later", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-3", "x "+i1)), sharingCalls(closed(2, agentrun.Agent, "b 5-8", "x "+i1)),
		}, []string{"a: x (anchor)", "b: x (anchor)"}, "the calls were not made at the same time"},
		{"an id of another tool", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), sharingCalls(closed(2, agentrun.Agent, "b 1-8", "y "+i1)),
		}, []string{"a: x (anchor)", "b: y (anchor)"}, "one call has one name"},
		{"an id of another tool in duplicate runs", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1, "y "+i2)), sharingCalls(closed(2, agentrun.Agent, "b 1-8", "x "+i1, "z "+i2)),
		}, []string{"a: x, y, z (anchor)", "b passthrough"}, "y does not hide z"},
		{"an id of another tool in a step", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), modelStep(2, "b 2-3", "", "z "+i1),
		}, []string{"a: x (anchor)", "b: z (anchor)"}, "x does not hide z"},
		{"an id of another tool in steps", []agentrun.Run{
			modelStep(1, "a 1-2", "", "x "+i1), modelStep(2, "b 3-4", i1, "z "+i1),
		}, []string{"b: x, z (anchor)", "a passthrough"}, "x does not hide z"},
		{"ids that count up", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x call_0")), sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x call_0")),
		}, []string{"a: x (anchor)", "b: x (anchor)"}, "such ids mean nothing"},
		{"steps", []agentrun.Run{
			modelStep(1, "a 1-2", "", "x "+i1), modelStep(2, "b 3-4", i1, "y "+i2), modelStep(3, "c 5-6", i2),
		}, []string{"c: x, y (anchor)", "a passthrough", "b passthrough"}, "the last one has the run's answer"},
		{"a step that answers two", []agentrun.Run{
			modelStep(1, "a 1-2", "", "x "+i1), modelStep(2, "b 1-3", "", "y "+i2), modelStep(3, "c 5-6", i1+" "+i2),
		}, []string{"c: x, y (anchor)", "a passthrough", "b passthrough"}, "two models were asked side by side"},
		{"a duplicate run with more calls", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1, "y "+i2)),
		}, []string{"a: x, y (anchor)", "b passthrough"}, "the first one's instrumentation lost a span"},
		{"two runs of one instrumentation", []agentrun.Run{
			by(7, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), by(7, sharingCalls(closed(2, agentrun.Agent, "b 1-9", "x "+i1))),
		}, []string{"a: x (anchor)", "b: x (anchor)"}, "the ids come from a cache: only another instrumentation records a run twice"},
		{"two runs of each of two instrumentations", []agentrun.Run{
			by(7, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), by(7, sharingCalls(closed(2, agentrun.Agent, "b 1-9", "x "+i1))),
			by(8, sharingCalls(closed(3, agentrun.Agent, "c 1-9", "x "+i1))), by(8, sharingCalls(closed(4, agentrun.Agent, "d 1-9", "x "+i1))),
		}, []string{"a: x (anchor)", "b: x (anchor)", "c passthrough", "d passthrough"}, "each run is recorded twice, and none twice by one instrumentation"},
		{"a duplicate has more of the second run", []agentrun.Run{
			by(7, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), by(7, sharingCalls(closed(2, agentrun.Agent, "b 1-9", "x "+i1))),
			by(8, sharingCalls(closed(3, agentrun.Agent, "c 1-9", "x "+i1))), by(8, sharingCalls(closed(4, agentrun.Agent, "d 1-9", "x "+i1, "y "+i2))),
		}, []string{"a: x (anchor)", "b: x, y (anchor)", "c passthrough", "d passthrough"}, "it goes to the run that it is the same as"},
		{"two processes", []agentrun.Run{
			sentBy(1, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), sentBy(2, sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1))),
		}, []string{"a: x (anchor)", "b: x (anchor)"}, "who knows the id of a call has no part in the run"},
		{"steps of another process", []agentrun.Run{
			sentBy(1, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), sentBy(2, modelStep(2, "b 1-2", "", "x "+i1)),
		}, []string{"a: x (anchor)", "b: x (anchor)"}, "a run that another process knows of keeps its calls"},
		{"steps of two processes", []agentrun.Run{
			sentBy(1, modelStep(1, "a 1-2", "", "x "+i1)), sentBy(2, modelStep(2, "b 3-4", i1, "y "+i2)),
		}, []string{"a: x (anchor)", "b: y (anchor)"}, "a step was asked for in the process that takes it"},
		{"steps of the instrumentation that wrote the agent's run", []agentrun.Run{
			by(7, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), by(7, modelStep(2, "b 1-2", "", "x "+i1)),
		}, []string{"a: x (anchor)", "b: x (anchor)"}, "they are two runs with one id"},
		{"a duplicate run that was cut", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), cut(sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1))),
		}, []string{"a: x (limit!)", "b passthrough"}, "it may have recorded calls that the other does not"},
		{"a part that was cut before its span arrived", []agentrun.Run{
			by(7, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), by(8, cut(withoutAnchor(sharingCalls(closed(2, agentrun.Agent, "b 1-9", "x "+i1, "y "+i2))))),
		}, []string{"a: x (anchor!)", "-: y (limit!)"}, "y may be a call of a"},
		{"two conversations of models", []agentrun.Run{
			modelStep(1, "a 1-2", "", "x "+i1), modelStep(2, "b 3-4", i1), modelStep(3, "c 3-5", "", "x "+i2), modelStep(4, "d 6-7", i2),
		}, []string{"b: x (anchor)", "a passthrough", "d: x (anchor)", "c passthrough"}, "nothing leads from one to the other"},
		{"steps that an agent's run records", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), modelStep(2, "b 1-2", "", "x "+i1), modelStep(3, "c 4-5", i1),
		}, []string{"a: x (anchor)", "b passthrough", "c passthrough"}, "the agent's span represents the run"},
		{"a run whose calls an agent's run has", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), sharingCalls(closed(2, agentrun.Root, "b 1-8", "x "+i1)),
		}, []string{"a: x (anchor)", "b passthrough"}, "a stand-in anchor without calls of its own represents nothing"},
		{"a step that asked for nothing", []agentrun.Run{modelStep(3, "c 5-6", i2)}, []string{"c passthrough"}, "the calls are judged elsewhere"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			checkCorrelation(t, agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute}, tc.runs, tc.want, tc.reason)
		})
	}
}

func TestConversations(t *testing.T) {
	const i1, i2 = "call_abcdefgh", "call_ijklmnop"
	for _, tc := range []struct {
		name   string
		runs   []agentrun.Run
		want   []string
		reason string
	}{
		{"turns", []agentrun.Run{of("c", closed(1, agentrun.Agent, "a 1-3", "x")), of("c", closed(2, agentrun.Agent, "b 5-8", "y"))},
			[]string{"b: x, y (idle)", "a passthrough"}, "the last anchor represents the conversation"},
		{"two of them", []agentrun.Run{of("c", closed(1, agentrun.Agent, "a 1-3", "x")), of("d", closed(2, agentrun.Agent, "b 5-8", "y"))},
			[]string{"a: x (idle)", "b: y (idle)"}, "they have nothing in common"},
		{"turns and duplicate runs", []agentrun.Run{
			of("c", sharingCalls(closed(1, agentrun.Agent, "a 1-3", "x "+i1))), of("c", sharingCalls(closed(2, agentrun.Agent, "b 1-2", "x "+i1))),
			of("c", closed(3, agentrun.Agent, "e 5-6", "y "+i2)),
		}, []string{"e: x, y (idle)", "a passthrough", "b passthrough"}, "a call counts once"},
		{"turns with one call id", []agentrun.Run{
			of("c", by(7, closed(1, agentrun.Agent, "a 1-3", "x "+i1))), of("c", by(7, closed(2, agentrun.Agent, "b 5-8", "x "+i1))),
		}, []string{"b: x, x (idle)", "a passthrough"}, "one instrumentation recorded two calls"},
		{"turns of two processes with one call id", []agentrun.Run{
			of("c", sentBy(1, closed(1, agentrun.Agent, "a 1-3", "x "+i1))), of("c", sentBy(2, closed(2, agentrun.Agent, "b 2-8", "x "+i1))),
		}, []string{"b: x, x (idle)", "a passthrough"}, "neither knows of the other's calls"},
		{"a last turn of a model without calls", []agentrun.Run{
			of("c", closed(1, agentrun.Agent, "a 1-3", "x")), of("c", modelStep(2, "b 5-6", "")),
		}, []string{"a: x (idle)", "b passthrough"}, "such a turn has no verdict, and takes none away"},
		{"a last turn of a model whose calls an agent has", []agentrun.Run{
			of("c", sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), of("c", modelStep(2, "b 2-10", "", "x "+i1)),
		}, []string{"a: x (idle)", "b passthrough"}, "the call counts for the agent"},
		{"a duplicate run that alone names the conversation", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-3", "x "+i1)), of("c", sharingCalls(closed(2, agentrun.Agent, "b 1-2", "x "+i1))),
			of("c", closed(3, agentrun.Agent, "e 5-6", "y "+i2)),
		}, []string{"e: x, y (idle)", "a passthrough", "b passthrough"}, "both record one run, and so its conversation"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			checkCorrelation(t, agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute, Conversations: true}, tc.runs, tc.want, tc.reason)
		})
	}
}

// checkCorrelation adds the runs in several orders. The result must not depend on the order, and nothing may be left.
func checkCorrelation(t *testing.T, set agentrun.Settings, runs []agentrun.Run, want []string, reason string) {
	t.Helper()
	slices.Sort(want)
	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		s := New(Settings{Settings: set})
		now := time.Unix(1000, 0)
		for _, i := range random.Perm(len(runs)) {
			r := runs[i]
			r.Calls, r.AnsweredIDs = slices.Clone(r.Calls), slices.Clone(r.AnsweredIDs)
			if others := s.Take(now, []agentrun.Run{r}); len(others) > 0 {
				t.Fatalf("run %d was not taken", i)
			}
		}
		if h := s.CloseDue(now); len(h.Runs)+len(h.Passthrough) > 0 {
			t.Errorf("at once: %v", runtest.Say(h))
		}
		h := s.CloseDue(now.Add(time.Minute))
		if got := runtest.Say(h); !slices.Equal(got, want) {
			t.Fatalf("correlated\n\t%s\nwant\n\t%s\n%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"), reason)
		}
		// Size counts runs and no keys. Only the maps show a key that is left over, which would lead later runs to a closed bundle.
		if s.Size() != 0 || len(s.bundles) != 0 || len(s.due) != 0 {
			t.Errorf("left over: %d bytes, %d keys, %d bundles", s.Size(), len(s.bundles), len(s.due))
		}
	}
}

// Duplicate runs wait for each other as long as calls do, and steps until the idle timeout.
func TestHowLongRunsWait(t *testing.T) {
	set := agentrun.Settings{Wait: 5 * time.Second, IdleTimeout: time.Minute}
	now := time.Unix(1000, 0)
	for _, tc := range []struct {
		run    agentrun.Run
		wait   time.Duration
		reason string
	}{
		{sharingCalls(closed(1, agentrun.Agent, "a 1-2", "x")), 5 * time.Second, "a duplicate run ends at the same time"},
		{modelStep(1, "a 1-2", "", "x"), time.Minute, "the next step comes when the tool is done"},
	} {
		s := New(Settings{Settings: set})
		s.Take(now, []agentrun.Run{tc.run})
		if h := s.CloseDue(now.Add(tc.wait - 1)); len(h.Runs) != 0 {
			t.Errorf("released before %s: %s", tc.wait, tc.reason)
		}
		if h := s.CloseDue(now.Add(tc.wait)); len(h.Runs) != 1 {
			t.Errorf("not released after %s: %s", tc.wait, tc.reason)
		}
	}
}

func TestUniqueCallIDs(t *testing.T) {
	for id, want := range map[string]bool{
		"call_7201bee762b68a1767dba": true, "toolu_2a36faf9afcf32415364baec": true, "adk-0b1c5c1e-7f0e-4a57-8d2b-0123456789ab": true,
		"D681PevKs": true, "chatcmpl-tool-8f2e7d4c": true, "1234567890": true, "call_20251121": true,
		"": false, "0": false, "call_0": false, "call_1234": false, "functions.get_weather:0": false, "tool-call-12": false,
	} {
		if got := agentrun.IsUniqueCallID(id); got != want {
			t.Errorf("IsUniqueCallID(%q) = %v, want %v", id, got, want)
		}
	}
}

// Correlation loses and doubles no held span, and no call counts for two runs.
func FuzzCorrelation(f *testing.F) {
	f.Add(uint64(1), true)
	f.Add(uint64(2), false)
	f.Fuzz(func(t *testing.T, seed uint64, conversations bool) {
		random := rand.New(rand.NewPCG(seed, 3))
		var runs []agentrun.Run
		spans := 0
		for i := range 1 + random.IntN(8) {
			start := random.IntN(6)
			spec := fmt.Sprintf("%c %d-%d", 'a'+i, start, start+1+random.IntN(4))
			r := closed(byte(1+random.IntN(5)), agentrun.AnchorKind(random.IntN(3)), spec)
			for range random.IntN(4) {
				r.Calls = append(r.Calls, closed(r.Trace[0], agentrun.Agent, spec, "x call_abcdefg"+string(rune('a'+random.IntN(4)))).Calls...)
			}
			r.SharesCalls, r.Step = true, random.IntN(3) == 0 && r.Anchors[0].Kind == agentrun.Root
			if random.IntN(2) == 0 {
				r.Conversation = string(rune('c' + random.IntN(2)))
			}
			for c := range random.IntN(3) {
				aside := runtest.At(fmt.Sprintf("%c%d<%c 0-1", 'a'+i, c, 'a'+i))
				r.Companions = append(r.Companions, agentrun.Anchor{Span: aside, Kind: agentrun.Tool, Size: 10})
			}
			spans += 1 + len(r.Companions)
			runs = append(runs, r)
		}
		play := func() []string {
			s := New(Settings{Settings: agentrun.Settings{IdleTimeout: time.Minute, Conversations: conversations}})
			for _, i := range random.Perm(len(runs)) {
				r := runs[i]
				r.Calls, r.Companions = slices.Clone(r.Calls), slices.Clone(r.Companions)
				s.add(time.Unix(1, 0), r)
			}
			h := s.CloseAll()
			if n := runtest.Held(h); n != spans || s.Size() != 0 {
				t.Fatalf("%d spans came out of %d, and %d bytes are left", n, spans, s.Size())
			}
			return runtest.Say(h)
		}
		if a, b := play(), play(); !slices.Equal(a, b) {
			t.Fatalf("one order gave %q, another %q", a, b)
		}
	})
}

// If a limit evicts a part of a run, no part is complete, and neither is what would have waited with it.
func TestNoPartOfAnEvictedRunIsComplete(t *testing.T) {
	const i1, i2, i3 = "call_abcdefgh", "call_ijklmnop", "call_qrstuvwx"
	for _, tc := range []struct {
		name           string
		evicted, later agentrun.Run
		after          time.Duration
		complete       bool
		reason         string
	}{
		{"the next step", modelStep(1, "a 1-2", "", "x "+i1), modelStep(2, "b 3-4", i1, "y "+i2), 0, false, "it was shown the result of x"},
		{"another run's step", modelStep(1, "a 1-2", "", "x "+i1), modelStep(2, "b 3-4", i3, "y "+i2), 0, true, "the evicted step leads elsewhere"},
		{"a step of another process", sentBy(1, modelStep(1, "a 1-2", "", "x "+i1)), sentBy(2, modelStep(2, "b 3-4", i1, "y "+i2)), 0, true, "who knows an ID has no part in the run"},
		{"a duplicate run", sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1)), 0, false, "it may lack calls"},
		{"the next turn", of("c", closed(1, agentrun.Agent, "a 1-3", "x")), of("c", closed(2, agentrun.Agent, "b 5-8", "y")), time.Minute, false, "the first one would have waited for it"},
		{"the next turn later", of("c", closed(1, agentrun.Agent, "a 1-3", "x")), of("c", closed(2, agentrun.Agent, "b 5-8", "y")), time.Minute + time.Second, true, "it is a conversation of its own"},
		{"another conversation", of("c", closed(1, agentrun.Agent, "a 1-3", "x")), of("d", closed(2, agentrun.Agent, "b 5-8", "y")), 0, true, "they have nothing in common"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := New(Settings{Settings: agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute, Conversations: true}})
			now := time.Unix(1000, 0)
			require.Empty(t, s.Take(now, []agentrun.Run{tc.evicted}))
			first := s.EvictOldest()
			require.Len(t, first.Runs, 1)
			require.False(t, first.Runs[0].Complete, "it may lack what it waited for")
			require.Equal(t, agentrun.ByLimit, first.Runs[0].ClosedBy)
			require.Empty(t, s.Take(now.Add(tc.after), []agentrun.Run{tc.later}))
			later := s.CloseAll()
			require.Len(t, later.Runs, 1)
			require.Equal(t, tc.complete, later.Runs[0].Complete, tc.reason)
		})
	}
}

// A run that lacks an evicted part leads to others that lack it, however much later they come.
func TestARunThatLacksAPartLeadsToOthers(t *testing.T) {
	const i1, i2 = "call_abcdefgh", "call_ijklmnop"
	s := New(Settings{Settings: agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute}})
	now := time.Unix(1000, 0)
	require.Empty(t, s.Take(now, []agentrun.Run{modelStep(1, "a 1-2", "", "x "+i1)}))
	require.Len(t, s.EvictOldest().Runs, 1)
	require.Empty(t, s.Take(now.Add(time.Minute), []agentrun.Run{modelStep(2, "b 3-4", i1, "y "+i2)}))
	require.False(t, s.CloseAll().Runs[0].Complete, "it was shown the result of x")
	require.Empty(t, s.Take(now.Add(2*time.Minute), []agentrun.Run{modelStep(3, "c 5-6", i2, "z")}))
	require.False(t, s.CloseAll().Runs[0].Complete, "x, y and z are calls of one run")
}
