package assignment

// Gains is a table of what each row gains from each column. There must be at least as many columns as rows.
type Gains struct {
	rows, columns int
	cells         []Weight
}

// NewGains calls gain for every row and column, both counted from 0.
func NewGains(rows, columns int, gain func(row, column int) Weight) Gains {
	g := Gains{rows, columns, make([]Weight, 0, rows*columns)}
	for i := range rows {
		for j := range columns {
			g.cells = append(g.cells, gain(i, j))
		}
	}
	return g
}

// A hungarian is the state of the algorithm: see the package comment for the invariant of rowPrice and columnPrice. Row 0 and
// column 0 mean none; the real ones count from 1.
type hungarian struct {
	Gains
	rowPrice, columnPrice []Weight
	assigned              []int // by column: its row
	// For the row that is being placed, by column: how much it falls short of a path, its predecessor, and whether it is on
	// one.
	short []Weight
	via   []int
	done  []bool
}

// Assign gives every row a column so that the sum of gains is greatest. It returns pairs of a row and a column, both counted
// from 0, in the order of columns. It takes at most rows*rows*columns steps.
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

// start returns the state before any row is assigned.
func (g Gains) start() *hungarian {
	return &hungarian{
		Gains: g, rowPrice: make([]Weight, g.rows+1), columnPrice: make([]Weight, g.columns+1),
		assigned: make([]int, g.columns+1),
		short:    make([]Weight, g.columns+1), via: make([]int, g.columns+1), done: make([]bool, g.columns+1),
	}
}

// place finds a column for one more row. It moves other rows if that gains most.
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

// relax updates the columns from the cells of the row that has column, and returns the column that falls short least.
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

// reprice changes the prices along the paths so that one more column is on them.
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
