package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

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
