package scoring

import "slices"

// positional scores like the exact modes of the references: 1 if the lists have the same length and every position is the
// same, else 0. same compares tool i with call i.
//
// One difference decides, even if other positions cannot be compared. A crash of the reference counts only before the
// first difference, because there the reference stops.
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
			open = firstNotScored(open, f)
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

func firstNotScored(first, next *notScored) *notScored {
	if first != nil {
		return first
	}
	return next
}

// A step is one pair on the best path through the table of tools and calls, with its weight.
type step struct {
	i, j   int
	weight float64
}

// A move says from which cell the best sum of a cell comes.
type move uint8

const (
	skipTool move = iota
	skipCall
	takePair
)

// inOrder finds the weighted longest common subsequence. weight is the weight of a pair, or 0 if it is none. total is the
// greatest sum. steps is one path to it, last pair first. If there are several, it is the one that leaves out the latest
// tools, and then the latest calls.
func (t *referenceRun) inOrder(weight func(i, j int) (float64, *notScored)) (steps []step, total float64, f *notScored) {
	t.align.Ordered = true
	m, n := len(t.tools), len(t.calls)
	moves := make([]move, m*n)
	sums := make([]float64, 2*(n+1))
	above, row := sums[:n+1], sums[n+1:]
	for i := range m {
		for j := range n {
			w, f := weight(i, j)
			if f != nil {
				return nil, 0, f
			}
			row[j+1], moves[i*n+j] = bestMove(above[j+1], row[j], above[j]+w)
		}
		above, row = row, above
	}
	return t.trace(moves, weight), above[n], nil
}

// bestMove is the largest of three sums. A sum that is no larger than another gains nothing from its pair.
func bestMove(withoutTool, withoutCall, withPair float64) (float64, move) {
	switch best := max(withoutTool, withoutCall); {
	case withPair > best:
		return withPair, takePair
	case withoutTool == best:
		return best, skipTool
	default:
		return best, skipCall
	}
}

// trace follows the moves back from the last cell.
func (t *referenceRun) trace(moves []move, weight func(i, j int) (float64, *notScored)) []step {
	var steps []step
	n := len(t.calls)
	for i, j := len(t.tools)-1, n-1; i >= 0 && j >= 0; {
		switch moves[i*n+j] {
		case skipTool:
			i--
		case skipCall:
			j--
		case takePair:
			w, _ := weight(i, j) // inOrder has computed it without a problem
			steps = append(steps, step{i, j, w})
			t.pair(i, j, w)
			i, j = i-1, j-1
		}
	}
	slices.Reverse(t.align.Pairs)
	return steps
}
