package scoring

import (
	"cmp"
	"slices"
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
type step struct {
	tool, call int
	weight     float64
}

// inOrder finds the weighted longest common subsequence. It adds weights up from the first tool and call on, as the originals do,
// because sums of floats depend on their order. weight returns the weight of a pair, 0 for no match. total is the greatest sum.
// steps is one path to it, last pair first. Among several paths it is the one that leaves out the latest tools, then the latest
// calls.
func (t *referenceRun) inOrder(weight func(i, j int) (float64, *notScored)) (steps []step, total float64, f *notScored) {
	t.align.Ordered = true
	n := len(t.calls)
	const (
		skipTool = iota
		skipCall
		pairBoth
	)
	moves := make([]uint8, len(t.tools)*n)
	sums := make([]float64, 2*(n+1))
	above, now := sums[:n+1], sums[n+1:]
	for i := range t.tools {
		for j := range n {
			w, f := weight(i, j)
			if f != nil {
				return nil, 0, f
			}
			best, move := above[j+1], uint8(skipTool)
			if now[j] > best {
				best, move = now[j], skipCall
			}
			if above[j]+w > best {
				best, move = above[j]+w, pairBoth
			}
			now[j+1], moves[i*n+j] = best, move
		}
		above, now = now, above
	}
	for i, j := len(t.tools)-1, n-1; i >= 0 && j >= 0; {
		switch moves[i*n+j] {
		case skipTool:
			i--
		case skipCall:
			j--
		case pairBoth:
			w, _ := weight(i, j) // it was known before
			steps = append(steps, step{i, j, w})
			i, j = i-1, j-1
		}
	}
	for _, s := range slices.Backward(steps) {
		t.pair(s.tool, s.call, s.weight)
	}
	return steps, above[n], nil
}
