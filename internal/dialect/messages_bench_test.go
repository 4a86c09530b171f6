package dialect

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// The benchmark reads a model call, by the size of its messages, with and without a request in the response. Half of the size
// is the model's input, which is not read here. A collector reads each text once, so the spans are more than the caches of a
// core hold.
func BenchmarkModelResponseOfSize(b *testing.B) {
	const held = 16 << 20 // bytes
	for _, size := range []int{1 << 10, 4 << 10, 32 << 10} {
		for _, calls := range []bool{false, true} {
			b.Run(fmt.Sprintf("size=%dKiB/call=%v", size>>10, calls), func(b *testing.B) {
				spans := make([]ptrace.Span, held/size)
				for i := range spans {
					spans[i] = sizedSpan(size, i, calls)
				}
				b.ReportAllocs()
				var scratch Scratch
				asked, n := 0, 0
				for b.Loop() {
					asked += len(GenAIMessages.Response(spans[n%len(spans)], Want{}, &scratch).Requests)
					n++
				}
				if calls && asked != n || !calls && asked != 0 {
					b.Errorf("%d answers asked for %d calls", n, asked)
				}
			})
		}
	}
}

// sizedSpan has messages of about size bytes, with escapes as prose has them.
func sizedSpan(size, i int, calls bool) ptrace.Span {
	const said = `He said: \"a_b\" and went on.\n` + paragraph
	text := strconv.Itoa(i) + " " + strings.TrimRight(strings.Repeat(said, 1+size/2/len(said))[:size/2], `\`)
	call := ""
	if calls {
		call = fmt.Sprintf(`,{"type":"tool_call","id":"call_%d","name":"search","arguments":{"q":"b","limit":10,"tags":["a"]}}`, i)
	}
	return newSpan("chat m", map[string]any{
		genAIOperation: chat, "gen_ai.request.model": "m", genAIProvider: "openai", "gen_ai.usage.input_tokens": 100,
		genAIInput:  `[{"role":"user","parts":[{"type":"text","content":"` + text + `"}]}]`,
		genAIOutput: `[{"role":"assistant","parts":[{"type":"text","content":"` + text + `"}` + call + `],"finish_reason":"stop"}]`,
	})
}

const paragraph = "The quick brown fox jumps over the lazy dog, and then it thinks for a while about what else there is to do. "

// The benchmark reads the recorded model calls of each shape in full. Read ns/span.
func BenchmarkModelResponseOfRecordings(b *testing.B) {
	for m, spans := range recordedModelCalls(b) {
		if len(spans) == 0 {
			continue
		}
		b.Run("shape="+strconv.Itoa(m), func(b *testing.B) {
			b.ReportAllocs()
			var scratch Scratch
			n := 0
			for b.Loop() {
				Messages(m).Response(spans[n%len(spans)], everything, &scratch)
				n++
			}
		})
	}
}

func recordedModelCalls(tb testing.TB) (all [len(formats)][]ptrace.Span) {
	forRecordedSpans(tb, func(scope string, span ptrace.Span) {
		if r, _ := ScopeOf(scope).Read(span); r.Role == ModelCall {
			all[r.Messages] = append(all[r.Messages], span)
		}
	})
	return all
}

func forRecordedSpans(tb testing.TB, visit func(scope string, span ptrace.Span)) {
	for _, library := range corpus.Libraries(tb) {
		for _, scenario := range library.Scenarios {
			for _, request := range scenario.Requests {
				forSpans(request, visit)
			}
		}
	}
}

// The benchmark reads the recorded spans of each role. Read ns/span.
func BenchmarkReadOfRecordings(b *testing.B) {
	type scoped struct {
		scope Scope
		span  ptrace.Span
	}
	var all [Step + 1][]scoped
	forRecordedSpans(b, func(scope string, span ptrace.Span) {
		r, _ := ScopeOf(scope).Read(span)
		all[r.Role] = append(all[r.Role], scoped{ScopeOf(scope), span})
	})
	for role, spans := range all {
		b.Run("role="+strings.ReplaceAll(roleWords[role], " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			var r Reading
			var scratch Scratch
			for b.Loop() {
				s := spans[n%len(spans)]
				if marks := s.scope.Marks(s.span); !marks.None() {
					s.scope.ReadMarked(s.span, marks, &scratch, &r)
				}
				n++
			}
		})
	}
}
