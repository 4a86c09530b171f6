package conditions

import (
	"context"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

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

// A function reads a text as a whole or not at all.
func TestLongTextsAreNotRead(t *testing.T) {
	for _, tc := range []struct {
		name, when string
		length     int
		err        error
		reason     string
	}{
		{"as long as may be", `IsMatch(resource.attributes["x"], "^a*$")`, MaxBytes, nil, "it is read"},
		{"too long", `IsMatch(resource.attributes["x"], "^a*$")`, MaxBytes + 1, ErrTooLarge, "nothing of it is read, and it is not cut either"},
		{"a function of a function", `IsMatch(Concat([resource.attributes["x"], resource.attributes["x"]], ""), "^a*$")`, MaxBytes/2 + 1, ErrTooLarge,
			"what a function makes is a text as well"},
		{"a second argument that is too long", `IsMatch("a", resource.attributes["x"])`, MaxBytes + 1, ErrTooLarge, "every argument counts"},
		{"a comparison", `resource.attributes["x"] != nil`, 10 * MaxBytes, nil, "without a function nothing is read"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			holds, err := ask(t.Context(), parse(t, functions[span](), tc.when), "", strings.Repeat("a", tc.length))
			require.ErrorIs(t, err, tc.err, tc.reason)
			require.Equal(t, tc.err == nil, holds)
		})
	}
}

// A bound that is not reached changes nothing.
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
		for _, own := range texts {
			for _, shared := range texts {
				want, wantErr := ask(t.Context(), plain, own, shared)
				got, err := ask(t.Context(), bounded, own, shared)
				require.Equal(t, want, got, "%s of %.20q and %.20q", text, own, shared)
				require.Equal(t, wantErr == nil, err == nil, "%s of %.20q and %.20q: %v, want %v", text, own, shared, err, wantErr)
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

func plainly() map[string]ottl.Factory[span] { return ottlfuncs.StandardConverters[span]() }
