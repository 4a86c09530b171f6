package evaluate

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A sender decides how many attributes a span has, and how long they are. Conditions read no extremes: the run is not evaluable by the
// first expectation whose condition would.
func TestExtremesAreNotEvaluable(t *testing.T) {
	const many, long = conditions.MaxAttributes + 1, conditions.MaxBytes + 1
	const equal, function = `attributes["x"] == "y"`, `IsMatch(attributes["x"], "y")`
	for _, tc := range []struct {
		claim, when, where string
		span, resource     int // attributes
		x                  int // bytes of the attribute x
		met, says          string
	}{
		{"a usual span", equal, "", 20, 20, 10, "every", ""},
		{"as many attributes as may be", equal, "", many - 1, many - 1, 10, "every", ""},
		{"a wide span", equal, "", many, 20, 10, "some", "more than 4096 attributes"},
		{"a wide resource", equal, "", 20, many, 10, "some", "more than 4096 attributes"},
		{"a long text and a comparison", equal, "", 20, 20, long, "every", ""},
		{"a long text and a function", function, "", 20, 20, long, "some", "a function reads at most 64 KiB"},
		{"a wide span without a condition on it", "", "", many, many, long, "every", ""},
		{"a wide span and a condition on calls", "", `run.attributes["x"] == "y"`, many, 20, 10, "every", "would read too much"},
		{"a long text and a condition on calls", "", `IsMatch(run.attributes["x"], "y")`, 20, 20, long, "every", "would read too much"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			parser, err := conditions.NewParser(componenttest.NewNopTelemetrySettings())
			require.NoError(t, err)
			method, err := scoring.NewNative(scoring.NativeOptions{Threshold: 1})
			require.NoError(t, err)
			metrics := []Metric{{Name: "m", Method: method, Threshold: 1}}
			tool := scoring.Tool{Name: "search"}
			var all []Expectation
			if tc.when != "" {
				when, err := parser.When(tc.when)
				require.NoError(t, err)
				all = append(all, Expectation{Name: "some", When: when, Text: tc.when, Required: conditions.Required(tc.when), Metrics: metrics, Expected: new(scoring.Expectation)})
			}
			if tc.where != "" {
				tool.Where, err = parser.Where(tc.where)
				require.NoError(t, err)
			}
			expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{tool}})
			require.NoError(t, err)
			all = append(all, Expectation{Name: "every", Expected: expected, Metrics: metrics})

			origin := ptrace.NewTraces().ResourceSpans().AppendEmpty()
			scope := origin.ScopeSpans().AppendEmpty()
			span := scope.Spans().AppendEmpty()
			span.Attributes().PutStr("x", strings.Repeat("a", tc.x))
			wide(span.Attributes(), tc.span-1)
			wide(origin.Resource().Attributes(), tc.resource)
			e := evaluatorOf(metrics, all)
			var v Evaluation
			e.Judge(t.Context(), &v, &runs.Run{
				Anchors: []evidence.Held{{Data: span, Origin: &evidence.Origin{Resource: origin, Scope: scope}}},
				Calls:   []runs.Call{{Call: scoring.Call{Name: "search"}}},
			})
			require.Equal(t, tc.met, v.Report.Expectation)
			require.Zero(t, v.Failures)
			verdict := v.Report.Results[0].Verdict
			if tc.says == "" {
				require.Equal(t, scoring.Scored, verdict.Status)
				return
			}
			require.Equal(t, scoring.NotEvaluable, verdict.Status)
			require.Contains(t, verdict.Why, tc.says)
		})
	}
}

// wide adds n attributes.
func wide(m pcommon.Map, n int) {
	m.EnsureCapacity(m.Len() + n)
	for i := range n {
		m.PutInt("team"+strconv.Itoa(i), int64(i))
	}
}
