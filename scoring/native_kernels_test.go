package scoring

import (
	"strings"
	"testing"
)

// naiveLCS is the textbook's longest common subsequence.
func naiveLCS(a, b []string) int {
	above := make([]int, len(b)+1)
	for i := range a {
		now := make([]int, len(b)+1)
		for j := range b {
			if now[j+1] = max(above[j+1], now[j]); a[i] == b[j] {
				now[j+1] = above[j] + 1
			}
		}
		above = now
	}
	return above[len(b)]
}

// FuzzInOrder compares the bit-parallel order with the textbook's, for lists that are longer than a word.
func FuzzInOrder(f *testing.F) {
	f.Add([]byte("abcbdab"), []byte("bdcaba"))
	f.Add([]byte(strings.Repeat("ab", 50)), []byte(strings.Repeat("ba", 70)))
	f.Add([]byte(strings.Repeat("a", 64)), []byte(strings.Repeat("a", 64)))
	f.Add([]byte(strings.Repeat("abc", 43)), []byte(strings.Repeat("acb", 64)))
	f.Fuzz(func(t *testing.T, expected, called []byte) {
		if len(expected)+len(called) > 500 {
			return
		}
		var names [2][]string
		for i, list := range [][]byte{expected, called} {
			for _, c := range list {
				names[i] = append(names[i], string('a'+c%8))
			}
		}
		tools, calls := make([]Tool, len(expected)), make([]Call, len(called))
		for i, name := range names[0] {
			tools[i].Name = name
		}
		for j, name := range names[1] {
			calls[j].Name = name
		}
		o := DefaultNative()
		o.Order = InOrder
		v := judge(t, o, expectation(t, ExpectationSettings{Tools: tools}), calls)
		checkPairs(t, v)
		last := -1
		for _, p := range v.Alignment.Pairs {
			if p.Called <= last {
				t.Errorf("pairs cross: %v", v.Alignment.Pairs)
			}
			last = p.Called
		}
		if want := naiveLCS(names[0], names[1]); len(v.Alignment.Pairs) != want {
			t.Errorf("%d pairs, the longest common subsequence has %d", len(v.Alignment.Pairs), want)
		}
	})
}

// TestGreedyKeepsHalf: a group that is too large for an optimal assignment still gets at least half of the greatest credit.
// The alignment says that this may not be the best.
func TestGreedyKeepsHalf(t *testing.T) {
	const n = 1100
	paired := 900
	if testing.Short() {
		paired = 600 // paired³ is still more than the steps allowed for an optimal assignment
	}
	tools, calls := make([]Tool, n), make([]Call, n)
	for i := range n {
		// Call i agrees with tool i in both keys, and with every other tool in one.
		tools[i] = Tool{Name: "a", Arguments: JSON(`{"k":1,"i":` + strings.Repeat("1", 1+i%50) + `,"j":` + strings.Repeat("2", 1+i/50) + `}`)}
		calls[i] = Call{Name: "a", Arguments: tools[i].Arguments}
	}
	// There are too many pairs to compare, so the run is not scored.
	o := DefaultNative()
	o.Arguments = ArgumentsPartial
	if v := judge(t, o, expectation(t, ExpectationSettings{Tools: tools}), calls); v.Status != NotEvaluable {
		t.Errorf("%d by %d comparisons gave %v", n, n, v.Status)
	}
	v := judge(t, o, expectation(t, ExpectationSettings{Tools: tools[:paired]}), calls[:paired])
	if v.Status != Scored || v.Score < 0.5 {
		t.Errorf("status %v, score %v, want at least half of 1", v.Status, v.Score)
	}
	if len(v.Alignment.Notes) != 1 {
		t.Errorf("notes %q, want one that says that this is a bound", v.Alignment.Notes)
	}
	checkPairs(t, v)
}
