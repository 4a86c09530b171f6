package evaluate

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlattributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottltext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// lookupRules are ten conditions on runs that do not hold, and one expectation for every run whose tool has a condition.
func lookupRules(t *testing.T, when, where string) []Expectation {
	telemetry := componenttest.NewNopTelemetrySettings()
	spans, err := ottltext.NewSpanParser(telemetry)
	require.NoError(t, err)
	calls, err := ottltext.NewCallParser(telemetry)
	require.NoError(t, err)
	method, err := scoring.NewNative(scoring.NativeOptions{Threshold: 1})
	require.NoError(t, err)
	metrics := []Metric{{Name: "m", Method: method, Threshold: 1}}
	var all []Expectation
	for i := range 10 {
		text := fmt.Sprintf(when, i)
		c, err := spans.When(text)
		require.NoError(t, err)
		all = append(all, Expectation{Name: strconv.Itoa(i), When: c, Text: text, Required: condition.Required(text), Metrics: metrics,
			Expected: new(scoring.Expectation)})
	}
	c, err := calls.Where(where)
	require.NoError(t, err)
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search", Where: c}}})
	require.NoError(t, err)
	return append(all, Expectation{Name: "every", Expected: expected, Metrics: metrics})
}

// A sender decides how many attributes a span, a scope or a resource has, and how many calls and runs read them. Each map is
// read once for all of them: a span's for its run, the others' for all runs that are judged together.
func TestAttributesAreReadOnce(t *testing.T) {
	const many, rounds, calls = 2_000, 20, 100
	const noWhen, noWhere = `attributes["x"] == "%d"`, `index == 0`
	for _, tc := range []struct {
		claim       string
		when, where string
		read        int
		reason      string
	}{
		{"equalities of a span", noWhen, noWhere, rounds * many, "the index of conditions asks for x on each span"},
		{"functions of a resource", `IsMatch(resource.attributes["service.name"], "^shop-%d-")`, noWhere, many, "all runs share the resource"},
		{"equalities of a resource", `resource.attributes["team"] == "%d"`, noWhere, many, "which conditions may hold is looked up as well"},
		{"functions of a scope", `IsMatch(scope.attributes["x"], "%d")`, noWhere, many, "all runs share the scope"},
		{"functions of a span", `IsMatch(attributes["x"], "%d")`, noWhere, rounds * many, "ten conditions read the span once"},
		{"calls that read their run", `name == "%d"`, `run.attributes["order.id"] == 7`, rounds * many, "the calls of a run read the span once"},
		{"calls that read a resource", `name == "%d"`, `run.resource.attributes["team"] == "red"`, many, "all calls share the resource"},
		{"all of them", `attributes["x"] != resource.attributes["x"] and IsMatch(attributes["x"], "%d")`,
			`run.attributes["order.id"] == 7 and run.resource.attributes["team"] == 7`, rounds*many + many, "one index serves both kinds of conditions"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			all := lookupRules(t, tc.when, tc.where)
			e := evaluatorOf(all[0].Metrics, all)
			origin := ptrace.NewTraces().ResourceSpans().AppendEmpty()
			scope := origin.ScopeSpans().AppendEmpty()
			wide(origin.Resource().Attributes(), many)
			wide(scope.Scope().Attributes(), many)
			ctx := ottlfunctions.Remember(t.Context())
			var v Evaluation
			for range rounds {
				span := scope.Spans().AppendEmpty()
				wide(span.Attributes(), many)
				own := evidence.Held{Data: span, Origin: &evidence.Origin{Resource: origin, Scope: scope}}
				run := runs.Run{Anchors: []evidence.Held{own}}
				for range calls {
					run.Calls = append(run.Calls, runs.Call{Call: scoring.Call{Name: "search"}})
				}
				e.Judge(ctx, &v, &run)
				require.Equal(t, "every", v.Report.Expectation)
				require.Zero(t, v.Failures)
			}
			require.Equal(t, tc.read, ottlattributes.Read(ctx), tc.reason)
		})
	}
}

// wide puts n attributes into a map. No condition of the test reads one of them.
func wide(m pcommon.Map, n int) {
	raw := make(map[string]any, n)
	for i := range n {
		raw["team"+strconv.Itoa(i)] = i
	}
	if err := m.FromRaw(raw); err != nil {
		panic(err)
	}
}
