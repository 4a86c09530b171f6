package processor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const retried = `
	> agent a [1-9]; tool c<a [2-3] search
	refuse
	10m: c
	accept
	2m: a
	a: score 1`

func TestWhenSpansLeave(t *testing.T) {
	idle := func(s *Settings, _ *sink) { s.IdleTimeout = time.Second }
	tell(t, story{name: "only the anchor is held", text: `
		> agent a [1-9]; tool c<a [2-3] search; plain s<a [4-5]
		0s: c s
		9s: -
		2s: a
		a: score 1, passed true, status scored, closed_by anchor, complete true, expectation 0, config 00000000, called [search]`,
	}, story{name: "a call that arrives too late", text: `
		> agent a [1-9]
		11s: a
		> tool c<a [2-3] search
		5m: c
		a: score 0
		late_calls 1
		late_call_age 1   # seconds after the run had closed
		runs_closed 1     # a late call opens no run`,
	}, story{name: "a run without an anchor", text: `
		> tool c<lost [2-3] search
		59s: c
		open_runs 1
		2s: -
		open_runs 0
		runs_closed 1
		verdicts 1   # it is judged, and the verdict is counted`,
	}, story{name: "a shutdown judges held anchors", text: `
		> agent a [1-9]; tool c<a [2-3] search
		shutdown
		a: score 1, closed_by shutdown, complete false`,
	}, story{
		name: "a release is retried", text: retried,
	}, story{
		name: "a release is retried that the next consumer may have changed", text: retried, change: func(_ *Settings, s *sink) { s.mutates = true },
	}, story{name: "odd spans where nothing is expected", change: func(s *Settings, _ *sink) { s.Expectations = nil }, text: `
		> agent - [0-0]; agent a<a [9-1]; tool - [0-0]
		5m:   a
		a: expectation -   # no expectation, so nothing is written`,
	}, story{name: "a span that came before its trace was known to have an agent leads to its run", text: `
		> plain s<a [1-9]
		> tool c<s [20-30] search
		> agent b<a [19-40]; agent a [1-50]
		5m: a b c s
		a: score 1
		b: score 0`,
	}, story{name: "runs that were under way when the processor began may have had calls before", text: `
		> agent underway now[-5-5]; tool c<underway now[1-2] search
		> agent over now[-50--40] @2; agent longover now[-500--400] @3; agent new now[0-1] @4
		11s: c longover new over underway
		underway: complete false, closed_by anchor
		over: complete false, closed_by anchor
		longover: complete true, closed_by anchor
		new: complete true, closed_by anchor`,
	}, story{name: "a run waits for its span while the next consumer handles it, and after a refusal, because its sender retries", change: idle, do: hooks{
		"slow": func(h *teller) { h.sink.check = func(ptrace.Traces) error { time.Sleep(5 * time.Second); return nil } },
		"fast": func(h *teller) { h.sink.check = nil },
	}, text: `
		> tool c<a [2-3] search
		slow
		> agent a [1-9]; plain s<a [4-5]
		fast
		refuse
		!> tool t<b [2-3] search @2; agent b [1-9] @2
		!> tool u<web [2-3] search @3; plain web [1-9] @3
		5m: c s
		accept
		> tool t<b [2-3] search @2; agent b [1-9] @2
		> tool u<web [2-3] search @3; plain web [1-9] @3
		1m: a b t u web
		a: score 1, complete true
		b: score 1, complete true
		web: score 1, complete true
		late_calls 0`,
	}, story{name: "an anchor that comes after its run was closed says so", change: idle, text: `
		> tool c<a [2-3] search
		5s: c
		> agent a [1-9]; plain s<a [4-5]
		1m: a s
		a: score -, status not_evaluable, complete false, closed_by idle, reason ~closed before this span came
		a: missing []   # whether it was called is not known`,
	}, story{name: "with a storage, a shutdown releases what has closed", stored: true, text: `
		> tool call<run [1-2] search
		4m: call
		> agent run [0-9]   # its run closed before it came: the storage has nothing of it
		shutdown
		0s: run
		spans_suspended 0
		spans_waiting 0`,
	})
}

func TestSpansAfterShutdownLeaveWithoutAVerdict(t *testing.T) {
	r := newRig(t, nil)
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.send(spans("agent a [1-9]; tool c<a [2-3] search")...))
	require.Equal(t, []int{2, 2}, []int{r.sink.got(), r.total("spans_forwarded")})
	require.NotContains(t, r.verdict("a"), "tool_correctness.score")
}

func TestShutdownEndsThoughNothingIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		require.NoError(t, r.Start(t.Context(), nil))
		require.NoError(t, r.send(agent("a", "", 1, 9)))
		r.sink.refuse(errors.New("backend is down"))
		begin := time.Now()
		err := r.Shutdown(context.WithoutCancel(t.Context()))
		require.ErrorContains(t, err, "1 judged spans were not accepted")
		require.ErrorContains(t, err, "backend is down")
		require.LessOrEqual(t, time.Since(begin), flushTimeout+time.Second)
		require.Equal(t, 1, r.total("spans_failed"))
		r.conserved()
	})
}

func TestUndeliveredRunsPushBack(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.Limits.Bytes = 2000 }, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(tool("c", "a", 2, 3, "search")))
		r.sink.refuse(errors.New("backend is down"))
		for i := range byte(20) { // anchors alone are not forwarded, so they are not refused
			if err := r.send(agent("a"+string('a'+rune(i)), "", 1, 9).in(i)); err != nil {
				require.ErrorIs(t, err, errBacklog)
				require.Positive(t, i, "some fit")
				r.sink.refuse(nil)
				r.after(5*time.Minute, r.sent)
				return
			}
			time.Sleep(20 * time.Second)
		}
		t.Error("the processor took everything, although the next consumer accepted nothing")
	})
}

func TestMemoryIsLimited(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.Limits.Bytes = 10_000 }, func(t *testing.T, r *rig) {
		for i := range 1000 {
			id := string([]byte{'c', byte(i), byte(i >> 8)})
			require.NoError(t, r.send(tool(id, "a", i, i+1, "search")))
			synctest.Wait() // what was closed is judged, and weighs nothing any more
			require.LessOrEqual(t, r.held(), int64(10_000))
		}
	})
}

func TestDryRunHasAClockOfItsOwn(t *testing.T) {
	r := newRig(t, nil)
	require.True(t, r.Capabilities().MutatesData, "another pipeline of the receiver must not see what is written")
	var reports []evaluate.Report
	r.DryRun(func(rep evaluate.Report) { reports = append(reports, rep) })
	call := tool("c", "a", 2, 3, "search")
	call.attributes["gen_ai.tool.call.arguments"] = `{"q":1}`
	require.NoError(t, r.send(agent("a", "", 1, 9), call))
	r.Advance(t.Context(), 9*time.Second)
	require.Empty(t, reports)
	r.Advance(t.Context(), time.Second)
	require.Len(t, reports, 1)
	require.Equal(t, scoring.JSON(`{"q":1}`), reports[0].Run.Calls[0].Arguments, "kept, though no metric reads it")
	require.NoError(t, r.Shutdown(t.Context()))
	r.conserved()
}

const callID, otherCallID = "call_7201bee762b6", "call_8a3f6719cc0d"

// Two instrumentations record one run in two traces. If a limit closes one of them early, the run is not complete.
func TestTracesThatALimitPartsAreNotComplete(t *testing.T) {
	const run = `
		> tool c<a now[0-1] search id:call_7201bee762b6 @1 by:one; tool d<a now[1-2] shell id:call_8a3f6719cc0d @1 by:one
		1s: c d
		others
		> tool e<b now[-1-0] search id:call_7201bee762b6 @2 by:two; agent b now[-1-8] @2 by:two
		> agent a now[-1-8] @1 by:one
		3m: `
	others := func(n byte, first byte) func(*teller) {
		return func(h *teller) {
			for i := range n {
				now := int(time.Now().Unix())
				require.NoError(h.t, h.send(agent(fmt.Sprint("x", first+i), "", now, now).in(first+i).from("other")))
				time.Sleep(time.Second)
			}
		}
	}
	few := func(s *Settings, _ *sink) { s.Limits.OpenRuns = 4 }
	tell(t, story{name: "both are open", change: few, do: hooks{"others": others(0, 0)}, text: run + `a b e
		a: called [search shell], complete true   # the stories below add to it`,
	}, story{name: "a limit closed other traces before", change: few, do: hooks{"before": others(5, 10), "others": others(0, 0)}, text: `
		before
		1m: x10 x11 x12 x13 x14` + run + `a b e
		a: called [search shell], complete true   # the run had not begun`,
	}, story{name: "a limit closed one of the two", change: few, do: hooks{"others": others(4, 30)}, text: run + `a b e x30 x31 x32 x33
		b: called [search], complete false   # it recorded a call that the other did not`,
	})
}

// A conversation in which somebody has to approve a call has one verdict, and it is complete, though the processor was killed or shut
// down while it waited for longer than the idle timeout, and began again with its storage.
func TestAnApprovalOutlastsTheIdleTimeoutAndARestart(t *testing.T) {
	expecting := func(tools ...string) func(*Settings, *sink) {
		var turns []scoring.ExpectationSettings
		for _, name := range tools {
			turns = append(turns, scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: name}}})
		}
		return func(set *Settings, k *sink) {
			conversations(set)
			set.IdleTimeout, set.PendingTimeout = time.Minute, time.Hour
			expect(t, scoring.ExpectationSettings{Turns: turns})(set, k)
		}
	}
	const inATool = `
		> agent a1 [0-9] @1 session.id=s; tool t1<a1 [1-2] search @1 session.id=s
		20s: t1
		> model m2<a2 [20-21] asks:refund#call_refundabc @2 session.id=s
		20s: m2
		crash
		70s: -   # nobody knows yet how it ends
		> tool t2<a2 [21-111] refund @2 session.id=s id:call_refundabc; agent a2 [20-112] @2 session.id=s
		10s: t2
		> agent a3 [120-129] @3 session.id=s; tool t3<a3 [121-122] search @3 session.id=s
		30s: t3
		4m: a1 a2 a3
		a1: status -
		a2: status -
		a3: score 1, complete true, closed_by idle`
	const between = `
		> model m1<a1 [1-2] asks:refund#call_refundabc @1 session.id=s; agent a1 [0-9] @1 session.id=s
		40s: m1
		crash
		5m: -
		> tool t2<a2 [341-342] refund @2 session.id=s id:call_refundabc; agent a2 [340-349] @2 session.id=s
		10s: t2
		4m: a1 a2
		a1: status -
		a2: score 1, complete true, closed_by idle`
	for _, end := range []string{"crash", "shutdown\nstart"} {
		tell(t, story{name: "in a tool that takes 90 seconds, in the second of three turns, " + end, stored: true,
			change: expecting("search", "refund", "search"), text: strings.Replace(inATool, "crash", end, 1),
		}, story{name: "between two traces, after five minutes, " + end, stored: true,
			change: expecting("refund"), text: strings.Replace(between, "crash", end, 1)})
	}
}
