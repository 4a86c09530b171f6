package processor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// where is an expected tool with a condition.
func where(tb testing.TB, name, text string) scoring.Tool {
	p, err := conditions.NewParser(componenttest.NewNopTelemetrySettings())
	require.NoError(tb, err)
	c, err := p.Where(text)
	require.NoError(tb, err)
	return scoring.Tool{Name: name, Where: c}
}

// expect makes these settings the expectation of all runs.
func expect(tb testing.TB, s scoring.ExpectationSettings) func(*Settings, *sink) {
	e, err := scoring.NewExpectation(s)
	require.NoError(tb, err)
	return func(set *Settings, _ *sink) {
		set.Expectations[0].Expected = e
		set.Run.KeepArguments, set.Run.KeepOutput = e.Compares()
	}
}

// neverHeld is the number of calls after which the log says that a condition held on none.
const neverHeld = 1000

// refunded is a run that refunds an order.
func refunded(trace byte, amount string) []span {
	a := agent("a"+string('a'+rune(trace)), "", 1, 9).in(trace).with("order.id", "A17").with("limit", 1000)
	return []span{a, tool("t"+string('a'+rune(trace)), a.id, 2, 5, "refund").in(trace).
		with("gen_ai.tool.call.arguments", `{"order_id": "A17", "amount": `+amount+`}`).
		with("gen_ai.tool.call.result", `{"status": "done"}`)}
}

// A condition that fails decides its call, is counted, and is logged or not as the error mode says; no value is logged.
func TestWhereFails(t *testing.T) {
	for _, tc := range []struct {
		mode                 evaluate.ErrorMode
		status, says, reason string
		logs                 int
	}{
		{evaluate.IgnoreErrors, "scored", "the condition of refund could not be evaluated on 1 call", "the call does not match", 1},
		{evaluate.SilenceErrors, "scored", "the condition of refund could not be evaluated on 1 call", "the log stays silent, the verdict does not", 0},
		{evaluate.PropagateErrors, "error", `Not scored: a condition on calls of refund could not be evaluated.`, "a wrong condition is not a wrong run", 1},
	} {
		t.Run(fmt.Sprint(tc.mode), func(t *testing.T) {
			withFakeClock(t, func(s *Settings, k *sink) {
				expect(t, scoring.ExpectationSettings{Tools: []scoring.Tool{where(t, "refund", `Int(ParseJSON(arguments["order_id"])["x"]) == 1`)}})(s, k)
				s.ErrorMode = tc.mode
			}, func(t *testing.T, r *rig) {
				core, logged := observer.New(zap.InfoLevel)
				r.logger = zap.New(core)
				require.NoError(t, r.send(refunded(1, "12")...))
				r.after(time.Minute, 2)
				got := r.verdict("ab")
				require.Equal(t, tc.status, got["tool_correctness.status"], tc.reason)
				require.Equal(t, false, got["tool_correctness.passed"], tc.reason)
				require.Contains(t, got["tool_correctness.reason"], tc.says, tc.reason)
				require.Equal(t, 1, r.total("condition_errors"))
				entries := logged.FilterMessageSnippet("failed on a call").All()
				require.Len(t, entries, tc.logs, tc.reason)
				for _, e := range entries {
					require.Contains(t, e.ContextMap()["error"], "annotate.values: true logs its text", "OTTL quotes the value here")
					require.NotContains(t, fmt.Sprint(e.ContextMap()), "A17", "values are private")
				}
			})
		})
	}
}

// A condition of an expected tool that never holds is named once. One of a forbidden tool should not hold.
func TestWhereThatNeverHolds(t *testing.T) {
	for _, tc := range []struct {
		name     string
		settings func(*testing.T) scoring.ExpectationSettings
		logs     int
		reason   string
	}{
		{"expected", func(t *testing.T) scoring.ExpectationSettings {
			return scoring.ExpectationSettings{Tools: []scoring.Tool{where(t, "search", `index == -1`)}}
		}, 1, "it was not meant"},
		{"expected, and holds at last", func(t *testing.T) scoring.ExpectationSettings {
			return scoring.ExpectationSettings{Tools: []scoring.Tool{where(t, "search", `index == 999`)}}
		}, 0, "it holds sometimes"},
		{"forbidden", func(t *testing.T) scoring.ExpectationSettings {
			return scoring.ExpectationSettings{Forbidden: []scoring.Tool{where(t, "search", `index == -1`)}}
		}, 0, "all is well"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, expect(t, tc.settings(t)), func(t *testing.T, r *rig) {
				core, logged := observer.New(zap.InfoLevel)
				r.logger = zap.New(core)
				for trace := byte(1); trace <= 2; trace++ {
					spans := []span{agent("a"+string('a'+rune(trace)), "", 1, 3000).in(trace)}
					for i := range neverHeld {
						spans = append(spans, tool(fmt.Sprintf("%c%04d", 'a'+trace, i), spans[0].id, 2+i, 3+i, "search").in(trace))
					}
					require.NoError(t, r.send(spans...))
				}
				r.after(time.Minute, 2*neverHeld+2)
				entries := logged.FilterMessageSnippet("has held on no call").All()
				require.Len(t, entries, tc.logs, tc.reason)
				if tc.logs > 0 {
					require.Equal(t, map[string]any{"expectation": "0", "where": "index == -1", "calls": int64(neverHeld)}, entries[0].ContextMap())
				}
			})
		})
	}
}
