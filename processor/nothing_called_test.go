package processor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// everyMethod is one of each method, by name.
func everyMethod(t *testing.T) map[string]scoring.Method {
	methods := map[string]scoring.Method{}
	add := func(m scoring.Method, err error) {
		t.Helper()
		require.NoError(t, err)
		methods[m.Name()] = m
	}
	native, err := scoring.NewNative(scoring.DefaultNative())
	add(native, err)
	axion, err := scoring.NewAxion(scoring.DefaultAxion())
	add(axion, err)
	deepEval, err := scoring.NewDeepEval(scoring.DefaultDeepEval())
	add(deepEval, err)
	multimodal, err := scoring.NewDeepEvalMultimodal(scoring.DefaultDeepEval())
	add(multimodal, err)
	evalSharp, err := scoring.NewEvalSharp(scoring.DefaultEvalSharp())
	add(evalSharp, err)
	galtea, err := scoring.NewGaltea(scoring.GalteaOptions{})
	add(galtea, err)
	evalLib, err := scoring.NewEvalLib(scoring.DefaultEvalLib())
	add(evalLib, err)
	require.Len(t, methods, 7)
	return methods
}

// failedTool is a tool call that ended in an error.
func failedTool(id, parent string, start, end int, name string) span {
	return tool(id, parent, start, end, name).with("error.type", "timeout")
}

// A run without calls gets the score of an empty list from every method, after any other run.
func TestNothingCalledIsScored(t *testing.T) {
	quiet := []span{agent("quiet", "", 0, 10).in(1)}
	allFailed := []span{agent("quiet", "", 0, 10).in(1), failedTool("f1", "quiet", 1, 2, "search").in(1), failedTool("f2", "quiet", 3, 4, "search").in(1)}
	busy := []span{agent("busy", "", 0, 10).in(2), tool("b1", "busy", 1, 2, "search").in(2)}
	idle := []span{agent("idle", "", 0, 10).in(3)}
	for _, tc := range []struct {
		name, reason string
		deliveries   [][]span
		ignoreFailed bool
	}{
		{"alone", "no run before it has left a list behind", [][]span{quiet}, false},
		{"behind a run with calls", "the list of that run is used again", [][]span{append(busy[:2:2], quiet...)}, false},
		{"before a run with calls", "runs close in the order of their traces", [][]span{append(quiet[:1:1], busy...)}, false},
		{"behind a run without calls", "a list that stays empty is used again, too", [][]span{append(idle[:1:1], quiet...)}, false},
		{"in a later delivery", "each delivery begins anew", [][]span{busy, idle, quiet}, false},
		{"every call failed and is ignored, alone", "what is left of the calls is none", [][]span{allFailed}, true},
		{"every call failed and is ignored, behind others", "what is left of the calls is none", [][]span{append(busy[:2:2], allFailed...)}, true},
	} {
		for name, method := range everyMethod(t) {
			for _, tools := range [][]scoring.Tool{{{Name: "search"}}, {}} {
				for _, dry := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%d expected/dry=%t/%s", name, len(tools), dry, tc.name), func(t *testing.T) {
						expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: tools})
						require.NoError(t, err)
						want := method.Judge(expected, []scoring.Call{})
						require.Equal(t, scoring.Scored, want.Status, "the oracle scores")
						require.False(t, len(tools) > 0 && want.Score > 0, "search was expected, and nothing called")
						got := judgedAs(t, tc.deliveries, dry, func(s *Settings) {
							s.IgnoreFailed = tc.ignoreFailed
							s.Metrics = []evaluate.Metric{{Name: "tool_correctness", Method: method, Reason: true}}
							s.Expectations = []evaluate.Expectation{{Name: "0", Expected: expected, Metrics: s.Metrics}}
						})
						require.Equal(t, "scored", got["tool_correctness.status"], tc.reason)
						require.Equal(t, want.Score, got["tool_correctness.score"], tc.reason)
						require.Equal(t, want.Passed, got["tool_correctness.passed"], tc.reason)
						require.Equal(t, []any{}, got["tool_correctness.called"], tc.reason)
					})
				}
			}
		}
	}
}

// judgedAs returns the attributes of the released span "quiet". A dry run passes its report to an observer, too.
func judgedAs(t *testing.T, deliveries [][]span, dry bool, change func(*Settings)) (got map[string]any) {
	inTime := func(test func(r *rig)) {
		if dry {
			r := newRig(t, func(s *Settings, _ *sink) { change(s) })
			r.DryRun(func(evaluate.Report) {})
			test(r)
			require.NoError(t, r.Shutdown(t.Context()))
			return
		}
		withFakeClock(t, func(s *Settings, _ *sink) { change(s) }, func(_ *testing.T, r *rig) { test(r) })
	}
	inTime(func(r *rig) {
		for _, spans := range deliveries {
			require.NoError(t, r.send(spans...))
			if dry {
				r.Advance(t.Context(), r.set.Wait)
			} else {
				time.Sleep(2 * r.set.Wait)
			}
		}
		got = r.verdict("quiet")
		require.Equal(t, evidence.ByAnchor.String(), got["tool_correctness.closed_by"])
	})
	return got
}
