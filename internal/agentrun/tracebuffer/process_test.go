package tracebuffer

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// A process is what its resource says, and nothing else.
func TestProcessOf(t *testing.T) {
	resource := func(pairs ...any) pcommon.Resource {
		r := pcommon.NewResource()
		for i := 0; i < len(pairs); i += 2 {
			require.NoError(t, r.Attributes().PutEmpty(pairs[i].(string)).FromRaw(pairs[i+1]))
		}
		return r
	}
	deep := func(inner any) any {
		for range 2 * agentrun.MaxNesting {
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
		{"values that nest without end", resource("a", deep("1")), resource("a", deep("2")), true, "nobody reads so deep"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.same, agentrun.ProcessOf(tc.a) == agentrun.ProcessOf(tc.b), tc.reason)
			assert.NotZero(t, agentrun.ProcessOf(tc.a), "an unknown process is another thing")
		})
	}
	twice := func(first, second string) pcommon.Resource {
		td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces([]byte(`{"resourceSpans":[{"resource":{"attributes":[
			{"key":"a","value":{"stringValue":"` + first + `"}},{"key":"a","value":{"stringValue":"` + second + `"}}]}}]}`))
		require.NoError(t, err)
		return td.ResourceSpans().At(0).Resource()
	}
	assert.Equal(t, agentrun.ProcessOf(twice("1", "2")), agentrun.ProcessOf(twice("2", "1")), "a map that came over the wire may have a key twice")
	// It is stored, so it never changes.
	assert.Equal(t, agentrun.Process(0x8457c9106a35778f), agentrun.ProcessOf(resource("service.name", "agent", "process.pid", 7, "process.command_args", []any{"a", "b"})))
}

// Who told what is stored with it, once for all that one instrumentation told in a row.
func TestEvidenceSaysWhoToldIt(t *testing.T) {
	set := Settings{Settings: agentrun.Settings{MaxPayload: 1 << 10}}
	span := func(spec string, p agentrun.Process) agentrun.Span {
		s := at(spec)
		s.Process = p
		return s
	}
	call := func(spec string, p agentrun.Process, scope agentrun.Scope) agentrun.Call {
		return agentrun.Call{Span: span(spec, p), Scope: scope}
	}
	all, one := NewEvidence(&set.Settings, at("a 1-2").Trace), NewEvidence(&set.Settings, at("a 1-2").Trace)
	tell := func(f func()) {
		one.Reset(at("a 1-2").Trace)
		f()
		all.Add(one)
	}
	tell(func() { one.AddCall(call("c 1-2", 1, 2)) })
	before := len(all.Bytes())
	tell(func() { one.AddCall(call("d 1-2", 1, 2)) })
	assert.Equal(t, before-sourceBytes-len(at("a 1-2").Trace), len(all.Bytes())-before, "it is not said again")
	tell(func() { one.AddParent(span("l 1-2", 5)) })
	tell(func() { one.AddCall(call("e 1-2", 0, 0)) })
	tell(func() { one.AddAgentSpan(span("a 1-2", 3), agentrun.Agent) })
	tell(func() { one.AddStep(span("s<c 1-2", 4)) })
	tell(func() { one.AddResponse(agentrun.ModelResponse{Span: span("m 1-2", 4), Scope: 6}) })

	d, err := Decode(all.Bytes())
	require.NoError(t, err)
	var told []sender
	for _, c := range d.Calls {
		told = append(told, sender{c.Process, c.Scope})
	}
	assert.Equal(t, []sender{{1, 2}, {1, 2}, {}}, told)
	assert.Equal(t, agentrun.Process(3), d.AgentSpans[0].Process)
	assert.Equal(t, agentrun.Process(4), d.Steps[0].Process)
	assert.Equal(t, sender{4, 6}, sender{d.Responses[0].Process, d.Responses[0].Scope})
}
