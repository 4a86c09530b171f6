package evaluate

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// recall is a metric that passes if all that was expected was called.
func recall(t *testing.T, name string) []Metric {
	method, err := scoring.NewNative(scoring.NativeOptions{Threshold: 1})
	require.NoError(t, err)
	return []Metric{{Name: name, Method: method, Threshold: 1}}
}

func expecting(t *testing.T, forbidden []scoring.Tool, tools ...scoring.Tool) *scoring.Expectation {
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: tools, Forbidden: forbidden})
	require.NoError(t, err)
	return expected
}

// searching is a run that called search.
func searching(at *conditions.Place) *runs.Run {
	return &runs.Run{
		Anchors: []evidence.Held{{Data: at.Span, Origin: &evidence.Origin{Resource: at.Resource, Scope: at.Scope}}},
		Calls:   []runs.Call{{Call: scoring.Call{Name: "search"}}},
	}
}

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
			metrics := recall(t, "m")
			metrics[0].Reason = true
			set := Settings{Metrics: metrics, FailRejected: tc.fail}
			if tc.exclude != "" {
				set.Exclude = []string{tc.exclude}
			}
			e := New(set)
			e.Use(NewRules(metrics, ExpectationSet{Expectations: []Expectation{{
				Name: "every", Expected: expecting(t, tc.forbidden, scoring.Tool{Name: "search"}), Metrics: metrics,
			}}}))
			var v Evaluation
			run := searching((&dice{}).anchor())
			run.Anchors, run.Rejected = nil, tc.rejected
			e.Judge(t.Context(), &v, run)
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
			parse := func(text string) (*scoring.Expectation, error) {
				parsed++
				return scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: text}}})
			}
			var metrics []Metric
			var all []Expectation
			for i := range expectations {
				metrics = append(metrics, recall(t, "m"+strconv.Itoa(i))...)
				all = append(all, Expectation{Name: strconv.Itoa(i), FromAttribute: tc.attribute(i), Parse: parse, Metrics: metrics[i:]})
			}
			e := evaluatorOf(metrics, all)
			ctx := t.Context()
			var v Evaluation
			for range rounds {
				at := (&dice{}).anchor()
				for i := range expectations {
					at.Span.Attributes().PutStr(tc.attribute(i), "search")
				}
				e.Judge(ctx, &v, searching(at))
				require.Len(t, v.Report.Results, expectations)
				for _, r := range v.Report.Results {
					require.True(t, r.Verdict.Passed, r.Verdict.Why)
				}
			}
			require.Equal(t, rounds*tc.parsed, parsed, tc.reason)
		})
	}
}

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
			metrics := recall(t, "m")
			tool := scoring.Tool{Name: "search"}
			var all []Expectation
			if tc.when != "" {
				when, err := parser.When(tc.when)
				require.NoError(t, err)
				all = append(all, Expectation{Name: "some", When: when, Text: tc.when, Metrics: metrics, Expected: new(scoring.Expectation)})
			}
			if tc.where != "" {
				tool.Where, err = parser.Where(tc.where)
				require.NoError(t, err)
			}
			all = append(all, Expectation{Name: "every", Expected: expecting(t, nil, tool), Metrics: metrics})

			at := (&dice{}).anchor()
			at.Span.Attributes().PutStr("x", strings.Repeat("a", tc.x))
			wide(at.Span.Attributes(), tc.span-1)
			wide(at.Resource.Resource().Attributes(), tc.resource)
			var v Evaluation
			evaluatorOf(metrics, all).Judge(t.Context(), &v, searching(at))
			require.Equal(t, tc.met, v.lead.Expectation)
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

// A span without verdicts of senders costs no allocation.
func TestALookForVerdictsCostsNoAllocation(t *testing.T) {
	e := New(Settings{Metrics: one})
	span := ptrace.NewSpan()
	for _, key := range []string{"gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.conversation.id", "gen_ai.request.model", "session.id"} {
		span.Attributes().PutStr(key, "x")
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { e.Clean(span) }))
	require.Equal(t, 5, span.Attributes().Len(), "what is not ours stays")
	span.Attributes().PutStr("m.score", "forged")
	e.Clean(span)
	_, there := span.Attributes().Get("m.score")
	require.False(t, there, "no other processor's verdict stays")
}

// Expected tools of 30 MB are not read: their size is looked at first.
func TestExpectedToolsThatAreTooLongAreNotRead(t *testing.T) {
	anchor := &conditions.Place{Span: ptrace.NewSpan()}
	anchor.Span.Attributes().PutStr("expected", `["`+strings.Repeat(`a","`, 10<<20)+`a"]`)
	x := &Expectation{FromAttribute: "expected"}
	least := math.Inf(1) // the garbage collector and other goroutines add to some rounds
	for range 10 {
		least = min(least, testing.AllocsPerRun(1, func() { _, _ = x.fromAnchor(anchor) }))
	}
	require.LessOrEqual(t, least, 4.0, "only the reason is written")
}

// Ours stands there once, and the rest in its order.
func TestAttributesUnderOurNamesAreReplaced(t *testing.T) {
	span := ptrace.NewSpan()
	m := span.Attributes()
	for _, key := range []string{"before", "m.status", "between", "tool_correctness.agent", "behind"} {
		m.PutStr(key, "sender's")
	}
	annotate(t, span, "", Expectation{Name: "0", Metrics: recall(t, "m")})
	count := map[string]int{}
	var order []string
	for key, v := range m.All() {
		if count[key]++; v.Str() == "sender's" {
			order = append(order, key)
		}
	}
	require.Equal(t, []string{"before", "between", "behind"}, order, "only what is not ours is the sender's")
	for key, n := range count {
		require.Equal(t, 1, n, key)
	}
	require.Equal(t, 1, count["m.status"])
	require.Equal(t, 1, count["tool_correctness.agent"])
}

// annotate judges a run of the agent desk by expectations of a tool, and writes the verdicts on its span.
func annotate(t *testing.T, span ptrace.Span, prefix string, all ...Expectation) {
	var metrics []Metric
	for i := range all {
		all[i].Expected = expecting(t, nil, scoring.Tool{Name: "search"})
		metrics = append(metrics, all[i].Metrics...)
	}
	e := New(Settings{Metrics: metrics, Prefix: prefix})
	e.Use(NewRules(metrics, ExpectationSet{Expectations: all}))
	e.Clean(span)
	at := (&dice{}).anchor()
	at.Span = span
	v, run := new(Evaluation), searching(at)
	run.Anchors[0].Agent = "desk"
	e.Judge(t.Context(), v, run)
	e.Annotate(v)
}

// The run's attributes are those of the metric that has their prefix, wherever it stands. The name that conditions read is not left beside
// that with the prefix.
func TestTheMetricWithThePrefixLeads(t *testing.T) {
	span, holds := ptrace.NewSpan(), asker(t)("true")
	annotate(t, span, "talk", Expectation{Name: "first", When: holds, Metrics: recall(t, "a")}, Expectation{Name: "second", When: holds, Metrics: recall(t, "talk")})
	got := span.Attributes().AsRaw()
	require.Equal(t, "second", got["talk.expectation"])
	require.Equal(t, "first", got["a.expectation"])
	require.Equal(t, "desk", got["talk.agent"])
	require.NotContains(t, got, "tool_correctness.agent")
}

// A second processor with a prefix of its own leaves what the first one wrote, and replaces what a sender wrote under its names.
func TestTwoProcessorsWriteSideBySide(t *testing.T) {
	span := ptrace.NewSpan()
	for _, key := range []string{"first.score", "first.status", "tool_correctness.complete", "tool_correctness.agent"} {
		span.Attributes().PutStr(key, "first")
	}
	for _, key := range []string{"m.score", "m.run", "talk.complete"} {
		span.Attributes().PutStr(key, "forged")
	}
	New(Settings{Metrics: one, Prefix: "talk"}).Clean(span)
	require.Equal(t, map[string]any{
		"first.score": "first", "first.status": "first", "tool_correctness.complete": "first", "tool_correctness.agent": "first",
	}, span.Attributes().AsRaw())
}
