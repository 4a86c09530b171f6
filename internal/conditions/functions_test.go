package conditions

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// counting is a function that returns whether its argument is a text, and records its calls.
type counting struct{ calls, bytes int }

type countingArguments struct {
	Target ottl.StringLikeGetter[span]
	Other  ottl.StringGetter[span]
}

func (c *counting) factory() ottl.Factory[span] {
	return ottl.NewFactory("Count", &countingArguments{}, func(_ ottl.FunctionContext, args ottl.Arguments) (ottl.ExprFunc[span], error) {
		a := args.(*countingArguments)
		return func(ctx context.Context, s span) (any, error) {
			text, _, err := a.Target.Get(ctx, s)
			if err != nil || text == "" {
				return false, err
			}
			other, err := a.Other.Get(ctx, s)
			if err != nil {
				return false, err
			}
			c.calls++
			c.bytes += len(text) + len(other)
			return true, nil
		}, nil
	})
}

func parse(t *testing.T, functions map[string]ottl.Factory[span], text string) *ottl.Condition[span] {
	parser, err := ottlspan.NewParser(functions, componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	c, err := parser.ParseCondition(text)
	require.NoError(t, err)
	return c
}

// spanWith is a span, and a resource, with a text under the key x.
func spanWith(own, shared string) (ptrace.ResourceSpans, ptrace.ScopeSpans, ptrace.Span) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("x", shared)
	ss := rs.ScopeSpans().AppendEmpty()
	s := ss.Spans().AppendEmpty()
	s.Attributes().PutStr("x", own)
	return rs, ss, s
}

// ask evaluates a condition on a span with these texts.
func ask(ctx context.Context, c *ottl.Condition[span], own, shared string) (bool, error) {
	tctx := ottlspan.NewTransformContext(spanWith(own, shared))
	defer tctx.Close()
	return c.Eval(ctx, tctx)
}

// A function reads a long text that many runs share once, a short one each time, and one that is too long never.
func TestWhatConditionsRead(t *testing.T) {
	const runs = 1_000
	for _, tc := range []struct {
		name        string
		when        string
		shared      func(run int) string
		calls, read int // at most, of the function
		err         error
		reason      string
	}{
		{"a short text", `Count(resource.attributes["x"], "")`, func(int) string { return strings.Repeat("a", longText-1) },
			runs, runs * longText, nil, "to read it is no more than to judge the run"},
		{"a long text that all share", `Count(resource.attributes["x"], "")`, func(int) string { return strings.Repeat("a", MaxBytes) },
			1, MaxBytes, nil, "it is read once"},
		{"two long texts in turn", `Count(resource.attributes["x"], "")`, func(run int) string { return strings.Repeat("ab"[run%2:run%2+1], 5000) },
			2, 10_000, nil, "each is read once"},
		{"one text in two places", `Count(resource.attributes["x"], "") and Count(resource.attributes["x"], "")`,
			func(int) string { return strings.Repeat("a", 5000) }, 2, 10_000, nil, "places may differ in what else they are given"},
		{"long texts of their own", `Count(resource.attributes["x"], "")`, func(run int) string { return strings.Repeat("a", 1000+run) },
			runs, runs * 1500, nil, "each is paid for by who sends it"},
		{"a text that is too long", `Count(resource.attributes["x"], "")`, func(int) string { return strings.Repeat("a", MaxBytes+1) },
			0, 0, ErrTooLarge, "nothing of it is read, and it is not cut either"},
		{"a function of a function", `Count(Concat([resource.attributes["x"], resource.attributes["x"]], ""), "")`,
			func(int) string { return strings.Repeat("a", MaxBytes/2+1) }, 0, 0, ErrTooLarge, "what a function makes is a text as well"},
		{"a second argument that is too long", `Count("a", resource.attributes["x"])`, func(int) string { return strings.Repeat("a", MaxBytes+1) },
			0, 0, ErrTooLarge, "every argument counts"},
		{"a comparison", `resource.attributes["x"] != nil`, func(int) string { return strings.Repeat("a", 10*MaxBytes) },
			0, 0, nil, "without a function nothing is read"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c counting
			f := c.factory()
			when := parse(t, map[string]ottl.Factory[span]{"Count": boundedFactory(f), "Concat": functions[span]()["Concat"]}, tc.when)
			ctx := Remember(t.Context())
			for run := range runs {
				holds, err := ask(ctx, when, "", tc.shared(run))
				require.ErrorIs(t, err, tc.err)
				require.Equal(t, tc.err == nil, holds)
			}
			require.LessOrEqual(t, c.calls, tc.calls, tc.reason)
			require.LessOrEqual(t, c.bytes, tc.read, tc.reason)
		})
	}
}

// Remembered results change no verdict, and neither does a bound that is not reached.
func TestBoundedFunctionsAnswerAsOTTLDoes(t *testing.T) {
	long := strings.Repeat("a", 1000)
	texts := []string{"", "prod-eu", long, long + "prod-eu", `{"a":` + strings.Repeat(" ", 300) + `1}`, strings.Repeat("\xff", 300)}
	for _, text := range []string{
		`IsMatch(attributes["x"], "prod-[a-z]+$")`, `IsMatch(resource.attributes["x"], "^a*$")`, `IsMatch("prod", attributes["x"])`,
		`IsMatch(Concat([attributes["x"], resource.attributes["x"]], "/"), "u/a")`, `Len(attributes["x"]) > 300`, `Len(attributes) == 1`,
		`HasPrefix(attributes["x"], "a")`, `HasSuffix(resource.attributes["x"], "eu")`, `ParseJSON(attributes["x"])["a"] == 1`,
		`SHA256(attributes["x"]) == SHA256(resource.attributes["x"])`, `IsString(attributes["x"])`, `IsMap(attributes["x"])`,
		`ExtractPatterns(attributes["x"], "(?P<e>eu)$")["e"] == "eu"`, `Int(attributes["x"]) == nil`, `attributes["none"] == nil and IsMatch(attributes["none"], "x")`,
		`ContainsValue(Split(attributes["x"], "-"), "eu")`, `Substring(attributes["x"], 0, 3) == "pro"`,
		`ToUpperCase(attributes["x"]) == "PROD-EU"`, `Hex(attributes["x"]) != ""`, `Unix(0) < Now()`,
	} {
		plain := parse(t, plainly(), text)
		bounded := parse(t, functions[span](), text)
		ctx := Remember(t.Context())
		for range 3 {
			for _, own := range texts {
				for _, shared := range texts {
					want, wantErr := ask(t.Context(), plain, own, shared)
					got, err := ask(ctx, bounded, own, shared)
					require.Equal(t, want, got, "%s of %.20q and %.20q", text, own, shared)
					require.Equal(t, wantErr == nil, err == nil, "%s of %.20q and %.20q: %v, want %v", text, own, shared, err, wantErr)
				}
			}
		}
	}
}

// A map or a list that is too long fails a function, however it nests.
func TestNestedValuesAreBounded(t *testing.T) {
	for _, tc := range []struct {
		name   string
		when   string
		put    func(ptrace.Span)
		err    error
		reason string
	}{
		{"a list", `ContainsValue(attributes["list"], "b")`, func(s ptrace.Span) { fillList(s, 100, "a") }, nil, "as usual"},
		{"a list of many", `ContainsValue(attributes["list"], "b")`, func(s ptrace.Span) { fillList(s, MaxBytes, "a") }, ErrTooLarge, "each element counts"},
		{"a list of long texts", `ContainsValue(attributes["list"], "b")`, func(s ptrace.Span) { fillList(s, 2, strings.Repeat("a", MaxBytes)) }, ErrTooLarge, "texts count"},
		{"all attributes", `Len(Keys(attributes)) > 0`, func(s ptrace.Span) { fillList(s, 100, "a") }, nil, "as usual"},
		{"all attributes, of which one is long", `Len(Keys(attributes)) > 0`, func(s ptrace.Span) { fillList(s, MaxBytes, "a") }, ErrTooLarge, "values count"},
		{"a deep list", `Len(attributes["list"]) > 0`, func(s ptrace.Span) {
			for i, list := 0, s.Attributes().PutEmptySlice("list"); i < 2*MaxBytes; i++ {
				list = list.AppendEmpty().SetEmptySlice()
			}
		}, ErrTooLarge, "each level counts, so no stack is spent on it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rs, ss, s := spanWith("", "")
			tc.put(s)
			tctx := ottlspan.NewTransformContext(rs, ss, s)
			defer tctx.Close()
			_, err := parse(t, functions[span](), tc.when).Eval(t.Context(), tctx)
			require.ErrorIs(t, err, tc.err, tc.reason)
		})
	}
}

func fillList(s ptrace.Span, n int, text string) {
	list := s.Attributes().PutEmptySlice("list")
	list.EnsureCapacity(n)
	for range n {
		list.AppendEmpty().SetStr(text)
	}
}

// The memory of a turn does not grow with the number of evaluations.
func TestMemoryIsBounded(t *testing.T) {
	ctx := Remember(t.Context())
	when := parse(t, functions[span](), `IsMatch(attributes["x"], "b$")`)
	for i := range 3 * mostAnswers {
		_, err := ask(ctx, when, strings.Repeat("a", longText)+strconv.Itoa(i), "")
		require.NoError(t, err)
		require.LessOrEqual(t, len(ctx.Value(memoryKey{}).(memory)), mostAnswers)
	}
	require.NotEmpty(t, ctx.Value(memoryKey{}).(memory))
}

func plainly() map[string]ottl.Factory[span] { return ottlfuncs.StandardConverters[span]() }
