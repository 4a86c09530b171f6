package match

import (
	"cmp"
	"slices"
)

// An InOrder pairs rows and columns in their order: a pair with a later row has a later column as well. Both may be left out. It
// reuses its memory, by one goroutine at a time.
//
// It goes through the rows, and keeps the chains of pairs that may still be extended: no other one ends at the same column or
// earlier and weighs as much. Each has a later end and a greater weight than the one before it, so the best chain that ends
// before a column is found by halving. The time grows with the sum of the edges of all rows.
type InOrder struct {
	chains []chain
	front  []end
}

// A chain is a pair, by its row and edge, and the chain before it, or -1.
type chain struct{ row, edge, before int32 }

// An end is the weight of a chain and its last column, or -1 for no pairs.
type end struct {
	weight        Weight
	column, chain int32
}

// Retained returns about how many words of memory are kept.
func (o *InOrder) Retained() int { return 2*cap(o.chains) + 3*cap(o.front) }

// Pair adds the pairs of greatest weight. The edges must be grouped. Among equals it takes the first columns, then the first rows.
func (o *InOrder) Pair(s *Shape, e *Edges, pairs *Pairs) {
	o.chains, o.front = o.chains[:0], append(o.front[:0], end{column: -1, chain: -1})
	for r, row := range s.Rows {
		from, to := e.start[row.Class], e.start[row.Class+1]
		if row.Need == Endless { // pairs of the same row may follow each other
			for i := from; i < to; i++ {
				o.add(int32(r), i, &e.byClass[i], row.Need)
			}
			continue
		}
		for i := to - 1; i >= from; i-- {
			o.add(int32(r), i, &e.byClass[i], row.Need)
		}
	}
	for at := o.front[len(o.front)-1].chain; at >= 0; at = o.chains[at].before {
		c := o.chains[at]
		x := &e.byClass[c.edge]
		pairs.Add(c.row, x.Column, x.Credit)
	}
}

// add extends the best chain that ends before the column of an edge, and drops the chains that are then of no use.
func (o *InOrder) add(row, edge int32, x *Edge, need Need) {
	at := len(o.front)
	if o.front[at-1].column >= x.Column {
		at, _ = slices.BinarySearchFunc(o.front, x.Column, func(e end, column int32) int { return cmp.Compare(e.column, column) })
	}
	before := &o.front[at-1]
	now := end{before.weight.Plus(WeightOf(need, x.Credit)), x.Column, int32(len(o.chains))}
	if at < len(o.front) && o.front[at].column == x.Column && !o.front[at].weight.Less(now.weight) {
		return
	}
	o.chains = append(o.chains, chain{row, edge, before.chain})
	worse := at
	for worse < len(o.front) && !now.weight.Less(o.front[worse].weight) {
		worse++
	}
	if worse == at+1 {
		o.front[at] = now
	} else {
		o.front = slices.Replace(o.front, at, worse, now)
	}
}
