package ordered

import (
	"math/bits"
	"slices"
)

// A Common finds the longest common subsequence of rows and columns, 64 columns at a time (Hyyrö's variant of
// Crochemore's algorithm). Rows of the same kind match the same columns. Call [Common.Reset], [Common.Match] for each kind and
// column that match, [Common.Row] for each row from the first on, and then [Common.Pairs].
//
// Bit j of row i is 0 if the first i rows have more in common with the first j+1 columns than with j. So the number of 0 bits
// is the length in common. For rows a b and columns b a b:
//
//	         b a b
//	nothing  1 1 1
//	a        1 0 1   from the second column on, one is in common
//	a b      0 1 0   the first column adds one, and so does the third
//
// All rows are kept for the walk back, at a bit for each cell. Only the number of pairs could do without.
type Common struct {
	memory      []uint64
	masks, rows []uint64
	columns     int
	words       int // of a row
	made        int // rows
}

// Reset removes all rows and matches.
func (c *Common) Reset(kinds, rows, columns int) {
	c.columns, c.words, c.made = columns, (columns+63)/64, 0
	n := (kinds + rows + 1) * c.words
	c.memory = slices.Grow(c.memory[:0], n)[:n]
	c.masks, c.rows = c.memory[:kinds*c.words], c.memory[kinds*c.words:]
	clear(c.masks)
	for i := range c.words {
		c.rows[i] = ^uint64(0)
	}
}

// Retained returns how many words of memory are kept.
func (c *Common) Retained() int { return cap(c.memory) }

// Match adds that rows of a kind match a column.
func (c *Common) Match(kind, column int32) {
	c.masks[int(kind)*c.words+int(column/64)] |= 1 << (column % 64)
}

// Row adds the next row.
func (c *Common) Row(kind int32) {
	r, k, n := c.made, int(kind), c.words
	step(c.rows[(r+1)*n:(r+2)*n], c.rows[r*n:(r+1)*n], c.masks[k*n:(k+1)*n])
	c.made++
}

// step computes the row below one row; match has a bit for each column that the row matches.
func step(below, row, match []uint64) {
	below, match = below[:len(row)], match[:len(row)]
	var carry uint64
	for i, v := range row {
		u := v & match[i]
		var sum uint64
		sum, carry = bits.Add64(v, u, carry)
		below[i] = sum | (v - u)
	}
}

// Pairs calls pair with the rows and columns of one longest common subsequence, the last first.
//
// If a column has a 0 bit in a row and not in the row above, the two must match. Without a match the row would have no more
// in common than the row above, or than the columns before.
func (c *Common) Pairs(pair func(row, column int)) {
	for row, column := c.made, c.columns-1; row > 0 && column >= 0; {
		switch {
		case !c.adds(row, column):
			column--
		case c.adds(row-1, column):
			row--
		default:
			pair(row-1, column)
			row--
			column--
		}
	}
}

func (c *Common) adds(row, column int) bool {
	return c.rows[row*c.words+column/64]>>(column%64)&1 == 0
}
