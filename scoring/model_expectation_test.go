package scoring

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpectationOnly(t *testing.T) {
	if e := expectation(t, ExpectationSettings{Tools: tools("a")}); e.Only(0) != e || e.Only(-1) != e || e.Only(1) != e {
		t.Error("an expectation with one list has no other")
	}
	several := expectation(t, ExpectationSettings{AnyOf: [][]Tool{tools("a b"), tools("x y")}, Forbidden: tools("rm")})
	v := native(t, nil).Judge(several, called("x rm"))
	if v.Alignment.List != 1 {
		t.Fatalf("list %d counted, want 1", v.Alignment.List)
	}
	only := several.Only(v.Alignment.List)
	if diff := cmp.Diff([]string{"x", "y"}, only.Names()); diff != "" {
		t.Error(diff)
	}
	missing, unexpected := NameDiff(only, called("x rm"))
	if diff := cmp.Diff([][]string{{"y"}, {"rm"}}, [][]string{missing, unexpected}); diff != "" {
		t.Error(diff)
	}
	if again := native(t, nil).Judge(only, called("x rm")); again.Score != 0 || len(again.Alignment.Forbidden) != 1 {
		t.Error("what is forbidden is forbidden in each list")
	}
}

func TestExpectationTools(t *testing.T) {
	if e := expectation(t, ExpectationSettings{Forbidden: tools("rm")}); e.Tools() != nil {
		t.Error("no list became a list")
	}
	if e := expectation(t, ExpectationSettings{Tools: []Tool{}}); e.Tools() == nil {
		t.Error("an empty list became no list")
	}
	list := []Tool{{Names: []string{"a"}}}
	e := expectation(t, ExpectationSettings{Tools: list})
	list[0].Names[0] = "changed"
	if got := e.Tools()[0].Names[0]; got != "a" {
		t.Errorf("the caller changed an expectation to %q after it was checked", got)
	}
}

func TestWords(t *testing.T) {
	checkWords[Order](t)
	checkWords[ArgumentMode](t)
	checkWords[Credit](t)
	checkWords[OutputMode](t)
	checkWords[Measure](t)
	checkWords[ExtraCalls](t)
	checkWords[Repeats](t)
	checkWords[Concurrent](t)
	checkWords[Uncaptured](t)
}

// checkWords: each word of an option is read as itself, and no other text is.
func checkWords[T Option](t *testing.T) {
	t.Helper()
	for _, word := range append(Words[T](), "", "Any", "exact ", "unwritten") {
		if x, ok := Parse[T](word); ok != slices.Contains(Words[T](), word) || ok && x.String() != word {
			t.Errorf("%q is read as %q, %v", word, x, ok)
		}
	}
}
