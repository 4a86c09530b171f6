package scoring

import (
	"cmp"
	"math/bits"
	"slices"
)

// longestCommon finds the longest common subsequence of rows and calls, 64 calls at a time (Hyyrö's variant of
// Crochemore's algorithm). Bit j of row i is 1 if the first i rows have as much in common with the first j+1
// calls as with the first j. So the number of 0 bits is the length in common. Expected a b, called b a b:
//
//	         b a b
//	nothing  1 1 1
//	a        1 0 1   from the second call on there is one in common
//	a b      0 1 0   the first call adds one, and so does the third
//
// All rows are kept for the walk back, at a bit for each cell. This is the price of knowing the pairs and not only their
// number.
func (w *nativeRun) longestCommon(p *plan) {
	words := (len(w.calls) + 63) / 64
	w.bits = resized(w.bits, (len(p.classes)+len(p.rows)+1)*words)
	masks, rows := w.bits[:len(p.classes)*words], w.bits[len(p.classes)*words:]
	clear(masks)
	for _, e := range w.credits.edges {
		masks[int(e.class)*words+int(e.call/64)] |= 1 << (e.call % 64)
	}
	for i := range words {
		rows[i] = ^uint64(0)
	}
	for r := range p.rows {
		k := int(p.rows[r].class)
		stepLCS(rows[(r+1)*words:(r+2)*words], rows[r*words:(r+1)*words], masks[k*words:(k+1)*words])
	}
	w.walkBack(p, rows, words)
}

// stepLCS computes the row below one row; match has a bit for each call that the row's tool matches.
func stepLCS(below, row, match []uint64) {
	below, match = below[:len(row)], match[:len(row)]
	var carry uint64
	for i, v := range row {
		u := v & match[i]
		var sum uint64
		sum, carry = bits.Add64(v, u, carry)
		below[i] = sum | (v - u)
	}
}

// walkBack pairs, from the last row and call backwards, each row that adds to what is in common.
//
// If a call adds something in a row and not in the one above, then the two must match: without a match the row could
// only have what was common above, or what the calls before had, and neither is enough.
func (w *nativeRun) walkBack(p *plan, rows []uint64, words int) {
	adds := func(row, call int) bool { return rows[row*words+call/64]>>(call%64)&1 == 0 }
	for row, call := len(p.rows), len(w.calls)-1; row > 0 && call >= 0; {
		switch {
		case !adds(row, call):
			call--
		case adds(row-1, call):
			row--
		default:
			w.rowOf[call], w.creditOf[call] = int32(row-1), full
			row--
			call--
		}
	}
}

// searchCall finds a call among the edges of a class, which are in the order of calls.
func searchCall(edges []edge, call int32) (int, bool) {
	return slices.BinarySearchFunc(edges, call, func(e edge, call int32) int { return cmp.Compare(e.call, call) })
}
