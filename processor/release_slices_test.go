package processor

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// judgingTakes makes the verdicts on runs of the process "slow" take that long.
func (r *rig) judgingTakes(d time.Duration) {
	r.observe = func(report evaluate.Report) {
		if strings.HasPrefix(report.Span.Name(), "slow") {
			time.Sleep(d)
		}
	}
}

// slowRun has a call with arguments of 16 kB.
func slowRun(n int, process string) []span {
	a := agent("s"+strconv.Itoa(n), "", 1, 9).in(byte(n)).from(process)
	a.name = "slow"
	return []span{a, tool("t"+strconv.Itoa(n), a.id, 2, 3, "search").in(byte(n)).from(process).
		with("gen_ai.tool.call.arguments", `{"q":"`+strings.Repeat("x", 16_000)+`"}`)}
}

// Runs whose verdicts take long do not delay the others that close with them or after them.
func TestSlowVerdictsDoNotDelayOthers(t *testing.T) {
	const slow, takes = 100, 40 * time.Millisecond
	for _, tc := range []struct {
		name    string
		process func(n int) string
	}{
		{"of one process", func(int) string { return "attacker" }},
		{"each of a process of its own", strconv.Itoa},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(set *Settings, _ *sink) {
				set.Limits = Limits{OpenRuns: 10_000, Bytes: 64 << 20}
				set.Run.KeepArguments = true
			}, func(t *testing.T, r *rig) {
				r.judgingTakes(takes)
				for n := range slow {
					require.NoError(t, r.send(slowRun(n, tc.process(n))...))
				}
				victim := []span{agent("v", "", 1, 9).in(200).from("victim"), tool("w", "v", 2, 3, "search").in(200).from("victim")}
				require.NoError(t, r.send(victim...))
				const soon = time.Second // of four seconds that judging takes
				time.Sleep(r.set.Run.Wait + soon)
				r.verdict("v")
				require.Less(t, r.total("spans_released"), slow/2, "the slow ones are not all judged yet, or nothing is shown")
				require.NoError(t, r.send(agent("u", "", 1, 9).in(201).from("victim")))
				time.Sleep(r.set.Run.Wait + soon)
				r.verdict("u")
				r.after(slow*takes, r.sent)
			})
		})
	}
}

// A shutdown judges the slow ones last, so that the others have their verdicts when its time is over.
func TestAShutdownJudgesSlowRunsLast(t *testing.T) {
	withFakeClock(t, func(set *Settings, _ *sink) {
		set.Limits = Limits{OpenRuns: 10_000, Bytes: 64 << 20}
		set.Run.KeepArguments = true
	}, func(t *testing.T, r *rig) {
		r.judgingTakes(40 * time.Millisecond)
		for n := range 100 {
			require.NoError(t, r.send(slowRun(n, "attacker")...))
		}
		for n := range 20 {
			require.NoError(t, r.send(agent("v"+strconv.Itoa(n), "", 1, 9).in(byte(200+n)).from("victim")))
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), flushShares*time.Second)
		defer cancel()
		require.NoError(t, r.Shutdown(ctx))
		for n := range 20 {
			require.Contains(t, r.verdict("v"+strconv.Itoa(n)), "tool_correctness.passed")
		}
		require.Equal(t, r.sent, r.sink.got(), "spans of runs that were not judged leave too")
	})
}
