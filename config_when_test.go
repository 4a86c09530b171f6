package toolcorrectnessprocessor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// What is read from a condition. A need is written "place key=value|value".
func TestNeeds(t *testing.T) {
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
		for _, need := range needs(tc.when) {
			place := map[toolcorrectness.Place]string{
				toolcorrectness.SpanAttribute: "span ", toolcorrectness.ResourceAttribute: "resource ", toolcorrectness.ScopeAttribute: "scope ",
				toolcorrectness.SpanName: "span name", toolcorrectness.ScopeName: "scope name",
			}[need.Path.Of]
			got = append(got, place+need.Path.Key+"="+strings.Join(need.Values, "|"))
		}
		assert.Equal(t, tc.want, got, tc.when)
		_, err := load(t, "expectations: [{tools: [], when: "+strconv.Quote(tc.when)+"}]")
		require.NoError(t, err, tc.when)
	}
	assert.Empty(t, needs(a+` and Any(attributes["l"], (v) => v == "x")`), "a lambda, which no function takes yet")
}

// FuzzWhen reads any condition. Where one of its needs does not hold on a span, whatever else is there, OTTL finds that
// the condition is false, and no failure.
func FuzzWhen(f *testing.F) {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), componenttest.NewNopTelemetrySettings())
	require.NoError(f, err)
	read, seeds := 0, 2000
	if testing.Short() {
		seeds /= 8
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range seeds {
		when := randomCondition(random, 3)
		_, err := parser.ParseCondition(when)
		require.NoError(f, err)
		read += len(needs(when))
		f.Add(when, random.Uint64())
	}
	require.Greater(f, read, seeds/4, "needs of random conditions")
	for _, when := range []string{`attributes["a"] == 0x0for name == "x"`, `name == "x" and attributes["b"] == 1.5e3or true`, `name == "x" and 1.or true`,
		"name\n==\f\"x\ny\"", `name == "\\" and name == "x"`, `"\" or name == \"" == name or true`, `name == "x" and Xor(true)`, "name == \"\xff\""} {
		f.Add(when, uint64(7))
	}
	f.Fuzz(func(t *testing.T, when string, seed uint64) {
		found := needs(when)
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

var (
	randomPaths = []string{`attributes["a"]`, `attributes["b"]`, `span.attributes["a"]`, `resource.attributes["a"]`, `scope.attributes["a"]`, `name`, `scope.name`}
	randomOdd   = []string{`true`, `false`, `IsMatch(name, "x")`, `Int(ParseJSON(attributes["b"])["x"]) == 1`, `attributes["a"]["b"] == "x"`,
		`attributes["a"] == nil`, `attributes["b"] > 5`, `attributes["a"] == attributes["b"]`, `Len(attributes["a"]) == 1`, `ParseInt(name, 10) == 1`,
		`attributes[name] == "x"`, `attributes["a"] == 0x78`, `(1 + 2) * 3 == attributes["a"]`, `{"a": "x"} == attributes["a"]`, `kind == SPAN_KIND_SERVER`}
	randomValues = []string{"x", "", "y", " or ", "\uFFFD"}
)

func randomCondition(random *rand.Rand, depth int) string {
	if depth == 0 || random.IntN(4) == 0 {
		path, value := randomPaths[random.IntN(len(randomPaths))], strconv.Quote(randomValues[random.IntN(len(randomValues))])
		switch random.IntN(6) {
		case 0:
			return randomOdd[random.IntN(len(randomOdd))]
		case 1:
			return path + " != " + value
		case 2:
			return value + "==" + path
		default:
			return path + " == " + value
		}
	}
	left, right := randomCondition(random, depth-1), randomCondition(random, depth-1)
	switch random.IntN(9) {
	case 0:
		return "not (" + left + ")"
	case 1:
		return "(" + left + ")"
	case 2, 3:
		return left + " or " + right
	default:
		return left + " and " + right
	}
}

// randomSpan has values of any type at the paths of the needs and at some others. missed says that a need does not hold.
func randomSpan(random *rand.Rand, needs []toolcorrectness.Equality) (td ptrace.Traces, missed bool) {
	td = ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	scope := rs.ScopeSpans().AppendEmpty()
	span := scope.Spans().AppendEmpty()
	span.Attributes().PutStr("b", `{"x": 1}`)
	holds := map[toolcorrectness.Path]string{}
	for _, need := range needs {
		value := slices.Concat(need.Values, need.Values, randomValues)[random.IntN(2*len(need.Values)+len(randomValues))]
		isText := true
		switch need.Path.Of {
		case toolcorrectness.SpanName:
			span.SetName(value)
		case toolcorrectness.ScopeName:
			scope.Scope().SetName(value)
		case toolcorrectness.SpanAttribute:
			isText = randomAttribute(random, span.Attributes(), need.Path.Key, value)
		case toolcorrectness.ResourceAttribute:
			isText = randomAttribute(random, rs.Resource().Attributes(), need.Path.Key, value)
		case toolcorrectness.ScopeAttribute:
			isText = randomAttribute(random, scope.Scope().Attributes(), need.Path.Key, value)
		}
		delete(holds, need.Path) // a path may be needed twice, and the last value stays
		if isText {
			holds[need.Path] = value
		}
	}
	for _, need := range needs {
		value, ok := holds[need.Path]
		missed = missed || !ok || !slices.Contains(need.Values, value)
	}
	return td, missed
}

// randomAttribute says whether it put a string.
func randomAttribute(random *rand.Rand, m pcommon.Map, key, value string) bool {
	switch random.IntN(14) {
	case 0:
		m.Remove(key)
	case 1:
		m.PutEmpty(key)
	case 2:
		m.PutInt(key, 7)
	case 3:
		m.PutDouble(key, 7)
	case 4:
		m.PutBool(key, true)
	case 5:
		m.PutEmptyBytes(key).FromRaw([]byte(value))
	case 6:
		m.PutEmptySlice(key).AppendEmpty().SetStr(value)
	case 7:
		m.PutEmptyMap(key).PutStr("b", value)
	default:
		m.PutStr(key, value)
		return true
	}
	return false
}

// A configuration of many conditions judges runs as if each of them had been asked. Conditions ask for the agent's name
// under the attribute that the processor sets, too.
func TestNeedsDoNotChangeVerdicts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var yaml strings.Builder
	yaml.WriteString("expectations:\n")
	for i := range 300 {
		when := fmt.Sprintf(`attributes["tool_correctness.agent"] == "agent-%d"`, random.IntN(100))
		switch i % 3 {
		case 0:
			when += ` and attributes["a"] == "` + randomValues[random.IntN(len(randomValues))] + `"`
		case 1:
			when = `attributes["a"] == "x" and (` + when + ") and (" + randomCondition(random, 2) + ")"
		}
		fmt.Fprintf(&yaml, "- {tools: [search], when: %q}\n", when)
	}
	set := settingsOf(t, yaml.String())
	requests := agentSpans(random)
	fast := expectationsOf(t, set, requests)
	indexed, chosen := 0, map[string]bool{}
	for i := range set.Expectations {
		indexed += len(set.Expectations[i].Needs)
		set.Expectations[i].Needs = nil
	}
	for _, name := range fast {
		chosen[name] = true
	}
	require.Greater(t, indexed, 300)
	require.Greater(t, len(chosen), 20, "expectations that were met")
	require.Contains(t, chosen, "", "a run that no expectation is for")
	require.Equal(t, expectationsOf(t, set, requests), fast)
}

// agentSpans are runs of agents, each in a trace of its own.
func agentSpans(random *rand.Rand) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range 500 {
		span := spans.AppendEmpty()
		span.SetTraceID(pcommon.TraceID{1, byte(i >> 8), byte(i)})
		span.SetSpanID(pcommon.SpanID{1, byte(i >> 8), byte(i)})
		span.SetName("x")
		span.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
		span.Attributes().PutStr("gen_ai.agent.name", fmt.Sprintf("agent-%d", random.IntN(110)))
		randomAttribute(random, span.Attributes(), "a", randomValues[random.IntN(len(randomValues))])
	}
	return td
}

// expectationsOf are the names of the expectations that were chosen, by trace.
func expectationsOf(t *testing.T, set toolcorrectness.Settings, td ptrace.Traces) map[pcommon.TraceID]string {
	p, err := toolcorrectness.New(set, componenttest.NewNopTelemetrySettings(), consumertest.NewNop())
	require.NoError(t, err)
	names := map[pcommon.TraceID]string{}
	p.DryRun(func(r toolcorrectness.Report) { names[r.Run.Trace] = r.Expectation })
	sent := ptrace.NewTraces()
	td.CopyTo(sent)
	require.NoError(t, p.ConsumeTraces(t.Context(), sent))
	p.Advance(t.Context(), set.Run.Wait)
	require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	require.Len(t, names, td.SpanCount())
	return names
}
