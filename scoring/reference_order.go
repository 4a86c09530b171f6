package scoring

import "slices"

// positional scores as the references' exact modes do: 1 where the lists are of one length and every position is the
// same, else 0. same compares tool i with call i.
//
// A difference decides, wherever it stands and whatever the telemetry left out elsewhere. A crash of the reference
// counts only where it comes before the first difference, because there the reference stops.
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

// move says where the best sum of a cell comes from.
type move uint8

const (
	skipTool move = iota
	skipCall
	takePair
)

// inOrder finds the weighted longest common subsequence. weight says what a pair is worth, 0 for nothing.
// total is the best sum; steps are one path to it, last pair first: where several are as good, the one that leaves
// out the latest tools, and then the latest calls.
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
			w, _ := weight(i, j) // it had no refusal before
			steps = append(steps, step{i, j, w})
			t.pair(i, j, w)
			i, j = i-1, j-1
		}
	}
	slices.Reverse(t.align.Pairs)
	return steps
}
