package condition

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditiontest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
)

// What is read from a condition. An equality is written "origin key=value|value".
func TestRequired(t *testing.T) {
	parser, err := ottlspan.NewParser(ottlfunctions.Functions(), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	const a, odd = `attributes["a"] == "x"`, `IsMatch(name, "x")`
	for _, tc := range []struct {
		when string
		want []string
	}{
		{a, []string{"span a=x"}},
		{`"x"==attributes [ "a" ]`, []string{"span a=x"}},
		{`span.attributes["a"] == ""`, []string{"span a="}},
		{`resource.attributes["a b"] == "é"`, []string{"resource a b=é"}},
		{`scope.attributes["a"] == "and"`, []string{"scope a=and"}},
		{`instrumentation_scope.attributes["a"] == "x" and instrumentation_scope.name == "x"`, []string{"scope a=x", "scope name=x"}},
		{`name == "x" and span.name == "y" and scope.name == "z"`, []string{"span name=x", "span name=y", "scope name=z"}},
		{a + " and " + odd, []string{"span a=x"}},
		{a + " and (" + odd + " or true) and name == \"y\"", []string{"span a=x"}},
		{odd + " and " + a, nil}, // what fails first is counted today
		{`attributes["b"] != nil and not name == "y" and 7 < attributes["c"] and true and ` + a, []string{"span a=x"}},
		{`((` + a + `))`, []string{"span a=x"}},
		{a + ` or attributes["a"] == "y" or "x" == attributes["a"]`, []string{"span a=x|y"}},
		{`(` + a + ` or attributes["a"] == "y" and ` + odd + `) and name == "z"`, []string{"span a=x|y"}},
		{`(` + a + ` or attributes["a"] == "y") and name == "z"`, []string{"span a=x|y", "span name=z"}},
		{a + " or name == \"x\"", nil},
		{a + " or " + odd, nil},
		{a + " and name == \"x\" or name == \"y\" and " + odd, []string{"span name=x|y"}},
		{"not " + a, nil},
		{"not (" + a + ")", nil},
		{`attributes["a"] != "x"`, nil},
		{`attributes["a"] == "x\\"`, nil},
		{`attributes["a\x62"] == "x"`, nil},
		{`attributes["a"]["b"] == "x"`, nil},
		{`attributes[name] == "x"`, nil},
		{`attributes["a"] == 7`, nil},
		{`attributes["a"] == nil`, nil},
		{`attributes["a"] == attributes["b"]`, nil},
		{`attributes["b"] == 1.5e3 and ` + a, nil},
		{`attributes["b"] == 0x0for ` + a, nil},           // the lexer sees 0x0f, or
		{a + ` and kind == SPAN_KIND_SERVERor true`, nil}, // and an "or" here
		{`Concat(["x"], attributes["a"]) == "x"`, nil},
		{`kind.string == "x"`, nil},
		{`"x" == "x"`, nil},
		{`true`, nil},
	} {
		var got []string
		for _, e := range Required(tc.when) {
			place := map[Origin]string{
				SpanAttribute: "span ", ResourceAttribute: "resource ", ScopeAttribute: "scope ",
				SpanName: "span name", ScopeName: "scope name",
			}[e.Path.Of]
			got = append(got, place+e.Path.Key+"="+strings.Join(e.Values, "|"))
		}
		assert.Equal(t, tc.want, got, tc.when)
		_, err := parser.ParseCondition(tc.when)
		require.NoError(t, err, tc.when)
	}
	assert.Empty(t, Required(a+` and Any(attributes["l"], (v) => v == "x")`), "a lambda, which no function takes yet")
}

// FuzzWhen reads any condition. If one of its required equalities does not hold on a span, OTTL evaluates the condition to
// false, without a failure.
func FuzzWhen(f *testing.F) {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), componenttest.NewNopTelemetrySettings())
	require.NoError(f, err)
	read, seeds := 0, 2000
	if testing.Short() {
		seeds /= 8
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range seeds {
		when := conditiontest.Condition(random, 3)
		_, err := parser.ParseCondition(when)
		require.NoError(f, err)
		read += len(Required(when))
		f.Add(when, random.Uint64())
	}
	require.Greater(f, read, seeds/4, "equalities of random conditions")
	for _, when := range []string{`attributes["a"] == 0x0for name == "x"`, `name == "x" and attributes["b"] == 1.5e3or true`, `name == "x" and 1.or true`,
		"name\n==\f\"x\ny\"", `name == "\\" and name == "x"`, `"\" or name == \"" == name or true`, `name == "x" and Xor(true)`, "name == \"\xff\""} {
		f.Add(when, uint64(7))
	}
	f.Fuzz(func(t *testing.T, when string, seed uint64) {
		found := Required(when)
		if len(found) == 0 {
			return
		}
		condition, err := parser.ParseCondition(when)
		if err != nil {
			return
		}
		random := rand.New(rand.NewPCG(seed, 1))
		for range 20 {
			td, missed := randomSpan(random, found)
			rs := td.ResourceSpans().At(0)
			tctx := ottlcontext.New(rs, rs.ScopeSpans().At(0), rs.ScopeSpans().At(0).Spans().At(0))
			holds, err := condition.Eval(t.Context(), tctx)
			tctx.Close()
			if missed {
				require.NoError(t, err, when)
				require.False(t, holds, when)
			}
		}
	})
}

// randomSpan has values of any type at the paths of the equalities and at some others. missed says that an equality does not hold.
func randomSpan(random *rand.Rand, required []Equality) (td ptrace.Traces, missed bool) {
	td = ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	scope := rs.ScopeSpans().AppendEmpty()
	span := scope.Spans().AppendEmpty()
	span.Attributes().PutStr("b", `{"x": 1}`)
	holds := map[Path]string{}
	for _, e := range required {
		value := slices.Concat(e.Values, e.Values, conditiontest.Values)[random.IntN(2*len(e.Values)+len(conditiontest.Values))]
		isText := true
		switch e.Path.Of {
		case SpanName:
			span.SetName(value)
		case ScopeName:
			scope.Scope().SetName(value)
		case SpanAttribute:
			isText = conditiontest.Attribute(random.IntN, span.Attributes(), e.Path.Key, value)
		case ResourceAttribute:
			isText = conditiontest.Attribute(random.IntN, rs.Resource().Attributes(), e.Path.Key, value)
		case ScopeAttribute:
			isText = conditiontest.Attribute(random.IntN, scope.Scope().Attributes(), e.Path.Key, value)
		}
		delete(holds, e.Path) // a path may be required twice, and the last value stays
		if isText {
			holds[e.Path] = value
		}
	}
	for _, e := range required {
		value, ok := holds[e.Path]
		missed = missed || !ok || !slices.Contains(e.Values, value)
	}
	return td, missed
}
