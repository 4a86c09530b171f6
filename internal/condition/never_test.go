package condition

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
)

func TestNever(t *testing.T) {
	const a = `attributes["a"]`
	for _, tc := range []struct{ condition, why, reason string }{
		{a + ` == "x" and ` + a + ` == "y"`, a + ` == "x" and ` + a + ` == "y" contradict each other`, "one text is not another"},
		{a + ` == "x" and "y" == ` + a, a + ` == "x" and ` + a + ` == "y" contradict each other`, "the sides may be exchanged"},
		{a + ` == "x" and name == "z" and ` + a + ` == "y"`, a + ` == "x" and ` + a + ` == "y" contradict each other`, "they need not be neighbours"},
		{a + ` == "x" or ` + a + ` == "y"`, "", "either is enough"},
		{a + ` == "x" and attributes["b"] == "y"`, "", "two keys"},
		{`(` + a + ` == "x") and (` + a + ` == "y" and name == "z")`, a + ` == "x" and ` + a + ` == "y" contradict each other`, "in parentheses"},
		{`name == "z" and (` + a + ` > 5 and ` + a + ` < 3 or false)`, a + ` > 5 and ` + a + ` < 3 contradict each other`, "no part of the or can hold"},
		{`name == "z" or ` + a + ` > 5 and ` + a + ` < 3`, "", "the name alone is enough"},
		{a + ` > 5 and ` + a + ` < 3`, a + ` > 5 and ` + a + ` < 3 contradict each other`, "an empty range"},
		{a + ` > 3 and ` + a + ` < 5`, "", "4 is between"},
		{a + ` >= 5 and ` + a + ` <= 5`, "", "5"},
		{a + ` > 5 and ` + a + ` <= 5`, a + ` > 5 and ` + a + ` <= 5 contradict each other`, "5 is not above 5"},
		{`5 < ` + a + ` and ` + a + ` == 2.5`, a + ` > 5 and ` + a + ` == 2.5 contradict each other`, "2.5 is below 5"},
		{a + ` > -2 and ` + a + ` < -3.5`, a + ` > -2 and ` + a + ` < -3.5 contradict each other`, "below zero"},
		{a + ` == 1 and ` + a + ` == 1.0`, "", "they are equal"},
		{a + ` == 1 and ` + a + ` != 1.0`, a + ` == 1 and ` + a + ` != 1.0 contradict each other`, "they are equal"},
		{a + ` != 1 and ` + a + ` != 2`, "", "3"},
		{a + ` > 9007199254740993 and ` + a + ` < 9007199254740993.0`, "", "beyond the precision of a float"},
		{a + ` == "x" and ` + a + ` > 3`, a + ` == "x" and ` + a + ` > 3 contradict each other`, "a text is above no number"},
		{a + ` == nil and ` + a + ` == "x"`, a + ` == nil and ` + a + ` == "x" contradict each other`, "nothing is no text"},
		{`duration > Duration("5s") and duration < Duration("3000ms")`, `duration > Duration("5s") and duration < Duration("3000ms") contradict each other`, "no time is both"},
		{`duration > Duration("5s") and duration < Duration("6s")`, "", "5.5 s"},
		{`arguments["a"]["b"] == 1 and arguments["a"]["b"] == 2`, `arguments["a"]["b"] == 1 and arguments["a"]["b"] == 2 contradict each other`, "keys in keys"},
		{`arguments["a"][0] == 1 and arguments["a"][1] == 2`, "", "two elements"},
		{`false`, "it is false", "a constant"},
		{`not true and name == "x"`, "it is false", "a constant"},
		{`not false`, "", "true"},
		{`1 == 2`, "1 == 2 is false", "two constants"},
		{`2 >= 1`, "", "two constants"},
		{`not (` + a + ` == "x" and ` + a + ` == "y")`, "", "it always holds"},
		{`not ` + a + ` == "x" and ` + a + ` == "x"`, "", "a not is not read"},
		{a + ` + 1 == 5 and ` + a + ` == 7`, "", "a sum is no path"},
		{`Int(` + a + `) == 5 and Int(` + a + `) == 7`, "", "a function is no path"},
		{a + ` == "\\" and ` + a + ` == "x"`, "", "escapes are not read"},
		{`kind == SPAN_KIND_SERVER and kind == SPAN_KIND_CLIENT`, "", "words may be equal"},
	} {
		assert.Equal(t, tc.why, Never(tc.condition), "%s: %s", tc.condition, tc.reason)
	}
}

// someComparisons are random comparisons of a few paths, joined at random.
func someComparisons(random *rand.Rand, depth int) string {
	if depth == 0 || random.IntN(3) == 0 {
		constants := []string{`"x"`, `""`, `"b"`, "7", "7.0", "7.5", "-7", "0", "true", "false", "nil", `Duration("7ns")`, `Duration("1h")`}
		paths := []string{`attributes["a"]`, `attributes["a"]`, `attributes["b"]`, "name", `attributes["c"]["d"]`}
		operators := []string{"==", "==", "!=", "<", "<=", ">", ">="}
		sides := []string{paths[random.IntN(len(paths))], constants[random.IntN(len(constants))]}
		if random.IntN(8) == 0 {
			sides[0] = constants[random.IntN(len(constants))]
		}
		random.Shuffle(2, func(i, j int) { sides[i], sides[j] = sides[j], sides[i] })
		return sides[0] + " " + operators[random.IntN(len(operators))] + " " + sides[1]
	}
	left, right := someComparisons(random, depth-1), someComparisons(random, depth-1)
	return []string{
		left + " and " + right, left + " and " + right, "(" + left + " and " + right + ")", left + " or " + right,
		"(" + left + " or " + right + ") and " + left, "not (" + left + ")",
	}[random.IntN(6)]
}

// someValue returns a value that comparisons may have.
func someValue(random *rand.Rand, v pcommon.Value) {
	switch random.IntN(6) {
	case 0:
		v.SetStr([]string{"x", "", "b"}[random.IntN(3)])
	case 1:
		v.SetInt([]int64{7, 8, -7, 0}[random.IntN(4)])
	case 2:
		v.SetDouble([]float64{7, 7.5, -7, 0, 7.25}[random.IntN(5)])
	case 3:
		v.SetBool(random.IntN(2) == 0)
	case 4:
		v.SetEmptyMap().PutInt("d", random.Int64N(9))
	case 5:
		v.SetEmptySlice().AppendEmpty().SetStr("x")
	}
}

// FuzzNever evaluates conditions that should never hold.
func FuzzNever(f *testing.F) {
	parser, err := ottlspan.NewParser(ottlfunctions.Functions(), componenttest.NewNopTelemetrySettings())
	require.NoError(f, err)
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 500 {
		condition := someComparisons(random, 3)
		_, err := parser.ParseCondition(condition)
		require.NoError(f, err, condition)
		if Never(condition) != "" {
			found++
		}
		f.Add(condition, random.Uint64())
	}
	require.Greater(f, found, 50, "conditions that hold nowhere")
	require.Less(f, found, 450, "conditions that hold nowhere")
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if Never(text) == "" || strings.Contains(text, "UUID") {
			return
		}
		condition, err := parser.ParseCondition(text)
		if err != nil {
			return
		}
		random := rand.New(rand.NewPCG(seed, 1))
		for range 20 {
			td := ptrace.NewTraces()
			rs := td.ResourceSpans().AppendEmpty()
			span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
			for _, key := range []string{"a", "b", "c"} {
				if random.IntN(4) > 0 {
					someValue(random, span.Attributes().PutEmpty(key))
				}
			}
			span.SetName([]string{"x", "", "b", strconv.Itoa(random.IntN(9))}[random.IntN(4)])
			tctx := ottlcontext.New(rs, rs.ScopeSpans().At(0), span)
			holds, err := condition.Eval(t.Context(), tctx)
			tctx.Close()
			if holds && err == nil {
				t.Errorf("%q holds on %v, and was said to hold nowhere: %s", text, span.Attributes().AsRaw(), Never(text))
			}
		}
	})
}
