package scoring

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
)

// positional scores like the exact modes of the references: 1 if the lists have the same length and agree at every position,
// else 0. same compares tool i with call i.
//
// One difference makes the score 0, even if other positions cannot be compared. The reference stops at the first difference,
// so a crash behind it does not count.
func (t *referenceRun) positional(same func(i int) (bool, *notScored)) (float64, *notScored) {
	t.align.Ordered = true
	differs := len(t.tools) != len(t.calls)
	if differs {
		t.align.Broken = notAsMany(t.align.Broken, len(t.tools), len(t.calls))
	}
	var open *notScored
	first := true
	for i := range min(len(t.tools), len(t.calls)) {
		ok, f := same(i)
		switch {
		case f != nil && f.status == Failed && !differs:
			return 0, f
		case f != nil:
			open = cmp.Or(open, f)
			t.align.Guessed = true
		case ok:
			t.pair(i, i, 1)
		case first:
			differs, first = true, false
			t.note("position %d is the first that differs", i+1)
		}
	}
	if differs {
		return 0, nil
	}
	return 1, open
}

// A step is one pair on the best path through the table of tools and calls, with its weight.
type step = ordered.Step

// inOrder finds the weighted longest common subsequence: see [ordered.Steps]. weight returns the weight of a pair, 0 for no
// match. total is the greatest sum. steps is one path to it, last pair first.
func (t *referenceRun) inOrder(weight func(i, j int) (float64, *notScored)) (steps []step, total float64, f *notScored) {
	t.align.Ordered = true
	steps, total, done := ordered.Steps(len(t.tools), len(t.calls), func(i, j int) (w float64, ok bool) {
		w, f = weight(i, j)
		return w, f == nil
	})
	if !done {
		return nil, 0, f
	}
	for _, s := range steps {
		t.pair(s.Row, s.Column, s.Weight)
	}
	slices.Reverse(t.align.Pairs)
	return steps, total, nil
}
