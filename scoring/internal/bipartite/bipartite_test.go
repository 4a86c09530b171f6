package bipartite

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing/pairingtest"
)

// FuzzBest holds the matching, and the assignment of groups with partial credits, against trying everything.
func FuzzBest(f *testing.F) {
	pairingtest.AddSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := pairingtest.New(&pairingtest.Dice{Data: data}, 5)
		var m Matcher
		for range 2 { // the memory is used again
			pairs := p.Pairs()
			if !m.Best(&p.Shape, &p.Edges, &pairs) {
				t.Fatal("a small group was paired greedily")
			}
			p.Check(t, &pairs)
			if got, want := pairs.Weight(&p.Shape), p.AnyOrder(); got != want {
				t.Errorf("the weight is %v, want %v", got, want)
			}
		}
		if p.Edges.Partial || hasRivals(p) {
			return
		}
		pairs := p.Pairs()
		m.FirstCome(&p.Shape, &p.Edges, &pairs)
		p.Check(t, &pairs)
		if got, want := pairs.Weight(&p.Shape), p.AnyOrder(); got != want {
			t.Errorf("first come: the weight is %v, want %v", got, want)
		}
	})
}

// hasRivals reports whether two classes have an edge of one column.
func hasRivals(p *pairingtest.Problem) bool {
	for i, e := range p.Edges.All {
		if i > 0 && p.Edges.All[i-1].Column == e.Column {
			return true
		}
	}
	return false
}

// FuzzGreedy compares the greedy pairing of large groups with brute force: required rows get at least half of the greatest
// credit.
func FuzzGreedy(f *testing.F) {
	pairingtest.AddSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := pairingtest.New(&pairingtest.Dice{Data: data}, 5)
		pairs := greedyPairs(p)
		p.Check(t, &pairs)
		if got, best := pairs.Weight(&p.Shape), p.AnyOrder(); 2*got.Major < best.Major {
			t.Errorf("greedy reaches %v of %v", got, best)
		}
	})
}

// greedyPairs are those of greedy in all groups, whatever their size and credits.
func greedyPairs(p *pairingtest.Problem) pairing.Pairs {
	var m Matcher
	pairs := p.Pairs()
	m.begin(&p.Shape, &p.Edges, &pairs)
	m.reset()
	m.unite()
	for i := range m.weighed {
		m.weighed[i] = true
	}
	for _, g := range m.weighedGroups() {
		m.greedy(g)
	}
	return pairs
}

// Greedy or not, a required row comes before an optional one that fits better.
func TestGreedyRequiredFirst(t *testing.T) {
	var p pairingtest.Problem
	p.Columns = 1
	p.Shape.AddRows(p.Shape.AddClass(), pairing.Needs{Most: 1})
	p.Shape.AddRows(p.Shape.AddClass(), pairing.Needs{Least: 1, Most: 1})
	p.Shape.Index()
	p.Edges.Add(0, 0, pairing.Full)
	p.Edges.Add(1, 0, pairing.Full/2)
	p.Edges.Group(2)
	pairs := greedyPairs(&p)
	if got := pairs.Weight(&p.Shape); got != (assignment.Weight{Major: pairing.Full / 2}) {
		t.Errorf("greedy reaches %v, want half of a required row", got)
	}
}

// All groups of a task share the bound on steps.
func TestGroupsShareTheBoundOnSteps(t *testing.T) {
	var m Matcher
	for _, tc := range []struct {
		name    string
		size    int
		restart bool
		want    bool
		reason  string
	}{
		{"the first", 500, false, true, "500 rows and 500 columns are within the bound"},
		{"the second", 500, false, false, "it would double the steps"},
		{"a small one", 100, false, true, "there are steps left for it"},
		{"the next task", 500, true, true, "it begins anew"},
		{"too large", 1100, true, false, "one group alone exceeds the bound"},
	} {
		if tc.restart {
			m.Restart()
		}
		g := grid{slots: make([]slot, tc.size), columns: make([]int32, tc.size)}
		if got := m.affords(&g); got != tc.want {
			t.Errorf("%s: %v, want %v: %s", tc.name, got, tc.want, tc.reason)
		}
	}
}
