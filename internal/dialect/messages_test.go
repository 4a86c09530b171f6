package dialect

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

var (
	everything = Want{Results: true, Loops: true, Arguments: true, Outputs: true}
	noResults  = Want{Arguments: true, Outputs: true}
)

func TestEveryShapeHasAReader(t *testing.T) {
	for m := range Messages(len(formats)) {
		if got := m.Response(ordinarySpan(), everything, new(Scratch)); !reflect.DeepEqual(got, ModelResponse{}) {
			t.Errorf("shape %d reads %+v from a span that is no model call", m, got)
		}
	}
}

// Hostile spans take time in proportion to their size. Quadratic time would be minutes here.
func TestHostileMessages(t *testing.T) {
	const n = 300_000
	flat := make(map[string]any, n)
	for i := range n {
		flat["llm.output_messages."+strconv.Itoa(i%maxIndex)+".message.tool_calls."+strconv.Itoa(i)+".tool_call.function.name"] = "x"
		flat["gen_ai.completion.999999999999999999999999."+strconv.Itoa(i)] = "x"
	}
	deep := strings.Repeat(`{"message":`, 100_000) + `"tool_calls"`
	wide := `[` + strings.Repeat(`{"type":"tool_call","tool_calls":[],"parts":[{"type":"tool_call","name":"x"}]},`, n/10) + `{}]`
	start := time.Now()
	for _, attributes := range []map[string]any{
		flat, {genAIOutput: deep, langfuseOutput: deep}, {genAIOutput: wide, genAIInput: wide, langfuseOutput: wide},
	} {
		span := newSpan("", attributes)
		for m := range Messages(len(formats)) {
			m.Response(span, everything, new(Scratch))
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("hostile messages took %v", took)
	}
}

// FuzzModelResponse reads any span in every shape, and keeps the laws of ModelResponse.
func FuzzModelResponse(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		var unmarshaler ptrace.ProtoUnmarshaler
		request, err := unmarshaler.UnmarshalTraces(message)
		if err != nil {
			return
		}
		before := ptrace.NewTraces()
		request.CopyTo(before)
		forSpans(request, func(_ string, span ptrace.Span) {
			for m := range Messages(len(formats)) {
				checkResponseLaws(t, m, span)
			}
		})
		if !sameBytes(t, before, request) {
			t.Error("ModelResponse changed a span")
		}
	})
}

func checkResponseLaws(t *testing.T, m Messages, span ptrace.Span) {
	t.Helper()
	var scratch Scratch
	got := m.Response(span, everything, &scratch)
	if again := m.Response(span, everything, &scratch); !reflect.DeepEqual(again, got) {
		t.Errorf("the second response differs:\n%s", cmp.Diff(got, again, cmp.AllowUnexported(scoring.Payload{})))
	}
	checkWants(t, m, span, got)
	if got.Empty() && (got.Requests != nil || got.Results != nil) {
		t.Errorf("an empty response has lists: %+v", got)
	}
	for _, call := range got.Requests {
		if call.Name == "" || !utf8.ValidString(call.Name) || !utf8.ValidString(call.ID) {
			t.Errorf("asked for %q with id %q", call.Name, call.ID)
		}
		call.Arguments.Value()
	}
	shared := 0
	for _, share := range got.Shares {
		for _, requests := range share.Messages {
			shared += requests
			if requests < 1 {
				t.Errorf("a message of %d requests", requests)
			}
		}
		if share.Agent == "" || !utf8.ValidString(share.Agent) {
			t.Errorf("a share of %q", share.Agent)
		}
	}
	if got.Shares != nil && (shared != len(got.Requests) || shared == 0 && len(got.Shares) > 0) {
		t.Errorf("%d of %d requests are in shares", shared, len(got.Requests))
	}
	for _, r := range got.Results {
		if r.ID == "" || !utf8.ValidString(r.ID) {
			t.Errorf("a result of %q", r.ID)
		}
		r.Output.Value()
	}
}

// checkWants reads with fewer parts wanted: the remaining ones are the same.
func checkWants(t *testing.T, m Messages, span ptrace.Span, all ModelResponse) {
	t.Helper()
	var scratch Scratch
	short := m.Response(span, noResults, &scratch)
	if short.Results != nil {
		t.Errorf("%d results, and none was wanted", len(short.Results))
	}
	for _, want := range []Want{{}, {Results: true}, {Results: true, Loops: true}, {Results: true, Arguments: true}, {Results: true, Outputs: true}, {Arguments: true}} {
		less := all
		if !want.Results {
			less = short
		}
		less.Begins, less.Offered = less.Begins && want.Loops, less.Offered && want.Loops
		less.Requests, less.NotOffered, less.Results = slices.Clone(less.Requests), slices.Clone(less.NotOffered), slices.Clone(less.Results)
		for _, requests := range [][]ToolRequest{less.Requests, less.NotOffered} {
			for i := range requests {
				if !want.Arguments {
					requests[i].Arguments = scoring.Payload{}
				}
				if !want.Outputs {
					requests[i].Output = scoring.Payload{}
				}
			}
		}
		for i := range less.Results {
			if !want.Outputs {
				less.Results[i].Output = scoring.Payload{}
			}
		}
		if got := m.Response(span, want, &scratch); !reflect.DeepEqual(got, less) {
			t.Errorf("with %+v:\n%s", want, cmp.Diff(less, got, cmp.AllowUnexported(scoring.Payload{})))
		}
	}
}

// One scratch serves one ModelResponse after the other. Later readings change none of them, all are as with a scratch of
// their own, and the scratch keeps nothing of a span.
func TestResponsesShareNothing(t *testing.T) {
	var alone, together []ModelResponse
	var readings []Reading
	var scratch Scratch
	for m, spans := range recordedModelCalls(t) {
		for _, span := range spans {
			var fresh Scratch
			for _, s := range []*Scratch{&fresh, &scratch} {
				var r Reading
				scope := ScopeOf("app")
				scope.NoOutputs, scope.NoArguments = true, true
				scope.ReadMarked(span, scope.Marks(span), s, &r)
				if s.source != (source{scope: "app"}) {
					t.Fatalf("after a span was read the scratch has %+v", s.source)
				}
				readings = append(readings, r)
			}
			if one, other := readings[len(readings)-2], readings[len(readings)-1]; one != other {
				t.Errorf("with a scratch that read other spans %+v is %+v", one, other)
			}
			alone = append(alone, Messages(m).Response(span, everything, &fresh))
			together = append(together, Messages(m).Response(span, everything, &scratch))
			if scratch.source != (source{scope: "app"}) || !reflect.DeepEqual(scratch.draft, draft{}) {
				t.Fatalf("the scratch keeps %+v and %+v", scratch.source, scratch.draft)
			}
			for _, name := range scratch.names[:cap(scratch.names)] {
				if name != "" {
					t.Fatalf("the scratch keeps the name %q", name)
				}
			}
			for _, field := range scratch.fields[:cap(scratch.fields)] {
				if field != (flatField{}) {
					t.Fatalf("the scratch keeps the field %+v", field.at)
				}
			}
		}
	}
	if diff := cmp.Diff(alone, together, cmp.AllowUnexported(scoring.Payload{})); diff != "" {
		t.Errorf("responses (-alone +together):\n%s", diff)
	}
}
