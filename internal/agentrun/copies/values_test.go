package copies

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

func TestSameValue(t *testing.T) {
	value := func(raw any) pcommon.Value {
		v := pcommon.NewValueEmpty()
		require.NoError(t, v.FromRaw(raw))
		return v
	}
	for _, c := range []struct {
		name   string
		a, b   any
		same   bool
		reason string
	}{
		{"a text", "a", "a", true, "two texts are compared"},
		{"two texts", "a", "b", false, "they differ"},
		{"a number and a text", 1, "1", false, "their types differ"},
		{"bytes", []byte("a"), []byte("a"), true, "two lists of bytes are compared"},
		{"order in a map", map[string]any{"a": 1, "b": []any{2}}, map[string]any{"b": []any{2}, "a": 1}, true, "a map has no order"},
		{"order in a map with equal ends", map[string]any{"a": 1, "b": 2, "c": 3}, map[string]any{"a": 1, "c": 3, "b": 2}, true, "the rest is found by its keys"},
		{"a key", map[string]any{"a": 1}, map[string]any{"b": 1}, false, "another key is another map"},
		{"a value in a map", map[string]any{"a": 1}, map[string]any{"a": 2}, false, "values count"},
		{"one entry more", map[string]any{"a": 1}, map[string]any{"a": 1, "b": 1}, false, "all entries count"},
		{"order in a list", []any{"a", "b"}, []any{"b", "a"}, false, "a list has an order"},
		{"one element more", []any{"a"}, []any{"a", "b"}, false, "all elements count"},
		{"nothing", nil, nil, true, "no value is equal to none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := value(c.a), value(c.b)
			require.Equal(t, c.same, sameValue(a, b), c.reason)
			require.Equal(t, a.Equal(b), sameValue(b, a), "it is what pdata says")
		})
	}
}

// A key that a map has twice: the entries are compared in their order.
func TestSameValueOfRepeatedKeys(t *testing.T) {
	twice := func(first, second string) pcommon.Value {
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces([]byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"m","value":{"kvlistValue":{"values":[
			{"key":"a","value":{"stringValue":"` + first + `"}},{"key":"a","value":{"stringValue":"` + second + `"}}]}}}]}}]}`))
		require.NoError(t, err)
		v, _ := td.ResourceSpans().At(0).Resource().Attributes().Get("m")
		return v
	}
	require.True(t, sameValue(twice("1", "2"), twice("1", "2")))
	require.False(t, sameValue(twice("1", "2"), twice("1", "3")), "the second entry counts")
	require.False(t, sameValue(twice("1", "2"), twice("2", "1")), "they have an order")
}

// sameValue compares values that are few enough to be read.
func sameValue(a, b pcommon.Value) bool {
	r := reading{MaxRead, new(compare.Work)}
	return r.same(a, b)
}

// Maps in opposite order: each key of one is not looked for in all of the other.
func TestSameValueGrowsWithTheMap(t *testing.T) {
	runtest.CheckGrowth(t, 1_000, "each entry is found by its key", func(_ testing.TB, n int) compare.Work {
		up, down := pcommon.NewValueMap(), pcommon.NewValueMap()
		for i := range n {
			up.Map().PutInt(strconv.Itoa(i), 1)
			down.Map().PutInt(strconv.Itoa(n-1-i), 1)
		}
		var w compare.Work
		r := reading{MaxRead, &w}
		require.True(t, r.same(up, down))
		return w
	})
}
