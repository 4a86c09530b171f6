package mcpspans

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
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
		{"a status of another process", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x", Status: scoring.StatusFailed},
			FromOtherProcess: agentrun.FromOtherProcess{Status: true}}, scoring.StatusFailed, "the own process says it, too"},
		{"other arguments", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x", Arguments: scoring.JSON(`{"k":2}`)}}, scoring.StatusUnset, "another call"},
		{"another tool", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "y"}}, scoring.StatusUnset, "another call"},
		{"another time", agentrun.Call{Span: runtest.At("c<a 5-6"), Call: scoring.Call{Name: "x"}}, scoring.StatusUnset, "another call"},
		{"another MCP span", agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x"}, Traits: agentrun.Traits{MCP: true}}, scoring.StatusUnset,
			"the protocol knows itself how it ended"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := New(agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 100})
			e.Add(0, runtest.ProcessOf("shop"), failed)
			e.Add(0, runtest.ProcessOf("shop"), failed) // a retried export
			r := ofShop(tc.call)
			e.FillIn([]agentrun.Run{r})
			if got := r.Calls[0].Status; got != tc.want {
				t.Errorf("status is %v, want %v: %s", got, tc.want, tc.reason)
			}
			if r.Calls[0].FromOtherProcess.Status {
				t.Errorf("the status is another process's: %s", tc.reason)
			}
		})
	}
}

// A failure and an output are of one call. If an MCP span fits several calls, or a call several MCP spans, the calls say that they
// are unsure. The order of spans and runs decides nothing.
func TestMCPSpansOfSeveralCalls(t *testing.T) {
	failed, ok := mcp9("", scoring.StatusFailed), mcp9("", scoring.StatusOK)
	second := ok
	second.ID = runtest.ID("q")
	secondFailed := failed
	secondFailed.ID = runtest.ID("q")
	withID := func(id string) string { return id + " call_abcdefghij" }
	many := make([]agentrun.Call, maxAlike+1) // of which the last one is that of the call
	for i := range many {
		many[i] = ok
		many[i].Trace[1] = byte(i)
	}
	many[maxAlike].Status = scoring.StatusFailed
	const unsure = "unsure"
	for _, tc := range []struct {
		name   string
		spans  []agentrun.Call
		runs   []string // the calls of each, with their IDs
		want   []string // the status of each call
		apart  bool     // the runs close one after the other
		reason string
	}{
		{"one call", []agentrun.Call{failed}, []string{"c"}, []string{"failed"}, false, "it is the only one"},
		{"two calls of a run", []agentrun.Call{failed}, []string{"c,d"}, []string{unsure, unsure}, false, "either may have failed"},
		{"two runs", []agentrun.Call{failed}, []string{"c", "d"}, []string{unsure, unsure}, false, "either may have failed"},
		{"a run after another", []agentrun.Call{failed}, []string{"c", "d"}, []string{"failed", unsure}, true, "the second call may have failed, too"},
		{"two calls that went well", []agentrun.Call{ok}, []string{"c,d"}, []string{"ok", "ok"}, false, "no call can have failed"},
		{"one call in two spans", []agentrun.Call{failed}, []string{withID("c"), withID("d")}, []string{"failed", "failed"}, false, "one ID is of one call"},
		{"two requests of one model", []agentrun.Call{failed}, []string{"m request_1,m request_2"}, []string{unsure, unsure}, false, "either may have failed"},
		{"two requests of one model without IDs", []agentrun.Call{failed}, []string{"m ,m "}, []string{unsure, unsure}, false, "either may have failed"},
		{"a request that counts for two runs", []agentrun.Call{failed}, []string{"m request_1", "m request_1"}, []string{"failed", "failed"}, false, "it is one call"},
		{"two MCP spans that differ", []agentrun.Call{failed, second}, []string{"c"}, []string{unsure}, false, "either may be the call's"},
		{"two MCP spans that failed", []agentrun.Call{failed, secondFailed}, []string{"c"}, []string{unsure}, false, "one of them is of a call that is not known yet"},
		{"two MCP spans that went well", []agentrun.Call{ok, second}, []string{"c"}, []string{"unset"}, false, "no call can have failed"},
		{"as many MCP spans as a call is compared with", many[:maxAlike], []string{"c"}, []string{"unset"}, false, "all of them went well"},
		{"more MCP spans than a call is compared with", many, []string{"c"}, []string{unsure}, false, "the last one may be the call's"},
		{"equal copies", []agentrun.Call{failed, failed}, []string{"c"}, []string{"failed"}, false, "an export was retried"},
		{"copies that differ", []agentrun.Call{failed, ok}, []string{"c"}, []string{unsure}, false, "each may be true"},
		{"copies that differ, the other way round", []agentrun.Call{ok, failed}, []string{"c"}, []string{unsure}, false, "each may be true"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := New(agentrun.Settings{})
			for _, s := range tc.spans {
				e.Add(0, runtest.ProcessOf("shop"), s)
			}
			var runs []agentrun.Run
			for _, calls := range tc.runs {
				var all []agentrun.Call
				for call := range strings.SplitSeq(calls, ",") {
					name, id, _ := strings.Cut(call, " ")
					c := agentrun.Call{Span: runtest.At(name + "<a 1-5"), CallID: id, Call: scoring.Call{Name: "x"}}
					if name == "m" { // a model's
						c.Source, c.Rank = agentrun.SourceModel, uint16(len(all))
					}
					all = append(all, c)
				}
				runs = append(runs, ofShop(all...))
			}
			for i := range runs {
				if tc.apart {
					e.FillIn(runs[i : i+1])
				}
			}
			if !tc.apart {
				e.FillIn(runs)
			}
			var got []string
			for _, r := range runs {
				for i := range r.Calls {
					if r.Calls[i].FromOtherProcess.Forgotten {
						got = append(got, unsure)
						continue
					}
					got = append(got, map[scoring.CallStatus]string{scoring.StatusUnset: "unset", scoring.StatusOK: "ok", scoring.StatusFailed: "failed"}[r.Calls[i].Status])
				}
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("the calls are %v, want %v: %s", got, tc.want, tc.reason)
			}
		})
	}
}

// The output of an MCP span is that of the only call with its arguments.
func TestOutputsOfMCPSpans(t *testing.T) {
	span := mcp9(`{"k":1}`, scoring.StatusOK)
	span.Output = scoring.Text("found")
	for _, tc := range []struct {
		name    string
		calls   []string
		outputs int
		unsure  bool
		reason  string
	}{
		{"one call", []string{"c"}, 1, false, "it is the only one"},
		{"two calls", []string{"c", "d"}, 0, true, "it may be of either"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := New(agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 100})
			e.Add(0, runtest.ProcessOf("shop"), span)
			var r agentrun.Run
			for _, id := range tc.calls {
				r = ofShop(append(r.Calls, agentrun.Call{Span: runtest.At(id + "<a 1-5"), Call: scoring.Call{Name: "x", Arguments: span.Arguments}})...)
			}
			e.FillIn([]agentrun.Run{r})
			outputs := 0
			for i := range r.Calls {
				require.Equal(t, tc.unsure, r.Calls[i].FromOtherProcess.Forgotten, tc.reason)
				if r.Calls[i].Output.Captured() {
					outputs++
				}
			}
			require.Equal(t, tc.outputs, outputs, tc.reason)
		})
	}
}

// ofShop is a run of the service shop with these calls.
func ofShop(calls ...agentrun.Call) agentrun.Run {
	s := runtest.At("a 0-9")
	s.Process = runtest.ProcessOf("shop")
	return agentrun.Run{Anchors: []agentrun.Anchor{{Span: s}}, Calls: calls}
}

// A span of another process, or one that may be about another call, completes no call.
func TestMCPSpansKeepToTheirOwn(t *testing.T) {
	call := agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x"}}
	secret := mcp9(`{"ssn":1}`, scoring.StatusFailed)
	secret.Output = scoring.Text("private")
	e := New(agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 100})
	e.Add(0, runtest.ProcessOf("other"), secret)
	r := ofShop(call)
	e.FillIn([]agentrun.Run{r})
	if r.Calls[0].Status != scoring.StatusUnset {
		t.Error("an MCP span of another process was taken")
	}
	secret.ID = runtest.ID("o")
	e.Add(0, runtest.ProcessOf("shop"), secret)
	r = ofShop(call)
	e.FillIn([]agentrun.Run{r})
	if c := r.Calls[0]; c.Status != scoring.StatusFailed || c.Arguments.Captured() || c.Output.Captured() {
		t.Errorf("the call is %v with arguments %v and output %v: without arguments to compare only the status is sure", c.Status, c.Arguments, c.Output)
	}
}

func TestMCPSpansAreBounded(t *testing.T) {
	e := New(agentrun.Settings{})
	for i := range 5 * Max {
		c := mcp9("", scoring.StatusOK)
		c.ID = pcommon.SpanID{byte(i), byte(i >> 8)}
		c.Name += string(rune('a' + i%3))
		e.Add(0, 1, c)
	}
	n := 0
	for _, calls := range e.alike {
		n += len(calls)
	}
	if n != Max || e.all.Len() != n || len(e.known) != n {
		t.Errorf("%d MCP spans are kept, %d in order and %d by ID, want %d", n, e.all.Len(), len(e.known), Max)
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
		{"one process, and a victim with a third of the table", Max / 3, 1, "c<a 1-5", scoring.StatusFailed, false, "the same"},
		{"three processes, and a victim with a third of the table", Max / 3, 3, "c<a 1-5", scoring.StatusUnset, true, "the victim has more than a fourth"},
		{"many processes", 0, 4 * Max, "c<a 1-5", scoring.StatusUnset, true, "none has more than the victim"},
		{"many processes, and a later call", 0, 4 * Max, "c<a 6-7", scoring.StatusUnset, false, "the forgotten spans are of an earlier time"},
		{"only the victim", Max, 0, "c<a 1-5", scoring.StatusUnset, false, "a table of its own would have dropped the span as well"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := New(agentrun.Settings{})
			e.Add(0, runtest.ProcessOf("shop"), mcp9("", scoring.StatusFailed))
			for i := range tc.before {
				e.Add(0, runtest.ProcessOf("shop"), numbered(i))
			}
			for i := range min(tc.attackers, 1) * 4 * Max {
				e.Add(pcommon.Timestamp(1+i), of(i, tc.attackers), numbered(i))
			}
			r := ofShop(agentrun.Call{Span: runtest.At(tc.call), Call: scoring.Call{Name: "x"}})
			e.FillIn([]agentrun.Run{r})
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
	e := New(agentrun.Settings{})
	for i := range 2 * maxAlike {
		foreign := mcp9("", scoring.StatusFailed)
		foreign.ID = pcommon.SpanID{byte(i), 1}
		e.Add(0, runtest.ProcessOf("other"), foreign)
	}
	e.Add(0, runtest.ProcessOf("shop"), mcp9("", scoring.StatusFailed))
	r := ofShop(agentrun.Call{Span: runtest.At("c<a 1-5"), Call: scoring.Call{Name: "x"}})
	e.FillIn([]agentrun.Run{r})
	if r.Calls[0].Status != scoring.StatusFailed {
		t.Error("the MCP span was not found")
	}
}

// Bytes that are no evidence are an error, and change nothing.
func FuzzRestore(f *testing.F) {
	set := agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 1 << 10}
	f.Add(record.MCPEvidence(&set, 10, mcp9(`{"k":1}`, 0)))
	f.Fuzz(func(t *testing.T, evidence []byte) {
		m := New(set)
		if err := m.Restore(0, evidence); err != nil {
			require.ErrorIs(t, err, record.ErrEvidence)
			require.Zero(t, m.Size(), "bytes that are no evidence change nothing")
		} else {
			require.NotZero(t, m.Size())
		}
	})
}
