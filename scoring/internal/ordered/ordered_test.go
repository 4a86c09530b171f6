package ordered

import (
	"math/rand/v2"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
)

// Pairs are common elements, do not cross, and are as many as the textbook's table says. Rows have up to three words of bits.
func TestCommon(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var c Common // its memory is used again
	for range 200 {
		kinds := 1 + random.IntN(4)
		rows, columns := elements(random, random.IntN(20), kinds), elements(random, random.IntN(150), kinds)
		c.Reset(kinds, len(rows), len(columns))
		for j, kind := range columns {
			c.Match(kind, int32(j))
		}
		for _, kind := range rows {
			c.Row(kind)
		}
		pairs, lastRow, lastColumn := 0, len(rows), len(columns)
		c.Pairs(func(row, column int) {
			if row >= lastRow || column >= lastColumn || rows[row] != columns[column] {
				t.Fatalf("a pair of %d and %d after %d and %d", row, column, lastRow, lastColumn)
			}
			pairs, lastRow, lastColumn = pairs+1, row, column
		})
		if want := textbook(rows, columns); pairs != want {
			t.Fatalf("%d pairs of %v and %v, want %d", pairs, rows, columns, want)
		}
	}
}

func elements(random *rand.Rand, n, kinds int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(random.IntN(kinds))
	}
	return list
}

// textbook is the length of the longest common subsequence, cell by cell.
func textbook(rows, columns []int32) int {
	table := make([][]int, len(rows)+1)
	table[0] = make([]int, len(columns)+1)
	for i, x := range rows {
		table[i+1] = make([]int, len(columns)+1)
		for j, y := range columns {
			table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			if x == y {
				table[i+1][j+1] = max(table[i+1][j+1], table[i][j]+1)
			}
		}
	}
	return table[len(rows)][len(columns)]
}

// The weight of a table is the greatest of all alignments that the rule allows, and its choices lead to one with it.
func TestTable(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var table Table // its memory is used again
	for range 2000 {
		needs := make([]Need, random.IntN(5))
		columns := random.IntN(5)
		gains := make([][]int64, len(needs))
		for i := range needs {
			needs[i] = Need(random.IntN(3))
			gains[i] = make([]int64, columns)
			for j := range gains[i] {
				gains[i][j] = int64(random.IntN(4))
			}
		}
		for _, rule := range []SkipRule{Skipping, Consuming} {
			table.Reset(len(needs), columns, rule)
			for i, need := range needs {
				copy(table.Gains, gains[i])
				table.Row(need)
			}
			want := tried(needs, gains, columns, rule)
			if table.Weight() != want {
				t.Fatalf("needs %v, gains %v, rule %d: the weight is %v, want %v", needs, gains, rule, table.Weight(), want)
			}
			if want == Impossible {
				continue
			}
			if got := walked(&table, needs, gains, columns); got != want {
				t.Fatalf("needs %v, gains %v, rule %d: the choices make %v, want %v", needs, gains, rule, got, want)
			}
		}
	}
}

// tried is the greatest weight of all alignments, found by trying each.
func tried(needs []Need, gains [][]int64, columns int, rule SkipRule) assignment.Weight {
	if len(needs) == 0 {
		if columns > 0 && rule == Consuming {
			return Impossible
		}
		return assignment.Weight{}
	}
	last := len(needs) - 1
	best := Impossible
	try := func(w assignment.Weight) {
		if best.Less(w) {
			best = w
		}
	}
	if rule == Skipping || needs[last] != Required {
		try(tried(needs[:last], gains, columns, rule))
	}
	if columns == 0 {
		return best
	}
	if rule == Skipping {
		try(tried(needs, gains, columns-1, rule))
	}
	rest := needs[:last]
	if needs[last] == Endless {
		rest = needs
	}
	gain := gains[last][columns-1]
	if before := tried(rest, gains, columns-1, rule); before != Impossible && (gain > 0 || rule == Consuming && needs[last] == Required) {
		try(before.Plus(WeightOf(needs[last], gain)))
	}
	return best
}

// walked is the weight of the pairs that the choices lead to.
func walked(table *Table, needs []Need, gains [][]int64, columns int) (sum assignment.Weight) {
	for r, j := len(needs)-1, columns; r >= 0; {
		switch table.Choice(r, j) {
		case PassRow:
			r--
		case PassColumn:
			j--
		case PairBoth:
			j--
			sum = sum.Plus(WeightOf(needs[r], gains[r][j]))
			if needs[r] != Endless {
				r--
			}
		}
	}
	return sum
}

// Steps make the total, do not cross, and no other steps make more. Quarters are exact, so sums can be compared.
func TestSteps(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		rows, columns := random.IntN(5), random.IntN(5)
		weights := make([]float64, rows*columns)
		for i := range weights {
			weights[i] = float64(random.IntN(4)) / 4
		}
		weight := func(i, j int) (float64, bool) { return weights[i*columns+j], true }
		steps, total, done := Steps(rows, columns, weight)
		sum, lastRow, lastColumn := 0.0, rows, columns
		for _, s := range steps {
			if s.Row >= lastRow || s.Column >= lastColumn || s.Weight != weights[s.Row*columns+s.Column] {
				t.Fatalf("steps %v cross, or have other weights than %v", steps, weights)
			}
			sum, lastRow, lastColumn = sum+s.Weight, s.Row, s.Column
		}
		if want := most(weights, rows, columns, columns); !done || sum != total || total != want {
			t.Fatalf("weights %v: steps %v make %v, the total is %v, want %v", weights, steps, sum, total, want)
		}
	}
	if steps, total, done := Steps(1, 2, func(_, j int) (float64, bool) { return 1, j == 0 }); steps != nil || total != 0 || done {
		t.Error("a weight that is not known makes no steps")
	}
}

// most is the greatest sum of the first rows and columns, found by trying each.
func most(weights []float64, rows, columns, width int) float64 {
	if rows == 0 || columns == 0 {
		return 0
	}
	return max(most(weights, rows-1, columns, width), most(weights, rows, columns-1, width),
		weights[(rows-1)*width+columns-1]+most(weights, rows-1, columns-1, width))
}
