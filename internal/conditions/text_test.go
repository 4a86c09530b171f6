package conditions

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

func TestNever(t *testing.T) {
	for _, row := range testrows.Read[struct{ When, Why, Reason string }](t, "testdata/never.yaml") {
		assert.Equal(t, row.Why, Never(row.When), "%s: %s", row.When, row.Reason)
	}
}

var (
	pathTexts  = []string{`attributes["a"]`, `attributes["b"]`, `span.attributes["a"]`, `resource.attributes["a"]`, `scope.attributes["a"]`, `name`, `scope.name`}
	otherTexts = []string{`true`, `false`, `IsMatch(name, "x")`, `Int(ParseJSON(attributes["b"])["x"]) == 1`, `attributes["a"]["b"] == "x"`,
		`attributes["a"] == nil`, `attributes["b"] > 5`, `attributes["a"] == attributes["b"]`, `Len(attributes["a"]) == 1`, `ParseInt(name, 10) == 1`,
		`attributes[name] == "x"`, `attributes["a"] == 0x78`, `(1 + 2) * 3 == attributes["a"]`, `{"a": "x"} == attributes["a"]`, `kind == SPAN_KIND_SERVER`}
	valueTexts = []string{"x", "", "y", " or ", "\uFFFD"}
)

// someCondition is a random condition of at most depth nested operators. It has few paths and values, so that many hold.
func someCondition(random *rand.Rand, depth int) string {
	if depth == 0 || random.IntN(4) == 0 {
		path, value := pathTexts[random.IntN(len(pathTexts))], strconv.Quote(valueTexts[random.IntN(len(valueTexts))])
		switch random.IntN(6) {
		case 0:
			return otherTexts[random.IntN(len(otherTexts))]
		case 1:
			return path + " != " + value
		case 2:
			return value + "==" + path
		default:
			return path + " == " + value
		}
	}
	left, right := someCondition(random, depth-1), someCondition(random, depth-1)
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

// someValue puts a text under a key, or a value of another type, or none.
func someValue(random *rand.Rand, m pcommon.Map, key string) {
	text := valueTexts[random.IntN(len(valueTexts))]
	all := []any{nil, 7, 7.0, true, []byte(text), []any{text}, map[string]any{"b": text}}
	switch i := random.IntN(2 * (len(all) + 1)); {
	case i > len(all):
		m.PutStr(key, text)
	case i > 0:
		_ = m.PutEmpty(key).FromRaw(all[i-1]) // it takes all of these
	}
}

// FuzzWhen reads any condition. One that holds on nothing holds on no span.
func FuzzWhen(f *testing.F) {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[span](), componenttest.NewNopTelemetrySettings())
	require.NoError(f, err)
	never, seeds := 0, 2000
	if testing.Short() {
		seeds /= 8
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range seeds {
		when := someCondition(random, 3)
		_, err := parser.ParseCondition(when)
		require.NoError(f, err)
		never += min(1, len(Never(when)))
		f.Add(when, random.Uint64())
	}
	require.Positive(f, never)
	for _, when := range []string{`attributes["a"] == 0x0for name == "x"`, `name == "x" and attributes["b"] == 1.5e3or true`, `name == "x" and 1.or true`,
		"name\n==\f\"x\ny\"", `name == "\\" and name == "x"`, `"\" or name == \"" == name or true`, `name == "x" and Xor(true)`, "name == \"\xff\""} {
		f.Add(when, uint64(7))
	}
	f.Fuzz(func(t *testing.T, when string, seed uint64) {
		why := Never(when)
		if why == "" {
			return
		}
		condition, err := parser.ParseCondition(when)
		if err != nil {
			return
		}
		random := rand.New(rand.NewPCG(seed, 1))
		for range 20 {
			at := somePlace(random)
			tctx := at.Open()
			holds, err := condition.Eval(t.Context(), tctx)
			tctx.Close()
			require.False(t, holds && err == nil, "%s: %s", when, why)
		}
	})
}

// somePlace has values of any type.
func somePlace(random *rand.Rand) *Place {
	rs := ptrace.NewTraces().ResourceSpans().AppendEmpty()
	scope := rs.ScopeSpans().AppendEmpty()
	at := &Place{Resource: rs, Scope: scope, Span: scope.Spans().AppendEmpty()}
	at.Span.SetName(valueTexts[random.IntN(len(valueTexts))])
	scope.Scope().SetName(valueTexts[random.IntN(len(valueTexts))])
	at.Span.Attributes().PutStr("b", `{"x": 1}`)
	for _, m := range []pcommon.Map{at.Span.Attributes(), rs.Resource().Attributes(), scope.Scope().Attributes()} {
		someValue(random, m, "a")
	}
	return at
}

// The text of an error that may quote values is only shown if values says so.
func TestFailure(t *testing.T) {
	const private = "canary-of-a-private-value"
	p := parser(t)
	quoted, shown := 0, 0
	for _, text := range []string{
		`HasPrefix(attributes["a"], "x")`, `attributes["a"]["k"] == "x"`, `attributes["a"][9] == "x"`, `Int(ParseJSON(attributes["a"])["k"]) == 1`,
		`ParseInt(attributes["a"], 10) == 1`, `Time(attributes["a"], "%Y-%m-%d") == nil`, `Duration(attributes["a"]) == nil`, `URL(attributes["a"])["path"] == "x"`,
		`Double(attributes["a"]) > 1`, `IsInCIDR(attributes["a"], ["10.0.0.0/8"])`, `ParseKeyValue(attributes["a"])["k"] == "x"`, `IsMatch(name, attributes["a"])`,
	} {
		when, err := p.When(text)
		require.NoError(t, err)
		for _, a := range []any{nil, private, "[" + private, 987654321, []any{private}, map[string]any{private: private}} {
			at := somePlace(rand.New(rand.NewPCG(1, 2)))
			require.NoError(t, at.Span.Attributes().PutEmpty("a").FromRaw(a))
			tctx := at.Open()
			_, err := when.Eval(t.Context(), tctx)
			tctx.Close()
			if err == nil {
				continue
			}
			said := Failure(err, false)
			require.NotContains(t, said, private, text)
			require.NotContains(t, said, "987654321", text)
			require.Equal(t, err.Error(), Failure(err, true))
			if strings.Contains(err.Error(), private) {
				quoted++
			}
			if !strings.Contains(said, "annotate.values") {
				shown++
			}
			require.Contains(t, strings.Join(TypesRead(text, *at), ", "), `attributes["a"] is `, text)
		}
	}
	require.Greater(t, quoted, 5, "so that this test can fail")
	require.Greater(t, shown, 5)
}
