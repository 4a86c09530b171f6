package scoring

import (
	"fmt"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
)

const (
	// maxBitCells and maxCells bound rows times calls if the order counts. If all credits are full, a cell is one bit and
	// 64 are computed at once: 32 MiB. Otherwise a cell is two bits and takes some nanoseconds: 16 MiB.
	maxBitCells = 1 << 28
	maxCells    = 1 << 26
)

func tooManyCells(limit int) string {
	return fmt.Sprintf("expected tools times calls are more than the %d that can be put in order", limit)
}

// inOrder finds the pairs of greatest credit that do not cross, in the best order that the times of the calls allow. If
// that is too much work, it returns why, else "".
func (w *nativeRun) inOrder(p *plan) string {
	if why := w.inOrderAsStarted(p); why != "" {
		return why
	}
	_, why := w.reorder(p, ordered.Skipping, w.pairs.Weight(&p.shape))
	return why
}

// inOrderAsStarted is inOrder for the calls in the order of the list.
func (w *nativeRun) inOrderAsStarted(p *plan) string {
	w.edges.Group(len(p.classes))
	cells := len(p.shape.Rows) * len(w.calls)
	if len(p.required) == len(p.shape.Rows) && !w.edges.Partial {
		if cells > maxBitCells {
			return tooManyCells(maxBitCells)
		}
		w.ordered.Most(&p.shape, &w.edges, &w.pairs)
		return ""
	}
	if cells > maxCells {
		return tooManyCells(maxCells)
	}
	w.ordered.Best(&p.shape, &w.edges, ordered.Skipping, &w.pairs)
	return ""
}

// exactOrder pairs position by position. fits is false if a call or a required row has no partner. The pairs are then those
// of inOrder, and explain what is wrong.
func (w *nativeRun) exactOrder(p *plan) (fits bool, why string) {
	if len(p.required) < len(p.shape.Rows) {
		return w.exactWithOptional(p)
	}
	if len(p.shape.Rows) != len(w.calls) {
		w.broken = notAsMany(w.broken, len(p.shape.Rows), len(w.calls))
		w.explain(p)
		return false, ""
	}
	for _, e := range w.edges.All {
		if p.shape.Rows[e.Column].Class == e.Class {
			w.pairs.Add(e.Column, e.Column, e.Credit)
		}
	}
	return w.reorder(p, ordered.Consuming, w.pairs.Weight(&p.shape))
}

func (w *nativeRun) exactWithOptional(p *plan) (fits bool, why string) {
	if len(p.shape.Rows)*len(w.calls) > maxCells {
		return false, tooManyCells(maxCells)
	}
	w.edges.Group(len(p.classes))
	started := ordered.Impossible
	if w.ordered.Best(&p.shape, &w.edges, ordered.Consuming, &w.pairs) {
		started = w.pairs.Weight(&p.shape)
	}
	if fits, why = w.reorder(p, ordered.Consuming, started); fits || why != "" {
		return fits, why
	}
	w.notes = append(w.notes, "the calls do not follow the expected ones position by position")
	w.explain(p)
	return false, ""
}

// explain pairs in order after exact pairing failed. If that is too much work, it finds no pairs. The score is 0 either
// way.
func (w *nativeRun) explain(p *plan) {
	if w.inOrder(p) != "" {
		w.guessed = true
	}
}

// A weight is the credit of required rows (Major) and of other rows (Minor). The first decides.
type weight = assignment.Weight
