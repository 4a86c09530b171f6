package assignment

// Totals returns, at index n, the greatest sum of gains of the first n rows, from 0 rows to all. It takes as many steps as
// [Gains.Assign].
func (g Gains) Totals() []Weight {
	h := g.start()
	totals := make([]Weight, 1, g.rows+1)
	for row := 1; row <= g.rows; row++ {
		h.place(row)
		totals = append(totals, h.total())
	}
	return totals
}

// total returns the sum of the gains of all rows that have a column.
func (h *hungarian) total() (sum Weight) {
	for column, row := range h.assigned[1:] {
		if row > 0 {
			sum = sum.Plus(h.cells[(row-1)*h.columns+column])
		}
	}
	return sum
}
