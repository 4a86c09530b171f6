package evaluate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestRejectedRequestsCountOnlyIfForbiddenOrAskedFor(t *testing.T) {
	parser, err := conditions.NewParser(componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	small, err := parser.Where(`arguments["amount"] < 10`)
	require.NoError(t, err)
	refund := func(amount string) runs.Call {
		return runs.Call{Call: scoring.Call{Name: "refund", Arguments: scoring.JSON(amount)}}
	}
	for _, tc := range []struct {
		name      string
		forbidden []scoring.Tool
		rejected  []runs.Call
		fail      bool
		exclude   string
		score     float64
		reason    string
		because   string
	}{
		{"ignored", nil, []runs.Call{refund(`{}`)}, false, "", 1, "Passed: the expected call was made.", "nothing was executed"},
		{"not ignored", nil, []runs.Call{refund(`{}`)}, true, "", 0, "Failed: calls were asked for and rejected: refund, so the score is 0. The expected call was made.", "the key says so"},
		{"excluded", nil, []runs.Call{refund(`{}`)}, true, "ref*", 1, "Passed: the expected call was made.", "what does not count as called does not count as rejected"},
		{"forbidden", []scoring.Tool{{Name: "ref*"}}, []runs.Call{refund(`{}`)}, false, "", 0, "Failed: forbidden calls were asked for and rejected: refund, so the score is 0. The expected call was made.", "a model must not ask for it"},
		{"forbidden with arguments", []scoring.Tool{{Name: "refund", Arguments: scoring.JSON(`{"amount": 5}`)}}, []runs.Call{refund(`{"amount": 6}`)}, false, "", 1,
			"Passed: the expected call was made.", "those are other arguments"},
		{"forbidden by a condition", []scoring.Tool{{Name: "refund", Where: small}}, []runs.Call{refund(`{"amount": 16}`), refund(`{"amount": 6}`)}, false, "", 0,
			"Failed: forbidden calls were asked for and rejected: refund, so the score is 0. The expected call was made.", "the condition holds on the second"},
		{"many", nil, manyCalls(10), true, "", 0,
			"Failed: calls were asked for and rejected: t0, t1, t2, t3, t4, t5, t6, t7 and 2 more, so the score is 0. The expected call was made.", "a reason has no room for all"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			method, err := scoring.NewNative(scoring.NativeOptions{Threshold: 1})
			require.NoError(t, err)
			expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}, Forbidden: tc.forbidden})
			require.NoError(t, err)
			set := Settings{Metrics: []Metric{{Name: "m", Method: method, Threshold: 1, Reason: true}}, FailRejected: tc.fail}
			if tc.exclude != "" {
				set.Exclude = []string{tc.exclude}
			}
			e := New(set)
			e.Use(NewRules(set.Metrics, ExpectationSet{Expectations: []Expectation{{Name: "every", Expected: expected, Metrics: set.Metrics}}}))
			var v Evaluation
			e.Judge(t.Context(), &v, &runs.Run{Calls: []runs.Call{{Call: scoring.Call{Name: "search"}}}, Rejected: tc.rejected})
			require.Len(t, v.Report.Results, 1)
			got := v.Report.Results[0]
			assert.Equal(t, tc.reason, got.Reason, tc.because)
			assert.InDelta(t, tc.score, got.Verdict.Score, 0, tc.because)
			assert.Equal(t, tc.score == 1, got.Verdict.Passed)
		})
	}
}

func manyCalls(n int) (calls []runs.Call) {
	for i := range n {
		calls = append(calls, runs.Call{Call: scoring.Call{Name: fmt.Sprint("t", i)}})
	}
	return calls
}
