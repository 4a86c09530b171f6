package intervalorder

import (
	"slices"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing/pairingtest"
)

func TestBefore(t *testing.T) {
	for _, tc := range []struct {
		a, b   Interval
		before bool
		reason string
	}{
		{Interval{1, 2}, Interval{2, 3}, true, "it ends at the moment at which the other begins"},
		{Interval{1, 3}, Interval{2, 4}, false, "they overlap"},
		{Interval{1, 1}, Interval{1, 5}, false, "both begin together, so neither is first"},
		{Interval{3, 1}, Interval{4, 5}, true, "an end before the start counts as the start"},
	} {
		if got := tc.a.Before(tc.b); got != tc.before {
			t.Errorf("%v before %v is %v: %s", tc.a, tc.b, got, tc.reason)
		}
	}
}

// TestExample is the example of the package's documentation.
func TestExample(t *testing.T) {
	for _, tc := range []struct {
		start   uint64
		outcome Outcome
		reason  string
	}{
		{2, Better, "column 0 is still going on, so column 1 may come first"},
		{3, Kept, "column 0 is over, so the order is known"},
	} {
		var s pairing.Shape
		x, y := s.AddClass(), s.AddClass()
		s.AddRows(x, pairing.Needs{Least: 1, Most: 1})
		s.AddRows(y, pairing.Needs{Least: 1, Most: 1})
		s.Index()
		var e pairing.Edges
		e.Add(y, 0, pairing.Full)
		e.Add(x, 1, pairing.Full)
		pairs := pairing.Pairs{}
		pairs.Reset(2)
		pairs.Add(1, 0, pairing.Full)
		work := 0
		p := Problem{&s, &e, []Interval{{1, 3}, {tc.start, 4}}, ordered.Skipping}
		if got := p.Improve(&pairs, pairs.Weight(&s), &work); got != tc.outcome {
			t.Errorf("the outcome is %v, want %v: %s", got, tc.outcome, tc.reason)
		}
		if paired := pairs.RowOf[1] == 0; paired != (tc.outcome == Better) {
			t.Errorf("column 1 is paired: %v: %s", paired, tc.reason)
		}
	}
}

// orders calls yield with every order of the columns in which no column stands before one that was over when it began.
func (p *Problem) orders(yield func([]int32)) {
	var extend func(order, rest []int32)
	extend = func(order, rest []int32) {
		if len(rest) == 0 {
			yield(order)
			return
		}
		for i, column := range rest {
			wasOver := func(o int32) bool { return p.Times[o].Before(p.Times[column]) }
			if !slices.ContainsFunc(rest, wasOver) {
				extend(append(slices.Clone(order), column), slices.Delete(slices.Clone(rest), i, i+1))
			}
		}
	}
	var all []int32
	for j := range p.Times {
		all = append(all, int32(j))
	}
	extend(nil, all)
}

// FuzzImprove holds the search against trying every order, and in it everything.
func FuzzImprove(f *testing.F) {
	pairingtest.AddSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &pairingtest.Dice{Data: data}
		made := pairingtest.New(d, 5)
		p := Problem{Shape: &made.Shape, Edges: &made.Edges, Times: make([]Interval, made.Columns)}
		start := uint64(1)
		for j := range p.Times {
			start += uint64(d.Below(3))
			p.Times[j] = Interval{start, start + uint64(d.Below(5))}
		}
		for _, rule := range []ordered.SkipRule{ordered.Skipping, ordered.Consuming} {
			p.Rule = rule
			pairs, started := made.Pairs(), ordered.Impossible
			var in pairing.InOrder
			if in.Best(p.Shape, p.Edges, rule, &pairs) {
				started = pairs.Weight(p.Shape)
			}
			best := ordered.Impossible
			p.orders(func(order []int32) {
				if w := made.InOrder(order, rule); best.Less(w) {
					best = w
				}
			})
			if started != ordered.Impossible && Settled(p.Shape, p.Edges, &pairs) && started.Less(best) {
				t.Errorf("rule %d: %v is settled, and an order makes %v", rule, started, best)
			}
			work := 0
			switch p.Improve(&pairs, started, &work) {
			case TooMuch:
				t.Errorf("rule %d: %d columns are too much work", rule, made.Columns)
			case Kept:
				if started != best {
					t.Errorf("rule %d: %v was kept, and an order makes %v", rule, started, best)
				}
			case Better:
				if got := pairs.Weight(p.Shape); got != best || !started.Less(best) {
					t.Errorf("rule %d: the best order makes %v after %v, want %v", rule, got, started, best)
				}
			}
			if limit := made.Columns * WorkPerColumn; work > limit {
				t.Errorf("rule %d: %d units of work, want at most %d", rule, work, limit)
			}
		}
	})
}
