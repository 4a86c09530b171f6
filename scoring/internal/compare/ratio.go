package compare

import (
	"math"
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// MaxSteps bounds the work on all texts that a verdict compares to a few tenths of a second. Two ordinary texts of two thousand characters take
// some ten thousand steps. Hostile texts reach the bound, and then have no ratio.
const MaxSteps = 1 << 25

// Ratio returns the similarity of two texts as difflib.SequenceMatcher(None, a, b).ratio() of Python 3.11 computes it, bit for bit.
// It is 2*M/(|a|+|b|) over code points, where M is the number of characters in matching blocks. Ratio(a, b) and Ratio(b, a)
// may differ. The result is in [0, 1], or NaN for texts that differ once work is spent.
//
// Equal texts need no search, with or without autojunk. The earliest place of the longest run of indexed characters is then
// the same in both texts, so the run grows over both whole texts. Without any indexed character the empty block at (0, 0)
// grows likewise. Common prefixes are not stripped, because the search need not put them into a block.
func Ratio(a, b string, work *names.Budget) float64 {
	switch {
	case a == b:
		return 1
	case work.Spent():
		return math.NaN()
	case a == "" || b == "": // which needs no copy of the other
		return 0
	}
	d := newTextDiff([]rune(a), []rune(b), work)
	matched := d.matched(0, len(d.a), 0, len(d.b))
	if work.Spent() {
		return math.NaN()
	}
	return 2 * float64(matched) / float64(len(d.a)+len(d.b))
}

// A textDiff finds the longest block of characters that both texts have, then the longest on its left and on its right, and so on. The choice
// among equally long blocks changes the result, so ties are broken as in Python: the earliest in a, then the earliest in b. Autojunk: if b
// has 200 characters or more, characters that make up more than a hundredth of it begin no block. A search takes quadratic time, and a
// comparison cubic time in the worst case.
type textDiff struct {
	a, b []rune
	// last has, for each place of a, the last place of its character in b, and previous, for each place of b, the place before of the same
	// character, or -1. Characters that autojunk drops have no last place, though blocks still grow over them.
	last, previous []int32
	// runs has, by the place of b behind it, the run of equal characters that the search has found there last.
	runs []run
	row  int32
	work *names.Budget
}

// A run is how many equal characters end at a place of b and at the place of a that the search visited as that row.
type run struct{ row, size int32 }

func newTextDiff(a, b []rune, work *names.Budget) textDiff {
	d := textDiff{a: a, b: b, last: make([]int32, len(a)), previous: make([]int32, len(b)), runs: make([]run, len(b)+1), work: work}
	x := index{other: map[rune]use{}}
	for j, r := range b {
		before := x.of(r)
		d.previous[j] = before.end - 1
		x.set(r, use{int32(j + 1), before.count + 1})
	}
	most := len(b)
	if len(b) >= 200 { // autojunk
		most = len(b)/100 + 1
	}
	for i, r := range a {
		d.last[i] = -1
		if u := x.of(r); int(u.count) <= most {
			d.last[i] = u.end - 1
		}
	}
	return d
}

// A use of a character is where its last place ends, and how many places it has.
type use struct{ end, count int32 }

// An index has the use of each character.
type index struct {
	ascii [utf8.RuneSelf]use
	other map[rune]use
}

func (x *index) of(r rune) use {
	if r < utf8.RuneSelf {
		return x.ascii[r]
	}
	return x.other[r]
}

func (x *index) set(r rune, u use) {
	if r < utf8.RuneSelf {
		x.ascii[r] = u
		return
	}
	x.other[r] = u
}

// A block is size equal characters, from place a in a and place b in b.
type block struct{ a, b, size int }

// matched returns the number of characters in matching blocks of a[alo:ahi] and b[blo:bhi]: in the longest block, and on both
// sides of it.
func (d *textDiff) matched(alo, ahi, blo, bhi int) int {
	total := 0
	for alo < ahi && blo < bhi && !d.work.Spent() {
		m := d.longest(alo, ahi, blo, bhi)
		if m.size == 0 {
			break
		}
		total += m.size + d.matched(alo, m.a, blo, m.b)
		alo, blo = m.a+m.size, m.b+m.size
	}
	return total
}

// longest returns the longest run of indexed characters, extended on both sides by equal characters of any kind. Among
// equally long runs it takes the earliest in a, then the earliest in b. Without a run it extends the starts of the ranges.
func (d *textDiff) longest(alo, ahi, blo, bhi int) block {
	m := d.scan(alo, ahi, blo, bhi)
	if m.size == 0 {
		m.a, m.b = alo, blo
	}
	for m.a > alo && m.b > blo && d.a[m.a-1] == d.b[m.b-1] {
		m.a, m.b, m.size = m.a-1, m.b-1, m.size+1
	}
	for m.a+m.size < ahi && m.b+m.size < bhi && d.a[m.a+m.size] == d.b[m.b+m.size] {
		m.size++
	}
	return m
}

// scan finds the longest run. For each place of a it visits all places of the same character in b, from the last to the first. The run
// that ends at both is one longer than the run that ends one place before both. Passing a place of a is an eighth of a step.
func (d *textDiff) scan(alo, ahi, blo, bhi int) block {
	var best block
	row := d.row + 1 // no run goes on from the scan before
	steps := 1 + (ahi-alo)/8
	for i := alo; i < ahi && steps <= int(*d.work); i++ {
		row++
		for j := int(d.last[i]); j >= blo; j = int(d.previous[j]) {
			steps++
			if j >= bhi {
				continue
			}
			k := 1
			if before := d.runs[j]; before.row == row-1 {
				k += int(before.size)
			}
			d.runs[j+1] = run{row, int32(k)}
			if k > best.size || k == best.size && i-k+1 == best.a {
				best = block{i - k + 1, j - k + 1, k}
			}
		}
	}
	d.row = row
	d.work.Spend(steps)
	return best
}
