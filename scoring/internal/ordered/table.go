package ordered

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
)

// A Need says whether a row must have a column.
type Need uint8

// The needs of rows.
const (
	Required Need = iota // exactly one column
	Optional             // one column or none
	Endless              // any number of columns
)

// A SkipRule says which rows and columns may be left out.
type SkipRule uint8

// The rules.
const (
	Skipping  SkipRule = iota // rows and columns may both be left out
	Consuming                 // each column has a row and each required row a column, even with a gain of 0
)

// A Choice says how the best alignment reaches a cell: by skipping the row, by skipping the column, or by pairing both.
type Choice uint8

// The choices. PassRow comes first, because ties prefer it.
const (
	PassRow Choice = iota
	PassColumn
	PairBoth
)

// Impossible is the weight of a cell that no alignment reaches.
var Impossible = assignment.Weight{Major: -1}

// WeightOf returns a gain as Major in a required row, as Minor in another.
func WeightOf(n Need, gain int64) assignment.Weight {
	if n == Required {
		return assignment.Weight{Major: gain}
	}
	return assignment.Weight{Minor: gain}
}

// A Table is dynamic programming. A cell has the weight of the best alignment of the first rows and the first columns. The
// table keeps two rows of weights, and all choices at two bits each, because the walk back needs every choice but no weight.
// Call [Table.Reset]; for each row fill [Table.Gains] and call [Table.Row]; then call [Table.Weight] and [Table.Choice].
//
// Ties prefer to skip the row, then the column. Walking back, this leaves out late rows and columns, so among equals the
// first row gets the first column.
type Table struct {
	// Gains has the gain of each column in the row that is added next. Reset sets all to 0.
	Gains []int64

	rule       SkipRule
	above, now []assignment.Weight
	choices    []uint8
	made       int // rows
}

// Reset removes all rows.
func (t *Table) Reset(rows, columns int, rule SkipRule) {
	t.rule, t.made = rule, 0
	t.above, t.now = sized(t.above, columns+1), sized(t.now, columns+1)
	t.Gains, t.choices = sized(t.Gains, columns), sized(t.choices, (rows*(columns+1)+3)/4)
	clear(t.above)
	clear(t.Gains)
	clear(t.choices)
	if rule == Consuming {
		for j := 1; j <= columns; j++ {
			t.above[j] = Impossible
		}
	}
}

func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// Retained returns how many words of memory the choices keep.
func (t *Table) Retained() int { return cap(t.choices) / 8 }

// Row adds the next row.
func (t *Table) Row(need Need) {
	for j := range t.now {
		best, how := Impossible, PassRow
		if t.rule == Skipping || need != Required {
			best = t.above[j]
		}
		if t.rule == Skipping && j > 0 && best.Less(t.now[j-1]) {
			best, how = t.now[j-1], PassColumn
		}
		if j > 0 {
			if paired := t.paired(need, j); best.Less(paired) {
				best, how = paired, PairBoth
			}
		}
		t.now[j] = best
		at := t.made*len(t.now) + j
		t.choices[at/4] |= uint8(how) << (at % 4 * 2)
	}
	t.above, t.now = t.now, t.above
	t.made++
}

// paired returns the weight if the row is paired with column j-1. An endless row may have earlier columns as well.
func (t *Table) paired(need Need, j int) assignment.Weight {
	gain, before := t.Gains[j-1], t.above[j-1]
	if need == Endless {
		before = t.now[j-1]
	}
	worthless := gain == 0 && (t.rule == Skipping || need != Required)
	if worthless || before == Impossible {
		return Impossible
	}
	return before.Plus(WeightOf(need, gain))
}

// Weight returns the weight of the best alignment of all added rows, or [Impossible] if there is none.
func (t *Table) Weight() assignment.Weight { return t.above[len(t.above)-1] }

// Choice returns how the best alignment of the rows up to row with the first columns columns ends.
func (t *Table) Choice(row, columns int) Choice {
	at := row*len(t.now) + columns
	return Choice(t.choices[at/4] >> (at % 4 * 2) & 3)
}
