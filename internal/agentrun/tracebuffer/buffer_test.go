package tracebuffer

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Every case plays its steps in order and backwards, waits, and compares the closed runs. Both must be the same, because the
// order of arrival must not matter.
func TestRuns(t *testing.T) {
	for _, tc := range []struct {
		name   string
		steps  []func(*fixture)
		want   []string
		reason string
	}{
		{"calls go to their parent", []func(*fixture){
			call("x", "c<a 2-3"), call("y", "d<a 4-5"), agent("a 1-9"),
		}, []string{"a: x, y (anchor)"}, "the direct parent is the nearest agent"},
		{"calls are ordered by time", []func(*fixture){
			call("y", "d<a 4-5"), call("x", "c<a 2-3"), agent("a 1-9"),
		}, []string{"a: x, y (anchor)"}, "start time, never arrival"},
		{"equal starts go by end, then id", []func(*fixture){
			call("z", "e<a 2-4"), call("y", "d<a 2-3"), call("x", "c<a 2-3"), agent("a 1-9"),
		}, []string{"a: x, y, z (anchor)"}, "the order is total"},
		{"equal starts go by the model's answer", []func(*fixture){
			agent("a 1-9"), callID("x", "i1", "f<a 2-5"), callID("y", "i2", "e<a 2-4"), callID("z", "i3", "d<a 2-3"),
			asked("m<a 1-2", "i1", "i2", "i3"),
		}, []string{"a: x, y, z (anchor)"}, "a model's calls are started in its order, within one tick of the clock"},
		{"ordinary spans lie between", []func(*fixture){
			agent("a 1-9"), plain("s<a 1-8"), plain("r<s 1-7"), call("x", "c<r 2-3"),
		}, []string{"a: x (anchor)"}, "the chain is followed to the agent"},
		{"a sub-agent keeps its calls", []func(*fixture){
			agent("a 1-9"), call("research", "t<a 2-6"), agent("b<t 2-6"), call("x", "c<b 3-4"),
		}, []string{"a: research (anchor)", "b: x (anchor)"}, "nested: separate"},
		{"a run without calls is a run", []func(*fixture){agent("a 1-9")}, []string{"a:  (anchor)"},
			"an agent that calls nothing may be what is wrong"},
		{"a broken chain falls to the innermost agent by time", []func(*fixture){
			agent("a 1-9"), agent("b<a 2-6"), call("x", "c<lost 3-4"),
		}, []string{"a:  (anchor)", "b: x (anchor)"}, "b contains the call and is narrower"},
		{"a call outside of all falls to the outermost", []func(*fixture){
			agent("a 1-9"), agent("b<a 2-6"), call("x", "c<lost 0-4"),
		}, []string{"a: x (anchor)", "b:  (anchor)"}, "none contains it, and a began first"},
		{"a workflow stands in", []func(*fixture){
			workflow("w 0-9"), workflow("v<w 1-8"), call("x", "c<v 2-3"),
		}, []string{"w: x (anchor)", "v passthrough"}, "the outermost one, as there is no agent"},
		{"two workflows side by side are two runs", []func(*fixture){
			workflow("w<r 0-4"), call("x", "c<w 2-3"), workflow("v<r 5-9"), call("y", "d<v 6-7"),
		}, []string{"w: x (anchor)", "v: y (anchor)"}, "neither is above the other"},
		{"a workflow without calls is no run", []func(*fixture){workflow("w 0-9")}, []string{"w passthrough"},
			"only a trace with calls has a stand-in"},
		{"a tool span below one of the same name is the same call", []func(*fixture){
			agent("a 1-9"), call("x", "c<a 2-6"), call("x", "d<c 3-5"), call("x", "e<d 4-5"),
		}, []string{"a: x (anchor)"}, "framework, client and server of one call"},
		{"a tool below a tool of another name is its own call", []func(*fixture){
			agent("a 1-9"), call("x", "c<a 2-6"), call("y", "d<c 3-5"), call("x", "e<d 4-5"),
		}, []string{"a: x, y, x (anchor)"}, "x was called by y, not by itself"},
		{"one call id is one call", []func(*fixture){
			agent("a 1-9"), callID("x", "call_7201bee7", "c<a 2-3"), callID("x", "call_7201bee7", "d<a 2-4"), callID("x", "call_8a3f6719", "e<a 2-5"),
		}, []string{"a: x, x (anchor)"}, "the model gives each call its id"},
		{"ids that count up side by side", []func(*fixture){
			agent("a 1-9"), callID("x", "call_0", "c<a 2-4"), callID("x", "call_0", "d<a 2-5"),
		}, []string{"a: x, x (anchor)"}, "two branches were answered at once, and each answer begins at 0"},
		{"ids that count up name other calls later", []func(*fixture){
			agent("a 1-9"), callID("x", "call_0", "c<a 2-3"), callID("y", "call_0", "d<a 4-5"), callID("x", "call_0", "e<a 6-7"),
		}, []string{"a: x, y, x (anchor)"}, "some model servers begin at 0 in every answer"},
		{"one call id under two names", []func(*fixture){
			agent("a 1-9"), callID("x", "call_7201bee762b6", "c<a 2-3"), callID("other name", "call_7201bee762b6", "d<a 4-5"),
		}, []string{"a: x, other name (anchor)"}, "who gives all calls one id would hide a forbidden one behind an expected one"},
		{"one call id under two spellings", []func(*fixture){
			agent("a 1-9"), callID("get_weather", "call_7201bee762b6", "c<a 2-3"), callID("getWeather", "call_7201bee762b6", "d<a 4-5"),
		}, []string{"a: get_weather (anchor)"}, "an instrumentation may lose case and separators of the tool's name"},
		{"one call id under names that are signs", []func(*fixture){
			agent("a 1-9"), callID("+", "call_7201bee762b6", "c<a 2-3"), callID("-", "call_7201bee762b6", "d<a 4-5"),
		}, []string{"a: +, - (anchor)"}, "without letters and digits there is nothing that could be the same"},
		{"one call id under many names", []func(*fixture){
			agent("a 1-9"), callsOfOneID(40, 3),
		}, []string{"a: t0, t1, t2 (anchor)"}, "many calls are hashed, and come to the same"},
		{"a tool that calls itself", []func(*fixture){
			agent("a 1-9"), callID("x", "i1", "c<a 2-8"), callID("x", "i2", "d<c 3-5"),
		}, []string{"a: x, x (anchor)"}, "the model gave them different ids"},
		{"calls without ids are distinguished", []func(*fixture){
			agent("a 1-9"), call("x", "c<a 2-3"), call("x", "d<a 2-3"),
		}, []string{"a: x, x (anchor)"}, "the same name twice is two calls"},
		{"a span that comes twice is one call", []func(*fixture){
			agent("a 1-9"), call("x", "c<a 2-3"), call("x", "c<a 2-3"),
		}, []string{"a: x (anchor)"}, "a retried export"},
		{"a span that is its own parent", []func(*fixture){agent("a 1-9"), call("x", "c<c 2-3")},
			[]string{"a: x (anchor)"}, "a cycle is a broken chain"},
		{"a cycle of parents", []func(*fixture){
			agent("a 1-9"), call("x", "c<d 2-3"), call("x", "d<c 2-4"), plain("e<f 1-2"), plain("f<e 1-2"), call("y", "g<e 3-4"),
		}, []string{"a: x, y (anchor)"}, "one of equal calls in a cycle stays"},
		{"an agent in a cycle with another", []func(*fixture){agent("a<b 1-9"), agent("b<a 2-8"), call("x", "c<b 3-4")},
			[]string{"a:  (anchor)", "b: x (anchor)"}, "the nearest agent is found before the cycle closes"},
		{"calls without a span id", []func(*fixture){agent("a 1-9"), call("x", "<a 2-3"), call("y", "<a 3-4")},
			[]string{"a: x, y (anchor)"}, "no id equals no id"},
		{"an agent without a span id", []func(*fixture){agent(" 1-9"), call("x", "c<d 2-3")},
			[]string{": x (anchor)"}, "time still decides"},
		{"a copy of the anchor", []func(*fixture){agent("a 1-9"), agent("a 1-9"), call("x", "c<a 2-3")},
			[]string{"a: x (anchor)"}, "both copies get the verdict"},
		{"an end before the start", []func(*fixture){agent("a 1-9"), call("x", "c<a 5-2")},
			[]string{"a: x (anchor)"}, "it still is a call of its parent"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, forwards := range []bool{true, false} {
				b := newFixture(t, nil)
				for i := range tc.steps {
					if !forwards {
						i = len(tc.steps) - 1 - i
					}
					tc.steps[i](b)
				}
				b.want(b.wait(5*time.Second), tc.want...)
				b.done()
			}
			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

// A call counts even if its output says that there is no such tool, because a tool may return any text. It does not count if
// the agent's span lists its tools without this one.
func TestAToolThatTheAgentMayNotHave(t *testing.T) {
	refused := func(name string) func(*fixture) {
		return func(b *fixture) {
			b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: name, Status: scoring.StatusFailed}, Span: at("c<a 2-3"), Traits: agentrun.Traits{UnknownTool: true}})
		}
	}
	for _, tc := range []struct {
		name   string
		tools  []string
		steps  []func(*fixture)
		want   []string
		reason string
	}{
		{"none of the agent's", []string{"x"}, []func(*fixture){agent("a 1-9"), refused("y")}, []string{"a:  (anchor)"},
			"the framework listed the tools, and nothing was executed"},
		{"one of the agent's", []string{"x", "y"}, []func(*fixture){agent("a 1-9"), refused("y")}, []string{"a: y (anchor)"},
			"it is there, whatever it answers"},
		{"an agent that lists none", nil, []func(*fixture){agent("a 1-9"), refused("y")}, []string{"a: y (anchor)"},
			"only the tool says so"},
		{"a stand-in", []string{"x"}, []func(*fixture){workflow("a 1-9"), refused("y")}, []string{"a: y (anchor)"},
			"a workflow's span has no tools of an agent"},
		{"a call without a doubt", []string{"x"}, []func(*fixture){agent("a 1-9"), call("y", "c<a 2-3")}, []string{"a: y (anchor)"},
			"an agent may get tools while it runs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, func(s *Settings) { s.Tools = func(ptrace.Span) []string { return tc.tools } })
			for _, step := range tc.steps {
				step(b)
			}
			b.want(b.wait(5*time.Second), tc.want...)
			b.done()
			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

func call(name, spec string) func(*fixture) { return func(b *fixture) { b.call(name, spec) } }
func callID(name, id, spec string) func(*fixture) {
	return func(b *fixture) { b.callWith(spec, id, scoring.Call{Name: name}) }
}

// callsOfOneID returns n consecutive calls of the run a with one id and the names t0, t1 and so on.
func callsOfOneID(n, names int) func(*fixture) {
	return func(b *fixture) {
		for i := range n {
			b.AddCall(b.now, agentrun.Call{
				Call: scoring.Call{Name: "t" + strconv.Itoa(i%names)}, CallID: "call_7201bee762b6",
				Span: agentrun.Span{Trace: pcommon.TraceID{1}, ID: id("s" + strconv.Itoa(i)), Parent: id("a"), Start: 2e9 + pcommon.Timestamp(i), End: 3e9},
			})
		}
	}
}

func asked(spec string, ids ...string) func(*fixture) {
	return func(b *fixture) { b.AddResponse(b.now, answerOf(at(spec), ids)) }
}
func tool(name, spec string) func(*fixture) { return func(b *fixture) { b.tool(name, spec) } }
func plain(spec string) func(*fixture)      { return func(b *fixture) { b.link(spec); b.early(spec) } }
func agent(spec string) func(*fixture)      { return func(b *fixture) { b.anchor(agentrun.Agent, spec) } }
func workflow(spec string) func(*fixture) {
	return func(b *fixture) { b.anchor(agentrun.Workflow, spec) }
}

// early is a link that arrived before its trace was known to be agentic.
func (b *fixture) early(spec string) { b.earlier[at(spec).ID] = at(spec).Parent }

func TestCallArrivesAfterItsAnchor(t *testing.T) {
	b := newFixture(t, nil)
	b.anchor(agentrun.Agent, "a 1-9")
	b.want(b.wait(4 * time.Second))
	b.call("x", "c<a 2-3")
	b.want(b.wait(time.Second), "a: x (anchor)")
	b.done()
}

func TestLateCallsAreCountedAndOpenNothing(t *testing.T) {
	b := newFixture(t, nil)
	b.anchor(agentrun.Agent, "a 1-9")
	b.want(b.wait(5*time.Second), "a:  (anchor)")
	if b.call("x", "c<a 2-3") {
		t.Error("a call of a closed run was taken")
	}
	b.call("x", "d<lost 2-3") // perhaps of a run that is still to come
	if b.anchor(agentrun.Agent, "a 1-9") {
		t.Error("the anchor of a closed run was held")
	}
	h := b.wait(time.Hour)
	if len(h.Late) != 1 {
		t.Errorf("%d late calls, want 1", len(h.Late))
	}
	b.want(h)
	b.done()
}

func TestCallsOfAParallelRunWaitForIt(t *testing.T) {
	b := newFixture(t, nil)
	b.anchor(agentrun.Agent, "a<r 1-5") // r, above both, has not come
	b.call("x", "c<a 2-3")
	b.call("y", "d<b 3-4") // b has not come either
	b.want(b.wait(5*time.Second), "a: x (anchor)")
	b.anchor(agentrun.Agent, "b<r 2-9")
	b.want(b.wait(5*time.Second), "b: y (anchor)")
	b.done()

	b = newFixture(t, nil)
	b.set.Replay, b.set.KeepArguments, b.set.KeepOutput = true, true, true
	b.anchor(agentrun.Agent, "a<r 1-5")
	b.call("y", "d<b 3-4")
	b.want(b.wait(5*time.Second), "a: y (anchor)") // nothing more will come, so time decides
	b.done()
}

func TestCallThatComesBeforeItsAgentInTheTimeOfAClosedOne(t *testing.T) {
	b := newFixture(t, nil)
	b.anchor(agentrun.Agent, "a<r 1-9")
	b.want(b.wait(5*time.Second), "a:  (anchor)")
	b.call("x", "c<b 3-4")
	b.anchor(agentrun.Agent, "b<r 2-8")
	b.want(b.wait(5*time.Second), "b: x (anchor)")
	b.done()
}

func TestAnAnchorThatArrivesAtTheTimeOfAClosingIsDueToo(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.Wait = 0 })
	b.anchor(agentrun.Agent, "a<r 1-4")
	b.call("x", "c<b 6-7") // keeps the trace open
	b.want(b.wait(0), "a:  (anchor)")
	b.anchor(agentrun.Agent, "b<r 5-9")
	b.want(b.wait(0), "b: x (anchor)")
	b.done()
}

func TestRepetitionsOfARefusedBatchAreDropped(t *testing.T) {
	b := newFixture(t, nil)
	for range 1000 {
		b.call("x", "c<s 2-3")
		b.link("s<a 1-9")
	}
	if b.Size() > traceBytes+40*agentrun.PendingCallBytes+parents.FirstLinks*parents.LinkBytes {
		t.Errorf("%d bytes are kept of one call", b.Size())
	}
	b.anchor(agentrun.Agent, "a 1-9")
	b.want(b.wait(5*time.Second), "a: x (anchor)")
	b.done()
}

func TestALimitMarksOnlyTheRunThatItCut(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxCalls = 1 })
	b.call("x", "c<a 2-3")
	b.call("y", "d<a 3-4")
	b.anchor(agentrun.Agent, "a<r 1-9")
	b.want(b.wait(5*time.Second), "a: x (limit!)")
	b.call("z", "e<b 12-13")
	b.anchor(agentrun.Agent, "b<r 11-19")
	b.want(b.wait(5*time.Second), "b: z (anchor)")
	b.done()
}

// Calls that were left out may belong to a later run, also if others have closed in between.
func TestARunWhoseCallsWereLeftOutSaysSo(t *testing.T) {
	limited := func(s *Settings) { s.MaxCalls = 1 }
	for _, tc := range []struct {
		name   string
		play   func(*fixture)
		want   []string
		reason string
	}{
		{"the run waits while another takes what was kept", func(b *fixture) {
			b.call("x", "c<a 2-3")
			b.call("y", "d<b 12-13")
			b.anchor(agentrun.Agent, "a<r 1-9")
			b.now = b.now.Add(time.Second)
			b.anchor(agentrun.Agent, "b<r 11-19")
			b.want(b.wait(4*time.Second), "a: x (limit!)")
		}, []string{"b:  (limit!)"}, "y was its call"},
		{"the run comes when all others have closed", func(b *fixture) {
			b.call("x", "c<a 2-3")
			b.call("y", "d<b 12-13")
			b.anchor(agentrun.Agent, "a<r 1-9")
			b.want(b.wait(5*time.Second), "a: x (limit!)")
			b.anchor(agentrun.Agent, "b<r 11-19")
		}, []string{"b:  (limit!)"}, "the trace knows of it until it is idle"},
		{"a request of a model was left out", func(b *fixture) {
			b.call("x", "c<a 2-3")
			b.AddResponse(b.now, answerOf(at("m<b 12-13"), []string{"call_1", "call_2"}))
			b.anchor(agentrun.Agent, "a<r 1-9")
			b.want(b.wait(5*time.Second), "a: x (limit!)")
			b.anchor(agentrun.Agent, "b<r 11-19")
		}, []string{"b:  (limit!)"}, "models request calls as well"},
		{"the run began when what was left out had ended", func(b *fixture) {
			b.call("x", "c<a 2-3")
			b.call("y", "d<a 3-4")
			b.anchor(agentrun.Agent, "a<r 1-9")
			b.want(b.wait(5*time.Second), "a: x (limit!)")
			b.call("z", "e<b 12-13")
			b.anchor(agentrun.Agent, "b<r 11-19")
		}, []string{"b: z (anchor)"}, "y cannot be its call"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, limited)
			tc.play(b)
			b.want(b.wait(5*time.Second), tc.want...)
			b.done()
			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

func TestTheOuterStatusStays(t *testing.T) {
	for _, tc := range []struct {
		outer, want scoring.CallStatus
		reason      string
	}{
		{scoring.StatusOK, scoring.StatusOK, "the outermost stays, whatever an attempt inside of it did"},
		{scoring.StatusUnset, scoring.StatusOK, "the status of the last attempt counts"},
	} {
		b := newFixture(t, nil)
		b.anchor(agentrun.Agent, "a 1-9")
		b.callWith("c<a 2-8", "", scoring.Call{Name: "x", Status: tc.outer})
		b.callWith("d<c 3-4", "", scoring.Call{Name: "x", Status: scoring.StatusFailed})
		b.callWith("e<c 5-6", "", scoring.Call{Name: "x", Status: scoring.StatusOK})
		if got := b.wait(5 * time.Second).Runs[0].Calls; len(got) != 1 || got[0].Status != tc.want {
			t.Errorf("got %+v, want one call that is %v: %s", got, tc.want, tc.reason)
		}
	}
}

func TestLateCallInATraceThatIsStillOpen(t *testing.T) {
	b := newFixture(t, nil)
	b.anchor(agentrun.Agent, "a<r 1-4")
	b.want(b.wait(5*time.Second), "a:  (anchor)")
	b.anchor(agentrun.Agent, "b<r 5-9")
	b.link("s<a 1-4") // without it the call would not be known to be late
	b.call("x", "c<s 2-3")
	h := b.wait(5 * time.Second)
	if len(h.Late) != 1 {
		t.Errorf("%d late calls, want 1", len(h.Late))
	}
	b.want(h, "b:  (anchor)")
	b.done()
}

func TestTheNextRunOfATraceSendsItsCallsFirst(t *testing.T) {
	b := newFixture(t, nil)
	b.anchor(agentrun.Agent, "a<r 1-4")
	b.call("x", "c<b 6-7") // b, its agent, has not come
	b.want(b.wait(5*time.Second), "a:  (anchor)")
	b.anchor(agentrun.Agent, "b<r 5-9")
	b.want(b.wait(5*time.Second), "b: x (anchor)")
	b.done()
}

func TestRunWithoutAnAnchor(t *testing.T) {
	b := newFixture(t, nil)
	b.call("x", "c<a 2-3")
	b.want(b.wait(59 * time.Second))
	b.link("s<a 1-4") // a sign of life
	b.want(b.wait(59 * time.Second))
	b.want(b.wait(time.Second), "-: x (idle!)")
	if b.anchor(agentrun.Agent, "a 1-9") {
		t.Error("an anchor was held whose run had closed without it")
	}
	late, closed := b.Closed(agentrun.Anchor{Span: at("a 1-9")})
	if !closed || late == nil || !late.AnchorLate || late.ClosedBy != agentrun.ByIdle || late.Complete {
		t.Errorf("the anchor came after its run had closed, and that says %+v", late)
	}
	b.want(b.wait(time.Hour))
	b.done()
}

func TestRootsStandIn(t *testing.T) {
	b := newFixture(t, nil)
	if b.anchor(agentrun.Root, "r 0-9") {
		t.Error("the root of a trace without calls was held")
	}
	b.call("x", "c<r 2-3")
	if !b.anchor(agentrun.Root, "r 0-9") {
		t.Error("the root of a trace with calls was not held")
	}
	b.want(b.wait(5*time.Second), "r: x (anchor)")
	b.done()

	b = newFixture(t, nil)
	b.call("x", "c<r 2-3")
	b.anchor(agentrun.Agent, "a<r 1-9")
	if b.anchor(agentrun.Root, "r 0-9") {
		t.Error("a root was held beside an agent")
	}
	b.want(b.wait(5*time.Second), "a: x (anchor)")
	b.done()
}

func TestAnAgentThatComesLaterFreesTheStandIn(t *testing.T) {
	b := newFixture(t, nil)
	b.call("x", "c<a 2-3")
	b.anchor(agentrun.Root, "r 0-9")
	b.anchor(agentrun.Workflow, "w<r 0-9")
	b.anchor(agentrun.Agent, "a<w 1-9")
	b.want(b.wait(5*time.Second), "a: x (anchor)", "r passthrough", "w passthrough")
	b.done()
}

func TestWholeTrace(t *testing.T) {
	whole := func(s *Settings) { s.WholeTrace = true }
	b := newFixture(t, whole)
	b.call("x", "c<a 2-3")
	b.AddAgentSpan(b.now, at("a<r 1-4"), agentrun.Agent)
	b.call("y", "d<lost 20-30")
	b.anchor(agentrun.Root, "q<gone 0-3")
	b.anchor(agentrun.Root, "r 1-9")
	b.want(b.wait(5*time.Second), "r: x, y (anchor)", "q passthrough")
	if b.call("z", "e<lost 40-50") {
		t.Error("a call of a closed trace was taken")
	}
	b.done()
}

func TestShutdownJudgesWhatIsThere(t *testing.T) {
	b := newFixture(t, nil)
	b.call("x", "c<a 2-3")
	b.anchor(agentrun.Agent, "a 1-9")
	b.call("y", "d<lost 20-30")
	b.want(b.drain(), "a: x (shutdown!)", "-: y (shutdown!)")
	b.done()
}

func TestLimits(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxCalls = 2 })
	for range 5 {
		b.call("x", "c<a 2-3") // one span, over and over
	}
	b.call("y", "d<a 3-4")
	b.anchor(agentrun.Agent, "a 1-9")
	b.want(b.wait(5*time.Second), "a: x, y (anchor)")
	for _, spec := range []string{"f<b 12-13", "g<b 13-14", "h<b 14-15"} {
		b.call("x", spec)
	}
	b.anchor(agentrun.Agent, "b 11-19")
	b.want(b.wait(5*time.Second), "b: x, x (limit!)")
	b.done()

	b = newFixture(t, nil)
	b.call("x", "c<a 2-3")
	b.anchor(agentrun.Agent, "a 1-9")
	b.want(b.oldest(), "a: x (limit!)")
	b.want(b.oldest())
	b.done()
}

func TestPayloads(t *testing.T) {
	full := scoring.Call{Name: "x", Arguments: scoring.JSON(`{"a":1}`), Output: scoring.Text("ok"), Status: scoring.StatusFailed}
	b := newFixture(t, nil)
	b.anchor(agentrun.Agent, "a 1-9")
	b.call("x", "c<a 2-6")
	b.callWith("d<c 3-5", "", full)
	h := b.wait(5 * time.Second)
	got := h.Runs[0].Calls[0]
	if got.ID != id("c") || got.Arguments != full.Arguments || got.Output != full.Output || got.Status != scoring.StatusFailed {
		t.Errorf("the outer span was not filled in from the inner one: %+v", got)
	}
	if h.Duplicates != 1 {
		t.Errorf("%d duplicates, want 1", h.Duplicates)
	}
	b.want(h, "a: x (anchor)")

	b = newFixture(t, func(s *Settings) { s.KeepArguments, s.MaxPayload = false, 1 })
	b.anchor(agentrun.Agent, "a 1-9")
	b.callWith("d<a 3-5", "", full)
	got = b.wait(5 * time.Second).Runs[0].Calls[0]
	if got.Arguments != (scoring.Payload{}) || got.Output != scoring.TooLarge() {
		t.Errorf("kept arguments %v and output %v, want none and too large", got.Arguments, got.Output)
	}
}

func TestClosedTracesAreForgotten(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxClosed = 2 })
	for i := range 5 {
		s := at("a 1-9")
		s.Trace = pcommon.TraceID{byte(i + 1)}
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: s})
	}
	b.wait(5 * time.Second)
	if got := b.decisions.Len(); got != 2 {
		t.Errorf("%d closed traces are remembered, want 2", got)
	}
}

// A chain of a hundred thousand parents is walked once, not once for each call.
func TestDeepChain(t *testing.T) {
	const depth = 100_000
	b := newFixture(t, func(s *Settings) { s.MaxCalls = depth })
	b.anchor(agentrun.Agent, "0 1-9")
	name := func(i int) pcommon.SpanID { return id(strconv.Itoa(i)) }
	for i := 1; i < depth; i++ {
		s := at("x<y 2-3")
		s.ID, s.Parent = name(i), name(i-1)
		if i%10 == 0 {
			b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: strconv.Itoa(i)}, Span: s})
		} else {
			b.AddParent(b.now, s)
		}
	}
	h := b.wait(5 * time.Second)
	if got := len(h.Runs[0].Calls); got != depth/10-1 {
		t.Errorf("%d calls, want %d", got, depth/10-1)
	}
}

// FuzzArrival plays a random trace in two orders, with repetitions, and wants the same runs; and every held span back.
func FuzzArrival(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, trace, order uint64) {
		steps := randomTrace(rand.New(rand.NewPCG(trace, 0)))
		play := func(order *rand.Rand) []string {
			b := newFixture(t, func(s *Settings) { s.WholeTrace = trace%5 == 0; s.Include = trace%5 == 1 })
			again := slices.Concat(steps, steps[:len(steps)/3])
			order.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
			for _, step := range again {
				step.write(b)
			}
			for _, step := range steps {
				step.hold(b) // the anchors, when all else is known, as within one batch
				if step.role == 1 && trace&4 != 0 {
					b.aside(step.spec)
				}
			}
			h := b.wait(5 * time.Second)
			h.Add(b.drain())
			accompanied(t, h)
			if got := held(h); got != b.held {
				t.Fatalf("%d spans were held and %d came out", b.held, got)
			}
			if b.Size() != 0 || b.Open() != 0 || b.known != 0 {
				t.Fatalf("left over: %d bytes, %d runs, %d traces", b.Size(), b.Open(), b.known)
			}
			return append(say(h), idsOf(h)...)
		}
		a := play(rand.New(rand.NewPCG(order, 1)))
		b := play(rand.New(rand.NewPCG(order, 2)))
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("one order closed %q, another %q", a, b)
		}
	})
}

// step is one span of a random trace.
type step struct {
	spec string
	role int // 0 ordinary, 1 call, 2 agent, 3 workflow, 4 root, 5 group
	name string
	said []string // by the agents of a group
}

func randomTrace(r *rand.Rand) []step {
	steps := make([]step, 1+r.IntN(20))
	for i := range steps {
		start := r.IntN(20)
		steps[i] = step{
			spec: string(rune('a'+i)) + "<" + string(rune('a'+r.IntN(len(steps)+2))) + " " +
				strconv.Itoa(start) + "-" + strconv.Itoa(start+r.IntN(10)),
			role: r.IntN(6),
			name: string(rune('x' + r.IntN(3))),
		}
		if steps[i].role == 5 {
			steps[i].said = randomShares(r, len(steps))
			if i > 0 && steps[i-1].role == 5 && r.IntN(2) == 0 {
				steps[i].spec = steps[i-1].spec // the same span says something else
			}
		}
	}
	return steps
}

// randomShares are tasks of agents with the names that [fixture.anchor] gives. Calls may be of other groups too.
func randomShares(r *rand.Rand, agents int) (shares []string) {
	for range r.IntN(4) {
		share := []byte(id(string(rune('a' + r.IntN(agents)))).String())
		for i := range r.IntN(4) {
			share = strconv.AppendInt(append(append(share, " +"[min(i, r.IntN(2))]), firstID...), int64(r.IntN(6)), 10)
		}
		shares = append(shares, string(share))
	}
	return shares
}

func (s step) write(b *fixture) {
	switch s.role {
	case 0:
		b.link(s.spec)
		b.early(s.spec)
	case 1:
		b.call(s.name, s.spec)
	case 2:
		b.AddAgentSpan(b.now, at(s.spec), agentrun.Agent)
	case 3:
		b.AddAgentSpan(b.now, at(s.spec), agentrun.Workflow)
	case 4:
		b.link(s.spec)
		b.early(s.spec)
	case 5:
		group(s.spec, s.said...)(b)
	}
}

func (s step) hold(b *fixture) {
	if s.role >= 2 && s.role <= 4 {
		b.anchor(agentrun.AnchorKind(s.role-2), s.spec)
	}
}

// A run that a limit closes may take calls that began before it. A run of that time arrives later. It says that it may lack
// some, although it ended before the other began. So does a run that begins later, because calls that came before may be its own.
func TestARunWhoseCallsALaterRunTookIsNotComplete(t *testing.T) {
	b := newFixture(t, nil)
	b.anchor(agentrun.Agent, "b 20-25")
	b.call("x", "p<v 3-4")
	b.call("y", "q<v 5-6")
	b.want(b.oldest(), "b: x, y (limit!)")
	b.anchor(agentrun.Agent, "a 2-10")
	b.anchor(agentrun.Agent, "c 12-15")
	b.anchor(agentrun.Agent, "d 1001-1005")
	b.want(b.wait(5*time.Second), "a:  (anchor!)", "c:  (anchor!)", "d:  (anchor!)")
}

// If a limit closes calls early, time decides their owners. A run that arrives later may lack some.
func TestWhatIsLeftOfATraceThatWasCutIsNotComplete(t *testing.T) {
	b := newFixture(t, nil)
	b.call("x", "c<a 2-3") // a has not come
	b.anchor(agentrun.Agent, "b<a 1-4")
	b.want(b.oldest(), "b: x (limit!)")
	b.anchor(agentrun.Agent, "a 0-9")
	b.anchor(agentrun.Agent, "d 1001-1002")
	b.want(b.wait(5*time.Second), "a:  (anchor!)", "d:  (anchor!)")
	b.done()
}

// An agent's span was in a batch that was refused, and comes again after the run inside of it has closed. Its calls wait
// for it.
func TestCallsWaitForAnAgentThatWasSeen(t *testing.T) {
	b := newFixture(t, nil)
	b.call("x", "c<a 1-2")
	b.call("y", "d<b 4-5")
	b.AddAgentSpan(b.now, at("a 0-9"), agentrun.Agent)
	b.anchor(agentrun.Agent, "b<a 3-6")
	b.want(b.wait(5*time.Second), "b: y (anchor)")
	b.anchor(agentrun.Agent, "a 0-9")
	b.want(b.wait(5*time.Second), "a: x (anchor)")
	b.done()
}

// A call whose copies have two parents counts for the runs of both. Neither is complete, in any order of arrival.
func TestASpanWithTwoParentsCountsForBoth(t *testing.T) {
	for _, spans := range [][]string{{"c<a 2-3", "c<b 2-3"}, {"c<b 2-3", "c<a 2-3"}} {
		for _, repeats := range []int{1, firstRepeats} {
			b := newFixture(t, nil)
			for _, s := range spans {
				for range repeats {
					b.call("x", s)
				}
			}
			b.anchor(agentrun.Agent, "a 1-9")
			b.anchor(agentrun.Agent, "b 1-9")
			b.want(b.wait(5*time.Second), "a: x (anchor!)", "b: x (anchor!)")
		}
	}
}
