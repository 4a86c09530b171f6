package dialect

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// FuzzRead reads any span that can arrive, as OTLP protobuf, and keeps the laws of Read.
func FuzzRead(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add("ai", seed)
	}
	for i := range dialects {
		for _, scope := range dialects[i].scopes {
			scope = strings.ReplaceAll(scope, anyKind, "x")
			f.Add(scope, alone(f, ordinarySpan()))
			f.Add(scope, alone(f, toolSpan()))
		}
		for _, mark := range dialects[i].marks {
			span := ordinarySpan()
			span.Attributes().PutStr(mark, "tool")
			f.Add("ai", alone(f, span))
		}
	}
	f.Fuzz(func(t *testing.T, scope string, message []byte) {
		var unmarshaler ptrace.ProtoUnmarshaler
		request, err := unmarshaler.UnmarshalTraces(message)
		if err != nil {
			return
		}
		before := ptrace.NewTraces()
		request.CopyTo(before)
		forSpans(request, func(_ string, span ptrace.Span) {
			checkLaws(t, scope, span)
		})
		if !sameBytes(t, before, request) {
			t.Error("Read changed a span")
		}
	})
}

func checkLaws(t *testing.T, scope string, span ptrace.Span) {
	t.Helper()
	got, ok := ScopeOf(scope).Read(span)
	if ok != (got.Role != Nothing) {
		t.Errorf("Read reports %v for the role %v", ok, got.Role)
	}
	if !ok && !reflect.DeepEqual(got, Reading{}) {
		t.Errorf("Nothing says something: %+v", got)
	}
	if ok && !marked(scope, span) {
		t.Errorf("a span without a marker is read as %v", got.Role)
	}
	if got.Role != ToolCall && (got.Call != scoring.Call{} || got.CallID != "") {
		t.Errorf("a call was invented on a span that is %v: %+v", got.Role, got)
	}
	if got.Role == ToolCall && got.Call.Name == "" && span.Name() != "" && !got.Traits.Has(ResultOnly) {
		t.Errorf("a call on the span %q has no name", span.Name())
	}
	if got.Role != ModelCall && got.Role != Agent && got.Messages != NoMessages {
		t.Errorf("a span that is %v has messages", got.Role)
	}
	for _, text := range []string{got.Agent, got.Conversation, got.CallID, got.Call.Name} {
		if !utf8.ValidString(text) {
			t.Errorf("%q is no UTF-8", text)
		}
	}
	if again, _ := ScopeOf(scope).Read(span); !reflect.DeepEqual(again, got) {
		t.Errorf("the second reading differs:\n%s", cmp.Diff(got, again, cmp.AllowUnexported(scoring.Payload{})))
	}
	checkWithoutOutputs(t, scope, span, got)
	got.Call.Arguments.Value()
	got.Call.Output.Value()
}

// marked is a plain implementation: has a dialect one of the attributes as a mark, or the scope?
func marked(scope string, span ptrace.Span) bool {
	return slices.ContainsFunc(dialects, func(d table) bool {
		for key := range span.Attributes().All() {
			if slices.Contains(d.marks, key) {
				return true
			}
		}
		return slices.ContainsFunc(d.scopes, func(pattern string) bool {
			_, is := starred(pattern, scope)
			return is
		})
	})
}

// seeds are the spans of one scenario of each library, each in a request of its own, so that inputs stay small.
func seeds(tb testing.TB) [][]byte {
	var all [][]byte
	for _, library := range corpus.Libraries(tb) {
		for _, scenario := range library.Scenarios {
			if scenario.Name != "tool_error" {
				continue
			}
			for _, request := range scenario.Requests {
				forSpans(request, func(_ string, span ptrace.Span) { all = append(all, alone(tb, span)) })
			}
		}
	}
	for _, span := range []ptrace.Span{ordinarySpan(), mapSpan(), openInferenceVercelSpan()} {
		all = append(all, alone(tb, span))
	}
	return all
}

func alone(tb testing.TB, span ptrace.Span) []byte {
	request := ptrace.NewTraces()
	span.CopyTo(request.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	return marshal(tb, request)
}

func marshal(tb testing.TB, request ptrace.Traces) []byte {
	tb.Helper()
	var marshaler ptrace.ProtoMarshaler
	b, err := marshaler.MarshalTraces(request)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func sameBytes(t *testing.T, a, b ptrace.Traces) bool {
	t.Helper()
	return string(marshal(t, a)) == string(marshal(t, b))
}
