package conditions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
			rs, scope, span := spanWith("", "")
			at := &Place{Resource: rs, Scope: scope, Span: span}
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
		}
	}
	require.Greater(t, quoted, 5, "so that this test can fail")
	require.Greater(t, shown, 5)
}
