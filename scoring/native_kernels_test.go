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

// FuzzInOrder holds the order by bits against the textbook, over lists that are longer than a word of bits.
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

// TestGreedyKeepsHalf drives a group over the size that is assigned optimally: the credit is still at least half of
// the greatest credit, and the alignment says that it may not be the best.
func TestGreedyKeepsHalf(t *testing.T) {
	const n = 1100
	paired := 900
	if testing.Short() {
		paired = 600 // paired³ steps are still more than maxAssignSteps
	}
	tools, calls := make([]Tool, n), make([]Call, n)
	for i := range n {
		// Call i agrees with tool i in both keys, and with every other tool in one.
		tools[i] = Tool{Name: "a", Arguments: JSON(`{"k":1,"i":` + strings.Repeat("1", 1+i%50) + `,"j":` + strings.Repeat("2", 1+i/50) + `}`)}
		calls[i] = Call{Name: "a", Arguments: tools[i].Arguments}
	}
	// Too many pairs to compare: the run is refused, not guessed at.
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

// Greedy or not, a required tool comes before an optional one that fits better.
func TestGreedyRequiredFirst(t *testing.T) {
	p := compile([]Tool{
		{Name: "a", Arguments: JSON(`{"x":1,"y":1}`), Optional: true}, {Name: "a", Arguments: JSON(`{"x":1,"y":2}`)},
	})
	o := DefaultNative()
	o.Arguments = ArgumentsPartial
	if got := greedyWeight(t, o, &p, []Call{{Name: "a", Arguments: JSON(`{"x":1,"y":1}`)}}); got != (weight{Major: full / 2}) {
		t.Errorf("greedy reaches %v, want half a required call", got)
	}
}

// FuzzGreedy holds what is done with groups that are too large against trying everything: required rows get at
// least half of the credit that they could get.
func FuzzGreedy(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		o := d.options()
		o.Order, o.Arguments = AnyOrder, ArgumentsPartial
		tools := d.tools(4, features{counts: true, arguments: true})
		calls := d.calls(5)
		n := newNaive(o, cloneTools(tools), calls)
		if len(n.rows) > 8 {
			return
		}
		p := compile(tools)
		got := greedyWeight(t, o, &p, calls)
		if best, _ := n.best(); 2*got.Major < best.Major {
			t.Errorf("greedy reaches %v of %v", got, best)
		}
	})
}

// greedyWeight is what greedy reaches in all groups, whatever their size.
func greedyWeight(t *testing.T, o NativeOptions, p *plan, calls []Call) (sum weight) {
	t.Helper()
	w := newNativeRun(&Native{o}, calls)
	w.rowOf, w.creditOf = filled(w.rowOf, len(calls), -1), filled(w.creditOf, len(calls), 0)
	if why := w.compare(p); why != "" {
		t.Fatal(why)
	}
	w.credits.group(len(p.classes))
	w.match.reset(p, len(calls))
	w.match.unite(&w.credits)
	for i := range w.match.weighed {
		w.match.weighed[i] = true
	}
	for _, g := range w.match.weighedGroups(&w.credits) {
		w.greedy(p, g)
	}
	for j, r := range w.rowOf {
		if r >= 0 {
			sum = sum.Plus(weightOf(p.rows[r].need, w.creditOf[j]))
		}
	}
	return sum
}
