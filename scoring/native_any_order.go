package scoring

// anyOrder finds the pairing of greatest credit: first in required rows, then in the others. If every call has only one
// possible class, there is nothing to choose.
func (w *nativeRun) anyOrder(p *plan) {
	if p.distinct && !w.edges.Partial {
		w.matcher.FirstCome(&p.shape, &w.edges, &w.pairs)
		return
	}
	if optimal := w.matcher.Best(&p.shape, &w.edges, &w.pairs); !optimal {
		w.notes = append(w.notes, "too many calls compete for the best pairing to be sought, this one has at least half of its credit")
	}
}
