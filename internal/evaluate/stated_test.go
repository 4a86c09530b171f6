package evaluate

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A sender decides how long the attribute is that holds expected tools. However many expectations read it, a run reads it once.
func TestExpectedToolsOfASpanAreReadOnce(t *testing.T) {
	const expectations, rounds = 10, 20
	for _, tc := range []struct {
		claim     string
		attribute func(i int) string
		parsed    int
		reason    string
	}{
		{"one attribute", func(int) string { return "expected" }, 1, "ten expectations share what it says"},
		{"attributes of their own", strconv.Itoa, expectations, "each says something"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			parsed := 0
			const prefix = "only Parse reads this: "
			parse := func(text string) (*scoring.Expectation, error) {
				parsed++
				return scoring.ParseExpectation(strings.TrimPrefix(text, prefix))
			}
			method, err := scoring.NewNative(scoring.NativeOptions{Threshold: 1})
			require.NoError(t, err)
			var metrics []Metric
			var all []Expectation
			for i := range expectations {
				metrics = append(metrics, Metric{Name: "m" + strconv.Itoa(i), Method: method, Threshold: 1})
				all = append(all, Expectation{Name: strconv.Itoa(i), FromAttribute: tc.attribute(i), Parse: parse, Metrics: metrics[i:]})
			}
			e := evaluatorOf(metrics, all)
			origin := ptrace.NewTraces().ResourceSpans().AppendEmpty()
			scope := origin.ScopeSpans().AppendEmpty()
			ctx := conditions.Remember(t.Context())
			var v Evaluation
			for range rounds {
				span := scope.Spans().AppendEmpty()
				for i := range expectations {
					span.Attributes().PutStr(tc.attribute(i), prefix+`["search"]`)
				}
				e.Judge(ctx, &v, &runs.Run{
					Anchors: []evidence.Held{{Data: span, Origin: &evidence.Origin{Resource: origin, Scope: scope}}},
					Calls:   []runs.Call{{Call: scoring.Call{Name: "search"}}},
				})
				require.Len(t, v.Report.Results, expectations)
				for _, r := range v.Report.Results {
					require.True(t, r.Verdict.Passed, r.Verdict.Why)
				}
			}
			require.Equal(t, rounds*tc.parsed, parsed, tc.reason)
		})
	}
}
