package conditions

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func parser(tb testing.TB) *Parser {
	p, err := NewParser(componenttest.NewNopTelemetrySettings())
	require.NoError(tb, err)
	return p
}

// refund is a run whose second call has all that a condition may read.
func refund() *Run {
	rs := ptrace.NewResourceSpans()
	scope := rs.ScopeSpans().AppendEmpty()
	anchor := &Place{Resource: rs, Scope: scope, Span: scope.Spans().AppendEmpty()}
	attributes, resource := anchor.Span.Attributes(), rs.Resource().Attributes()
	attributes.PutStr("order.id", "A17")
	attributes.PutInt("limit", 1000)
	anchor.Span.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)))
	attributes.PutEmptyMap("user").PutStr("tier", "gold")
	list := attributes.PutEmptySlice("ids")
	list.AppendEmpty().SetStr("A17")
	resource.PutStr("deployment.environment", "prod")
	return &Run{
		Calls: []scoring.Call{
			{Name: "search"},
			{
				Name: "refund_order", Status: scoring.StatusOK,
				Arguments: scoring.JSON(`{"order_id":"A17","amount":12.50,"count":3,"to":{"lines":["a","b"],"zip":"8001"},"express":true,"note":null,"big":12345678901234567890}`),
				Output:    scoring.JSON(`[{"type":"text","text":"{\"status\":\"done\",\"at\":\"2026-11-22T10:00:00Z\"}"}]`),
			},
			{Name: "text", Arguments: scoring.Text("no JSON"), Output: scoring.Text("42 degrees"), Status: scoring.StatusFailed},
			{Name: "none", Arguments: scoring.Omitted(), Output: scoring.JSON("null")},
			{Name: "large", Arguments: scoring.TooLarge(), Output: scoring.TooLarge()},
		},
		Duration: func(call int) (time.Duration, bool) { return 1500 * time.Millisecond, call == 1 },
		Anchor:   anchor,
	}
}

// What each path returns, by conditions on it.
func TestPaths(t *testing.T) {
	words := []string{"unmet", "met", "failed", "no arguments", "no output", "no earlier"}
	p := parser(t)
	for _, row := range testrows.Read[struct {
		Where  string
		Call   int
		Want   string
		Reason string
	}](t, "testdata/paths.yaml") {
		t.Run(row.Where, func(t *testing.T) {
			c, err := p.Where(row.Where)
			require.NoError(t, err)
			r := refund()
			r.Context = t.Context()
			require.Equal(t, row.Want, words[r.Evaluate(c, row.Call)], row.Reason)
			require.Equal(t, row.Where, c.String())
			arguments, output := c.Reads()
			require.Equal(t, strings.Contains(row.Where, "arguments"), arguments, "reads arguments")
			require.Equal(t, strings.Contains(row.Where, "output"), output, "reads the output")
		})
	}
}

// A run without its span has no attributes, which is not the same as empty ones.
func TestRunWithoutAnchor(t *testing.T) {
	c, err := parser(t).Where(`run.attributes["x"] == nil`)
	require.NoError(t, err)
	r := refund()
	r.Context, r.Anchor = t.Context(), nil
	require.Equal(t, scoring.ConditionNoAnchor, r.Evaluate(c, 1))
}

// What the sides of a comparison that does not hold are is quoted only if values may be.
func TestSides(t *testing.T) {
	p := parser(t)
	for _, row := range testrows.Read[struct{ Where, Sides, Reason string }](t, "testdata/sides.yaml") {
		c, err := p.Where(row.Where)
		require.NoError(t, err)
		r := refund()
		r.Context, r.Quote = t.Context(), true
		require.Equal(t, row.Sides, r.Sides(c, 1), "%s: %s", row.Where, row.Reason)
		r.Quote = false
		require.Empty(t, r.Sides(c, 1), row.Where)
	}
}

// A parser compiles equal conditions once.
func TestEqualConditionsAreCompiledOnce(t *testing.T) {
	p := parser(t)
	first, err := p.Where(`index < 5`)
	require.NoError(t, err)
	again, err := p.Where(`index < 5`)
	require.NoError(t, err)
	require.Same(t, first, again)
	other, err := p.Where(`index < 6`)
	require.NoError(t, err)
	require.NotSame(t, first, other)
}

// A run's attributes are read again for each of its calls, so a long one is read as often as the bound allows.
func TestLongAttributesAreReadWithinABound(t *testing.T) {
	c, err := parser(t).Where(`run.attributes["prompt"] != "x"`)
	require.NoError(t, err)
	for _, tc := range []struct {
		name   string
		bytes  int
		calls  int
		want   scoring.ConditionResult
		reason string
	}{
		{"short", shortValue, 50_000, scoring.ConditionMet, "it costs no more than the rest"},
		{"long, few calls", 64 << 10, MaxShared / (64 << 10), scoring.ConditionMet, "within the bound"},
		{"long, many calls", 64 << 10, MaxShared/(64<<10) + 1, scoring.ConditionTooLong, "beyond it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := refund()
			r.Context = t.Context()
			r.Anchor.Span.Attributes().PutStr("prompt", strings.Repeat("a", tc.bytes))
			r.Calls = make([]scoring.Call, tc.calls)
			var last scoring.ConditionResult
			for i := range r.Calls {
				last = r.Evaluate(c, i)
			}
			require.Equal(t, tc.want, last, tc.reason)
		})
	}
}

// Conditions on calls read no wide span, and no function reads a large value. The run is then not scored.
func TestExtremesAreRefused(t *testing.T) {
	for _, tc := range []struct {
		claim, where string
		change       func(*Run)
		want         scoring.ConditionResult
	}{
		{"as many attributes as may be read", `run.attributes["none"] == nil`, func(r *Run) { widen(r.Anchor.Span.Attributes(), MaxAttributes) }, scoring.ConditionMet},
		{"a wide span", `run.attributes["none"] == nil`, func(r *Run) { widen(r.Anchor.Span.Attributes(), MaxAttributes+1) }, scoring.ConditionTooLong},
		{"a wide resource", `run.resource.attributes["none"] == nil`, func(r *Run) { widen(r.Anchor.Resource.Resource().Attributes(), MaxAttributes+1) }, scoring.ConditionTooLong},
		{"a wide span that is not read", `index == 1`, func(r *Run) { widen(r.Anchor.Span.Attributes(), MaxAttributes+1) }, scoring.ConditionMet},
		{"a large text", `IsMatch(arguments["a"], "a")`, func(r *Run) { r.Calls[1].Arguments = scoring.JSON(`{"a":"` + strings.Repeat("a", MaxBytes+1) + `"}`) }, scoring.ConditionTooLong},
		{"a large map", `Len(arguments) > 0`, func(r *Run) { r.Calls[1].Arguments = scoring.JSON(`{"a":"` + strings.Repeat("a", MaxBytes+1) + `"}`) }, scoring.ConditionTooLong},
		{"a large text without a function", `arguments["a"] != nil`, func(r *Run) { r.Calls[1].Arguments = scoring.JSON(`{"a":"` + strings.Repeat("a", MaxBytes+1) + `"}`) }, scoring.ConditionMet},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			c, err := parser(t).Where(tc.where)
			require.NoError(t, err)
			r := refund()
			r.Context = t.Context()
			tc.change(r)
			require.Equal(t, tc.want, r.Evaluate(c, 1))
		})
	}
}

// widen adds attributes until there are n.
func widen(m pcommon.Map, n int) {
	m.EnsureCapacity(n)
	for i := m.Len(); i < n; i++ {
		m.PutInt(strconv.Itoa(i), 1)
	}
}

// An unknown path is named with its place, in lines and characters.
func TestUnknownPaths(t *testing.T) {
	p := parser(t)
	for _, row := range testrows.Read[struct{ Where, Error string }](t, "testdata/unknown.yaml") {
		_, err := p.Where(row.Where)
		require.ErrorContains(t, err, "is no condition on a call: "+row.Error, row.Where)
	}
	_, err := p.Where(`index == 0`)
	require.NoError(t, err)
	_, err = p.Where(`index = 0`)
	require.ErrorContains(t, err, "1:7", "OTTL says where its grammar is broken")
}

// FuzzWhere evaluates conditions on payloads of any text. Nothing panics, the same question has the same answer, and what was
// decoded for one call is not read for another.
func FuzzWhere(f *testing.F) {
	for _, where := range []string{
		`arguments["a"]["b"] == 1`, `arguments["a"][0] == output`, `Len(arguments) > 1`, `IsMatch(output, "x")`, `output["a"] == arguments["a"]`,
		`Int(arguments["a"]) > 3`, `ParseJSON(output)["a"] == 1`, `index == 1 and duration == nil`, `arguments[name] != nil`,
	} {
		f.Add(where, `{"a":{"b":1}}`, `[1,"x"]`, "a")
		f.Add(where, "no JSON \xff", `{"type":"text"}`, "")
	}
	p := parser(f)
	f.Fuzz(func(t *testing.T, where, arguments, output, name string) {
		c, err := p.Where(where)
		if err != nil || strings.Contains(where, "Now") || strings.Contains(where, "UUID") {
			return
		}
		calls := []scoring.Call{
			{Name: name, Arguments: scoring.JSON(arguments), Output: scoring.JSON(output)},
			{Name: name, Arguments: scoring.Text(output), Output: scoring.Text(arguments)},
		}
		r := refund()
		r.Context, r.Calls = t.Context(), calls
		var first [2]scoring.ConditionResult
		for round := range 3 {
			for i := range calls {
				got := r.Evaluate(c, i)
				if round == 0 {
					first[i] = got
				}
				require.Equal(t, first[i], got, "%q on call %d, round %d", where, i, round)
				alone := refund()
				alone.Context, alone.Calls = t.Context(), calls
				require.Equal(t, got, alone.Evaluate(c, i), "%q on call %d alone", where, i)
			}
		}
	})
}
