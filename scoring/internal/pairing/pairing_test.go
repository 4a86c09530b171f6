package pairing_test

import (
	"slices"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing/pairingtest"
)

func TestShape(t *testing.T) {
	var s pairing.Shape
	a, b := s.AddClass(), s.AddClass()
	s.AddRows(a, pairing.Needs{Least: 1, Most: 1})
	s.AddRows(b, pairing.Needs{Least: 1, Most: 2})
	s.AddRows(a, pairing.Needs{Least: 1, Most: 1, Endless: true})
	s.Index()
	for _, tc := range []struct {
		class    int32
		rows     []int32
		capacity int
		reason   string
	}{
		{a, []int32{0, 3, 4}, 7, "the endless row comes last and takes any number of seven columns"},
		{b, []int32{1, 2}, 2, "the required row comes first, and each takes one column"},
	} {
		class := &s.Classes[tc.class]
		if !slices.Equal(class.Rows, tc.rows) || class.Capacity(7) != tc.capacity {
			t.Errorf("rows %v for %d columns, want %v for %d: %s", class.Rows, class.Capacity(7), tc.rows, tc.capacity, tc.reason)
		}
	}
	if s.Required != 3 {
		t.Errorf("%d rows are required, want 3", s.Required)
	}
}

// FuzzInOrder holds pairs that do not cross against trying everything.
func FuzzInOrder(f *testing.F) {
	pairingtest.AddSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := pairingtest.New(&pairingtest.Dice{Data: data}, 6)
		var in pairing.InOrder
		for _, rule := range []ordered.SkipRule{ordered.Skipping, ordered.Consuming} {
			pairs, want := p.Pairs(), p.InOrder(p.Order(), rule)
			if fits := in.Best(&p.Shape, &p.Edges, rule, &pairs); fits != (want != ordered.Impossible) {
				t.Errorf("rule %d: there are pairs: %v, want %v", rule, fits, !fits)
				continue
			}
			if got := pairs.Weight(&p.Shape); want != ordered.Impossible && got != want {
				t.Errorf("rule %d: the weight is %v, want %v", rule, got, want)
			}
			p.Check(t, &pairs)
		}
		if p.Edges.Partial || p.Shape.Required < len(p.Shape.Rows) {
			return
		}
		pairs := p.Pairs()
		in.Most(&p.Shape, &p.Edges, &pairs)
		if got, want := pairs.Weight(&p.Shape), p.InOrder(p.Order(), ordered.Skipping); got != want {
			t.Errorf("the most pairs weigh %v, want %v", got, want)
		}
		p.Check(t, &pairs)
		rows, columns := pairs.Unpaired(&p.Shape)
		if paired := int(pairs.Weight(&p.Shape).Major / pairing.Full); rows != len(p.Shape.Rows)-paired || columns != p.Columns-paired {
			t.Errorf("%d rows and %d columns are not paired, and %d pairs are there", rows, columns, paired)
		}
	})
}
