package processid_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/processid"
)

// Only its resource identifies a process.
func TestOf(t *testing.T) {
	resource := func(pairs ...any) pcommon.Resource {
		r := pcommon.NewResource()
		for i := 0; i < len(pairs); i += 2 {
			require.NoError(t, r.Attributes().PutEmpty(pairs[i].(string)).FromRaw(pairs[i+1]))
		}
		return r
	}
	deep := func(inner any) any {
		for range 2 * processid.MaxNesting {
			inner = []any{inner}
		}
		return inner
	}
	for _, tc := range []struct {
		name   string
		a, b   pcommon.Resource
		same   bool
		reason string
	}{
		{"order", resource("a", "1", "b", "2"), resource("b", "2", "a", "1"), true, "a collector on the way may sort them"},
		{"order in a map", resource("a", map[string]any{"b": 1, "c": 2}), resource("a", map[string]any{"c": 2, "b": 1}), true, "a map has none"},
		{"a value", resource("a", "1"), resource("a", "2"), false, "two hosts differ by the value of one key"},
		{"where a key ends", resource("ab", "c"), resource("a", "bc"), false, "a text is not cut elsewhere"},
		{"where a value ends", resource("a", "1b2"), resource("a", "1", "b", "2"), false, "two entries are not one"},
		{"the type of a value", resource("a", "1"), resource("a", 1), false, "a number is no text"},
		{"order in a list", resource("a", []any{"b", "c"}), resource("a", []any{"c", "b"}), false, "a command's arguments are a list"},
		{"a bool", resource("a", true), resource("a", false), false, "two values"},
		{"a double", resource("a", 1.5), resource("a", 2.5), false, "two values"},
		{"bytes", resource("a", []byte("b")), resource("a", []byte("c")), false, "two values"},
		{"no attributes", resource(), resource(), true, "who says nothing is like all who say nothing"},
		{"values that nest without end", resource("a", deep("1")), resource("a", deep("2")), true, "values so deep are not read"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.same, processid.Of(tc.a) == processid.Of(tc.b), tc.reason)
			assert.NotZero(t, processid.Of(tc.a), "an unknown process is another thing")
		})
	}
	twice := func(first, second string) pcommon.Resource {
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces([]byte(`{"resourceSpans":[{"resource":{"attributes":[
			{"key":"a","value":{"stringValue":"` + first + `"}},{"key":"a","value":{"stringValue":"` + second + `"}}]}}]}`))
		require.NoError(t, err)
		return td.ResourceSpans().At(0).Resource()
	}
	assert.Equal(t, processid.Of(twice("1", "2")), processid.Of(twice("2", "1")), "a map that came over the wire may have a key twice")
	// It is stored, so it never changes.
	assert.Equal(t, agentrun.Process(0x8457c9106a35778f), processid.Of(resource("service.name", "agent", "process.pid", 7, "process.command_args", []any{"a", "b"})))
}

// alike is a value on the wire: maps in maps, each with fan entries of one key.
func alike(fan, depth int, leaf func() string) string {
	if depth == 0 {
		return `{"stringValue":"` + leaf() + `"}`
	}
	entries := make([]string, fan)
	for i := range entries {
		entries[i] = `{"key":"","value":` + alike(fan, depth-1, leaf) + `}`
	}
	return `{"kvlistValue":{"values":[` + strings.Join(entries, ",") + `]}}`
}

// A value is written once, however often a map has its key. Written for each comparison, a resource of 50 kB would take a
// second, and one of 200 kB twenty.
func TestAKeyThatAMapHasManyTimes(t *testing.T) {
	const fan, depth, leaves = 4, 5, 1024
	resource := func(first, step int) pcommon.Resource {
		n := first
		leaf := func() string { n += step; return strconv.Itoa(10_000 + n) }
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces([]byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"a","value":` + alike(fan, depth, leaf) + `}]}}]}`))
		require.NoError(t, err)
		return td.ResourceSpans().At(0).Resource()
	}
	up, down := resource(0, 1), resource(leaves+1, -1)
	assert.Equal(t, processid.Of(up), processid.Of(down), "entries of one key have no order")
	assert.NotEqual(t, processid.Of(up), processid.Of(resource(1, 1)), "but each counts")
	written := testing.AllocsPerRun(1, func() { processid.Append(nil, down) })
	assert.Less(t, written, float64(16*leaves), "memory that was asked for, in times")
}
