package ordered

// A Step is one pair on the best path through a table of rows and columns, with its weight.
type Step struct {
	Row, Column int
	Weight      float64
}

// A move says which neighbour the best sum of a cell comes from.
type move uint8

const (
	skipRow move = iota
	skipColumn
	takePair
)

// Steps finds the pairs of greatest weight. It adds weights up from the first row and column on. weight returns the weight of
// a pair, 0 for no match. total is the greatest sum. steps is one path to it, last pair first. Among several paths it is the
// one that leaves out the latest rows, then the latest columns.
//
// If weight returns false, Steps stops and returns done = false.
func Steps(rows, columns int, weight func(row, column int) (w float64, ok bool)) (steps []Step, total float64, done bool) {
	moves := make([]move, rows*columns)
	sums := make([]float64, 2*(columns+1))
	above, now := sums[:columns+1], sums[columns+1:]
	for i := range rows {
		for j := range columns {
			w, ok := weight(i, j)
			if !ok {
				return nil, 0, false
			}
			now[j+1], moves[i*columns+j] = bestMove(above[j+1], now[j], above[j]+w)
		}
		above, now = now, above
	}
	return trace(moves, rows, columns, weight), above[columns], true
}

// bestMove returns the largest of three sums and its move. Ties prefer to leave out.
func bestMove(withoutRow, withoutColumn, withPair float64) (float64, move) {
	switch best := max(withoutRow, withoutColumn); {
	case withPair > best:
		return withPair, takePair
	case withoutRow == best:
		return best, skipRow
	default:
		return best, skipColumn
	}
}

// trace walks the moves back from the last cell.
func trace(moves []move, rows, columns int, weight func(row, column int) (float64, bool)) (steps []Step) {
	for i, j := rows-1, columns-1; i >= 0 && j >= 0; {
		switch moves[i*columns+j] {
		case skipRow:
			i--
		case skipColumn:
			j--
		case takePair:
			w, _ := weight(i, j) // it returned true before
			steps = append(steps, Step{i, j, w})
			i, j = i-1, j-1
		}
	}
	return steps
}
