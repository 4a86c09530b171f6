package scoring

import (
	"math"
	"strings"
	"testing"
)

// tools returns tools with the names in "a b c" and nothing else.
func tools(names string) []Tool {
	list := []Tool{}
	for name := range strings.FieldsSeq(names) {
		list = append(list, Tool{Name: name})
	}
	return list
}

func called(names string) []Call {
	list := []Call{}
	for name := range strings.FieldsSeq(names) {
		list = append(list, Call{Name: name})
	}
	return list
}

func TestNativeWithoutToolsOrCalls(t *testing.T) {
	n := native(t, nil)
	for _, e := range []*Expectation{nil, {}} {
		if v := n.Judge(e, called("a")); v.Status != Scored || v.Score != 1 {
			t.Errorf("without an expectation: %v, %v; nothing is missing", v.Status, v.Score)
		}
	}
}

func TestNewNativeRefuses(t *testing.T) {
	o := NativeOptions{
		Order: 3, Arguments: 7, Output: 3, Score: 4, ExtraCalls: 2, Repeats: 3,
		Threshold: math.NaN(), FuzzyThreshold: 1.01,
	}
	_, err := NewNative(o)
	if err == nil {
		t.Fatal("made of options that are all wrong")
	}
	for _, key := range []string{"order", "arguments", "output", "score", "extra_calls", "repeats", "threshold", "fuzzy_threshold"} {
		if !strings.Contains("\n"+err.Error(), "\n"+key+": ") {
			t.Errorf("nothing is said of %s in %q", key, err)
		}
	}
}
