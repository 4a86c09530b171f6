package scoring

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
)

const (
	// maxBitCells and maxCells bound rows times calls if order matters. If all credits are full, a cell is one bit and 64
	// are computed at once: 32 MiB. Otherwise a cell is two bits and takes some nanoseconds: 16 MiB.
	maxBitCells = 1 << 28
	maxCells    = 1 << 26
)

func tooManyCells(limit int) string {
	return fmt.Sprintf("expected tools times calls are more than the %d that can be put in order", limit)
}

// inOrder finds the pairs of greatest credit that do not cross in some order of the calls that may be taken. If it cannot,
// it returns why, else "".
func (w *nativeRun) inOrder(p *plan) string {
	if why := w.inOrderAsStarted(p); why != "" {
		return why
	}
	_, why := w.reorder(p, skipping, w.weight(p))
	return why
}

// inOrderAsStarted is inOrder with the calls in the order of the list.
func (w *nativeRun) inOrderAsStarted(p *plan) string {
	w.credits.group(len(p.classes))
	cells := len(p.rows) * len(w.calls)
	if len(p.required) == len(p.rows) && !w.credits.fractional {
		if cells > maxBitCells {
			return tooManyCells(maxBitCells)
		}
		w.longestCommon(p)
		return ""
	}
	if cells > maxCells {
		return tooManyCells(maxCells)
	}
	w.alignOrdered(p, skipping)
	return ""
}

// exactOrder pairs position by position. fits is false if a call or a required row would have no partner. Then the pairs
// are those of inOrder, to explain what is wrong.
func (w *nativeRun) exactOrder(p *plan) (fits bool, why string) {
	if len(p.required) < len(p.rows) {
		return w.exactWithOptional(p)
	}
	if len(p.rows) != len(w.calls) {
		w.broken = notAsMany(w.broken, len(p.rows), len(w.calls))
		w.explain(p)
		return false, ""
	}
	for _, e := range w.credits.edges {
		if p.rows[e.call].class == e.class {
			w.rowOf[e.call], w.creditOf[e.call] = e.call, e.credit
		}
	}
	return w.reorder(p, consuming, w.weight(p))
}

func (w *nativeRun) exactWithOptional(p *plan) (fits bool, why string) {
	if len(p.rows)*len(w.calls) > maxCells {
		return false, tooManyCells(maxCells)
	}
	w.credits.group(len(p.classes))
	started := impossible
	if w.alignOrdered(p, consuming) {
		started = w.weight(p)
	}
	if fits, why = w.reorder(p, consuming, started); fits || why != "" {
		return fits, why
	}
	w.notes = append(w.notes, "the calls do not follow the expected ones position by position")
	w.explain(p)
	return false, ""
}

// explain pairs in order after exact pairing failed. If that is too much work there are no pairs. The score is 0 either
// way.
func (w *nativeRun) explain(p *plan) {
	if w.inOrder(p) != "" {
		w.guessed = true
	}
}

// A skipRule says which rows and calls an ordered alignment may leave out.
type skipRule = ordered.SkipRule

const (
	skipping  = ordered.Skipping
	consuming = ordered.Consuming
)

// impossible is the weight of what no alignment reaches.
var impossible = ordered.Impossible

// longestCommon pairs as many rows with calls as it can if all credits are full.
func (w *nativeRun) longestCommon(p *plan) {
	w.common.Reset(len(p.classes), len(p.rows), len(w.calls))
	for _, e := range w.credits.edges {
		w.common.Match(e.class, e.call)
	}
	for r := range p.rows {
		w.common.Row(p.rows[r].class)
	}
	w.common.Pairs(func(row, call int) { w.rowOf[call], w.creditOf[call] = int32(row), full })
}

// alignOrdered finds the best alignment under a rule. It reports false if there is none.
func (w *nativeRun) alignOrdered(p *plan, rule skipRule) bool {
	w.table.Reset(len(p.rows), len(w.calls), rule)
	for r := range p.rows {
		edges := w.credits.of(p.rows[r].class)
		for _, e := range edges {
			w.table.Gains[e.call] = e.credit
		}
		w.table.Row(p.rows[r].need)
		for _, e := range edges {
			w.table.Gains[e.call] = 0
		}
	}
	if w.table.Weight() == impossible {
		return false
	}
	w.unravel(p)
	return true
}

// unravel walks the choices back and writes the pairs down.
func (w *nativeRun) unravel(p *plan) {
	r, j := len(p.rows)-1, len(w.calls)
	for r >= 0 {
		switch w.table.Choice(r, j) {
		case ordered.PassRow:
			r--
		case ordered.PassColumn:
			j--
		case ordered.PairBoth:
			j--
			w.pairUp(p, r, j)
			if p.rows[r].need != endless {
				r--
			}
		}
	}
}

// pairUp pairs a row with a call if the credit is above 0.
func (w *nativeRun) pairUp(p *plan, r, call int) {
	edges := w.credits.of(p.rows[r].class)
	if i, ok := searchCall(edges, int32(call)); ok {
		w.rowOf[call], w.creditOf[call] = int32(r), edges[i].credit
	}
}

// searchCall finds a call among the edges of a class, which are in the order of calls.
func searchCall(edges []edge, call int32) (int, bool) {
	return slices.BinarySearchFunc(edges, call, func(e edge, call int32) int { return cmp.Compare(e.call, call) })
}
