package assignment

// Gains are what each row would gain from each column. There are at least as many columns as rows.
type Gains struct {
	rows, columns int
	cells         []Weight
}

// NewGains asks for the gain of every row and column, both counted from 0.
func NewGains(rows, columns int, gain func(row, column int) Weight) Gains {
	g := Gains{rows, columns, make([]Weight, 0, rows*columns)}
	for i := range rows {
		for j := range columns {
			g.cells = append(g.cells, gain(i, j))
		}
	}
	return g
}

// A hungarian assigns a column to every row so that the sum of gains is greatest (Kuhn and Munkres, with the
// shortest augmenting path of Jonker and Volgenant). rowPrice and columnPrice keep the invariant that the two
// prices of a cell are at least its gain, and equal it where row and column are assigned to each other; so no other
// assignment gains more. Row 0 and column 0 mean none, the real ones count from 1.
type hungarian struct {
	Gains
	rowPrice, columnPrice []Weight
	assigned              []int // of each column its row
	// For the row that is being assigned: how much each column falls short of being on a path, by way of which
	// column it is reached, and whether it is on one.
	short []Weight
	via   []int
	done  []bool
}

// Assign gives every row a column so that the sum of gains is greatest. It returns pairs of a row and a column, in the
// order of columns, both counted from 0. It takes rows*rows*columns steps at most.
func (g Gains) Assign() [][2]int {
	h := g.start()
	for row := 1; row <= g.rows; row++ {
		h.place(row)
	}
	var pairs [][2]int
	for column, row := range h.assigned[1:] {
		if row > 0 {
			pairs = append(pairs, [2]int{row - 1, column})
		}
	}
	return pairs
}

// start has assigned no row.
func (g Gains) start() *hungarian {
	return &hungarian{
		Gains: g, rowPrice: make([]Weight, g.rows+1), columnPrice: make([]Weight, g.columns+1),
		assigned: make([]int, g.columns+1),
		short:    make([]Weight, g.columns+1), via: make([]int, g.columns+1), done: make([]bool, g.columns+1),
	}
}

// place finds a column for one more row, moving others where that gains most.
func (h *hungarian) place(row int) {
	const far = 1<<63 - 1
	for j := range h.short {
		h.short[j], h.done[j] = Weight{Major: far}, false
	}
	h.assigned[0] = row
	column := 0
	for h.assigned[column] != 0 {
		h.done[column] = true
		next := h.relax(column)
		h.reprice(h.short[next])
		column = next
	}
	for column != 0 {
		h.assigned[column] = h.assigned[h.via[column]]
		column = h.via[column]
	}
}

// relax looks at the cells of the row that column is assigned to, and returns the column that falls short least.
func (h *hungarian) relax(column int) int {
	row := h.assigned[column]
	cells := h.cells[(row-1)*h.columns : row*h.columns]
	price := h.rowPrice[row]
	best := 0
	for j := 1; j <= h.columns; j++ {
		if h.done[j] {
			continue
		}
		if short := price.Plus(h.columnPrice[j]).Minus(cells[j-1]); short.Less(h.short[j]) {
			h.short[j], h.via[j] = short, column
		}
		if best == 0 || h.short[j].Less(h.short[best]) {
			best = j
		}
	}
	return best
}

// reprice lowers the prices along the paths so that one more column is on them.
func (h *hungarian) reprice(by Weight) {
	for j := range h.done {
		if h.done[j] {
			h.rowPrice[h.assigned[j]] = h.rowPrice[h.assigned[j]].Minus(by)
			h.columnPrice[j] = h.columnPrice[j].Plus(by)
		} else {
			h.short[j] = h.short[j].Minus(by)
		}
	}
}
