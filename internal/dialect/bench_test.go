package dialect

import (
	"testing"
	"unsafe"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The benchmark reads one span. Most spans of most pipelines are ordinary: the target for them is 25 ns, the limit 40 ns, and
// no allocation.
func BenchmarkRead(b *testing.B) {
	for _, bc := range []struct {
		name string
		span ptrace.Span
		role Role
	}{
		{"ordinary", ordinarySpan(), Nothing},
		{"no_attributes", ptrace.NewSpan(), Nothing},
		{"model_call", modelCallSpan(), ModelCall},
		{"tool", toolSpan(), ToolCall},
		{"agent", agentSpan(), Agent},
		{"tool_of_two_dialects", openInferenceVercelSpan(), ToolCall},
		{"tool_with_map", mapSpan(), ToolCall},
		{"tool_with_long_result", longResultSpan(), ToolCall},
	} {
		b.Run("span="+bc.name, func(b *testing.B) {
			b.ReportAllocs()
			var got Reading
			var scratch Scratch
			for b.Loop() {
				readAgain("scope", bc.span, &scratch, &got)
			}
			if got.Role != bc.role {
				b.Errorf("Read says %v, want %v", got.Role, bc.role)
			}
		})
	}
}

// readAgain reads a span as a caller does who has read others.
func readAgain(scope string, span ptrace.Span, scratch *Scratch, r *Reading) {
	c := ScopeOf(scope)
	if marks := c.Marks(span); marks.None() {
		*r = Reading{}
	} else {
		c.ReadMarked(span, marks, scratch, r)
	}
}

// The compiler clears and copies a large struct 16 bytes at a time. If 16 does not divide the size, the last two pieces overlap,
// and a copy that follows waits until both are written. That took 5 ns of the 22 that an ordinary span takes.
func TestReadingIsCopiedInWholes(t *testing.T) {
	const piece = 16
	if size := unsafe.Sizeof(Reading{}); size%piece != 0 {
		t.Errorf("a Reading has %d bytes, which %d does not divide", size, piece)
	}
}

// Each message of a model call is read in loops over its values. If the compiler does not inline their iterators in this package, each
// loop allocates, and an agent's span costs almost twice as many allocations.
func TestALoopOverAValueAllocatesNothing(t *testing.T) {
	v, err := scoring.Decode(`[{"a":1},{"b":2}]`)
	if err != nil {
		t.Fatal(err)
	}
	members := 0
	if n := testing.AllocsPerRun(100, func() {
		for e := range v.Elements() {
			for range e.Members() {
				members++
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
	if members == 0 {
		t.Error("the loop met no member")
	}
}
