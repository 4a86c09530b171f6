package evidence

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

var traceOfTest = Key{Trace: pcommon.TraceID{1, 2, 3}, Partition: 1 << 63}

// originOfTest is an origin of the resource of another one, or of its own if that is nil.
func originOfTest(first *Origin, service, scope string) *Origin {
	o := &Origin{Scope: ptrace.NewScopeSpans(), First: first}
	o.Scope.Scope().SetName(scope)
	o.Scope.Scope().Attributes().PutInt("size", 3)
	o.Scope.SetSchemaUrl("https://schema/" + scope)
	if first != nil {
		o.Resource = first.Resource
		return o
	}
	o.First, o.Resource = o, ptrace.NewResourceSpans()
	o.Resource.Resource().Attributes().PutStr("service.name", service)
	o.Resource.SetSchemaUrl("https://schema/" + service)
	return o
}

func heldOfTest(id byte, o *Origin) Held {
	data := ptrace.NewSpan()
	data.SetTraceID(traceOfTest.Trace)
	data.SetSpanID(pcommon.SpanID{id})
	data.SetParentSpanID(pcommon.SpanID{id + 100})
	data.SetName(fmt.Sprint("span ", id))
	data.SetStartTimestamp(pcommon.Timestamp(id))
	data.SetEndTimestamp(math.MaxUint64)
	data.Attributes().PutEmptyMap("of").PutStr("agent", "desk")
	data.Events().AppendEmpty().SetName("asked")
	return Held{
		Span: SpanOf(data, Process(id)*0x0102030405060708), Partition: traceOfTest.Partition, Kind: Kind(id) % (Tool + 1), Scope: ScopeOf(o.Scope.Scope().Name()),
		Agent: "desk", Conversation: "of " + data.Name(), Arrived: -int64(id), Data: data, Origin: o,
	}
}

// fullTrace uses every field.
func fullTrace() Trace {
	span := func(id byte, start, end pcommon.Timestamp, p Process) Span {
		return Span{Trace: traceOfTest.Trace, ID: pcommon.SpanID{id}, Parent: pcommon.SpanID{id - 1}, Start: start, End: end, Process: p}
	}
	desk, shop := originOfTest(nil, "desk", "a"), originOfTest(nil, "shop", "b")
	second := originOfTest(desk, "", "c")
	return Trace{
		Key: traceOfTest,
		Cut: math.MaxUint64,
		Facts: []Fact{
			{Span: span(1, 10, 20, 7), Scope: 9, Kind: Agent, Agent: "desk", Conversation: "talk"},
			{Span: span(2, 20, 10, 7), Scope: 9, Kind: None, Step: true, Closed: true, ClosedBy: ByShutdown, ClosedAt: -1, Judged: true, Agent: "desk", Call: &Call{
				Name: "search", ID: "call_1", Arguments: scoring.JSON(`{"q":1}`), Output: scoring.Text("found"), Status: scoring.StatusFailed, Type: scoring.MCPTool,
				Traits: Traits{ResultOnly: true, UnnamedArgument: true, NormalizedName: true, MCP: true, MCPServer: true, UnknownTool: true, NotMade: true},
			}},
			{Span: span(3, 0, math.MaxUint64, 8), Scope: 9, Kind: Workflow, Response: &Response{
				Requests: []ToolRequest{{ID: "call_1", Name: "search", Arguments: scoring.Omitted()}, {Name: "buy", Arguments: scoring.TooLarge()}},
				Results:  []ToolResult{{ID: "call_0", Output: scoring.Text("nothing"), Failed: true}, {}},
				Made:     []string{"call_2"}, Refused: []string{"call_3"}, NotOffered: []ToolRequest{{ID: "call_4", Name: "teleport", Arguments: scoring.JSON(`{}`)}},
				Answered: "call_0", Prompt: "p1", Shares: []Share{{Agent: "clerk", Task: 3, Messages: []int{0, 2}}, {}},
				MessagesOnly: true, Begins: true, OfAgent: true, Offered: true, Unread: true, Unrecorded: true,
			}},
			{Span: span(4, 1, 1, 0), Call: &Call{}, Response: &Response{Shares: []Share{}}},
			{Span: span(5, 1, 1, 0), Kind: Tool, Response: &Response{}},
		},
		Links: []Link{{ID: pcommon.SpanID{5}, Parent: pcommon.SpanID{6}}, {ID: pcommon.SpanID{7}, Model: true}},
		// Spans of different origins in turn: their order stays.
		Held: []Held{heldOfTest(1, desk), heldOfTest(2, shop), heldOfTest(3, second), heldOfTest(4, desk), heldOfTest(5, shop)},
	}
}

// plain returns t without its pdata, and the pdata of each held span as OTLP.
func plain(tb testing.TB, of Trace) (Trace, [][]byte) {
	var otlp [][]byte
	if of.Held != nil {
		of.Held = append([]Held{}, of.Held...)
	}
	for i := range of.Held {
		h := &of.Held[i]
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		h.Origin.Resource.CopyTo(rs)
		h.Origin.Scope.CopyTo(rs.ScopeSpans().AppendEmpty())
		h.Data.CopyTo(rs.ScopeSpans().At(0).Spans().AppendEmpty())
		b, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
		require.NoError(tb, err)
		otlp, h.Data, h.Origin = append(otlp, b), ptrace.Span{}, nil
	}
	return of, otlp
}

func encoded(tb testing.TB, trace Trace) []byte {
	b, err := trace.AppendBinary(nil)
	require.NoError(tb, err)
	return b
}

func decoded(tb testing.TB, b []byte) Trace {
	trace, err := DecodeTrace(b)
	require.NoError(tb, err)
	return trace
}

func requireSameTrace(tb testing.TB, want, got Trace) {
	wantPlain, wantOTLP := plain(tb, want)
	gotPlain, gotOTLP := plain(tb, got)
	require.Equal(tb, wantPlain, gotPlain)
	require.Equal(tb, wantOTLP, gotOTLP)
	for i := range want.Held {
		for k := range want.Held {
			require.Equal(tb, want.Held[i].Origin == want.Held[k].Origin, got.Held[i].Origin == got.Held[k].Origin, "the same origin")
			require.Equal(tb, want.Held[i].Origin.First == want.Held[k].Origin.First, got.Held[i].Origin.First == got.Held[k].Origin.First, "the same resource")
		}
	}
}

func TestATraceIsReadAgain(t *testing.T) {
	want := fullTrace()
	b, err := want.AppendBinary([]byte("before"))
	require.NoError(t, err)
	require.Equal(t, "before", string(b[:6]))
	got := decoded(t, b[6:])
	clear(b) // it keeps no part of the bytes
	requireSameTrace(t, want, got)
	first := got.Held[0].Origin
	assert.Same(t, first, first.First)
	assert.Equal(t, first.Resource, got.Held[2].Origin.Resource)

	empty := Trace{Key: traceOfTest}
	assert.Equal(t, empty, decoded(t, encoded(t, empty)))
}

// What cannot be read again is not written.
func TestAHeldSpanOfAnotherTraceIsNotWritten(t *testing.T) {
	for name, change := range map[string]func(h *Held){
		"of another trace":     func(h *Held) { h.Trace[0]++ },
		"of another partition": func(h *Held) { h.Partition++ },
		"without an origin":    func(h *Held) { h.Origin = nil },
	} {
		t.Run(name, func(t *testing.T) {
			trace := fullTrace()
			change(&trace.Held[1])
			b, err := trace.AppendBinary([]byte("before"))
			require.Error(t, err)
			require.Equal(t, "before", string(b))
		})
	}
}

// No field is forgotten: each one alone, set to a value that is not zero, survives.
func TestEveryFieldIsStored(t *testing.T) {
	each := func(of reflect.Type, set func(value reflect.Value) Fact) {
		for _, field := range reflect.VisibleFields(of) {
			if !field.IsExported() || field.Anonymous || of == reflect.TypeFor[Fact]() && field.Name == "Trace" { // the key's
				continue
			}
			t.Run(of.Name()+"."+field.Name, func(t *testing.T) {
				value := reflect.New(of).Elem()
				fill(t, value.FieldByIndex(field.Index))
				require.False(t, value.IsZero())
				f := set(value)
				f.Trace = traceOfTest.Trace
				if f.Response != nil && f.Response.Shares != nil {
					f.Response.Requests = []ToolRequest{{}} // the share's
				}
				want := Trace{Key: traceOfTest, Facts: []Fact{f}}
				require.Equal(t, want, decoded(t, encoded(t, want)))
			})
		}
	}
	each(reflect.TypeFor[Fact](), func(v reflect.Value) Fact { return v.Interface().(Fact) })
	each(reflect.TypeFor[Call](), func(v reflect.Value) Fact { c := v.Interface().(Call); return Fact{Call: &c} })
	each(reflect.TypeFor[Traits](), func(v reflect.Value) Fact { return Fact{Call: &Call{Traits: v.Interface().(Traits)}} })
	each(reflect.TypeFor[Response](), func(v reflect.Value) Fact { r := v.Interface().(Response); return Fact{Response: &r} })
}

// fill sets v, and everything in it, to a value that is not zero.
func fill(t *testing.T, v reflect.Value) {
	if p, ok := v.Addr().Interface().(*scoring.Payload); ok {
		*p = scoring.JSON("1")
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.String:
		v.SetString("text")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(t, field)
		}
	default:
		t.Fatal("no value of type ", v.Type())
	}
}

// Bytes that end early, or go on, are no trace. Those that are wrong anywhere do not panic.
func TestBytesThatAreNoTraceAreAnError(t *testing.T) {
	b := encoded(t, fullTrace())
	for n := range b {
		if _, err := DecodeTrace(b[:n]); err != nil {
			require.ErrorIs(t, err, ErrCorrupt)
		} else {
			require.Fail(t, "no error", "%d of %d bytes", n, len(b))
		}
	}
	_, err := DecodeTrace(append(encoded(t, Trace{}), 0))
	require.ErrorIs(t, err, ErrCorrupt)
	for i := range b {
		for _, to := range []byte{0, b[i] + 1, 0x7f, 0x80, 0xff} {
			changed := append([]byte{}, b...)
			changed[i] = to
			if _, err := DecodeTrace(changed); err != nil {
				require.ErrorIs(t, err, ErrCorrupt)
			}
		}
	}
}

// A response whose shares have more requests than it has would be cut out of range.
func TestSharesHaveNoMoreRequestsThanTheResponse(t *testing.T) {
	for _, messages := range [][]int{{2}, {1, 1}, {math.MaxInt, math.MaxInt, 2}} {
		r := &Response{Requests: []ToolRequest{{}}, Shares: []Share{{Messages: messages}}}
		_, err := DecodeTrace(encoded(t, Trace{Key: traceOfTest, Facts: []Fact{{Response: r}}}))
		require.ErrorIs(t, err, ErrCorrupt)
	}
}

// What can be read is written as it was read.
func FuzzDecodeTrace(f *testing.F) {
	f.Add(encoded(f, fullTrace()))
	f.Add(encoded(f, Trace{Key: traceOfTest}))
	full := fullTrace()
	for i := range full.Facts {
		f.Add(encoded(f, Trace{Key: traceOfTest, Facts: full.Facts[i : i+1]}))
	}
	for i := range full.Held {
		f.Add(encoded(f, Trace{Key: traceOfTest, Held: full.Held[i : i+1]}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := DecodeTrace(b)
		if err != nil {
			require.ErrorIs(t, err, ErrCorrupt)
			return
		}
		again := encoded(t, first)
		second := decoded(t, again)
		requireSameTrace(t, first, second)
		require.Equal(t, again, encoded(t, second))
	})
}

func BenchmarkAppendBinary(b *testing.B) {
	trace := fullTrace()
	var buffer []byte
	for b.Loop() {
		buffer, _ = trace.AppendBinary(buffer[:0])
	}
	b.SetBytes(int64(len(buffer)))
}

func BenchmarkDecodeTrace(b *testing.B) {
	data := encoded(b, fullTrace())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		_, _ = DecodeTrace(data)
	}
}
