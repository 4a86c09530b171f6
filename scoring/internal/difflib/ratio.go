package difflib

import (
	"math"
	"slices"
	"unicode/utf8"
)

// MaxSteps bounds the work on comparing texts to a few tenths of a second. Two ordinary texts of two thousand characters take
// some ten thousand steps. Hostile texts reach the bound, and then have no ratio.
const MaxSteps = 1 << 25

// A Budget bounds the steps of several comparisons together. It is for one goroutine.
type Budget struct {
	left int
	// bound replaces the ratio of long texts, unless it is nil. bounded: it replaced one.
	bound   func(a, b string) float64
	bounded bool
}

// NewBudget returns a budget of [MaxSteps] steps.
func NewBudget() Budget { return Budget{left: MaxSteps} }

// Left returns how many steps are left. It is negative once the budget is spent.
func (w *Budget) Left() int { return w.left }

// Spent reports whether some ratio exceeded the budget.
func (w *Budget) Spent() bool { return w.left < 0 }

// Ratio returns the similarity of two texts as Python's difflib.SequenceMatcher(None, a, b).ratio() computes it, bit for bit.
// It is 2*M/(|a|+|b|) over code points, where M is the number of characters in matching blocks. Ratio(a, b) and Ratio(b, a)
// may differ. The result is in [0, 1], or NaN for texts that differ once the budget is spent.
//
// Equal texts need no search, with or without autojunk. The earliest place of the longest run of indexed characters is then
// the same in both texts, so the run grows over both whole texts. Without any indexed character the empty block at (0, 0)
// grows likewise. Common prefixes are not stripped, because the search need not put them into a block.
func (w *Budget) Ratio(a, b string) float64 {
	if a == b {
		return 1
	}
	if w.left < 0 {
		return math.NaN()
	}
	if a == "" || b == "" {
		return 0
	}
	if w.bound != nil && isLong(a, b) {
		w.bounded = true
		return w.bound(a, b)
	}
	var room [2048]int32 // keeps short texts off the heap
	d := newTextDiff(a, b, room[:])
	d.work = w
	matched := d.matched(0, len(d.a), 0, len(d.b))
	if w.Spent() {
		return math.NaN()
	}
	return 2 * float64(matched) / float64(len(d.a)+len(d.b))
}

// A textDiff finds matching blocks of two texts.
//
// Characters are numbered from 1 in the order of their first places in b. A character of a that b lacks is 0.
type textDiff struct {
	a, b []int32
	// starts and places are the index of b: character c is at places[starts[c]:starts[c+1]], ascending. Characters that
	// autojunk drops have no places, though blocks still grow over them.
	starts, places []int32
	// hot holds the places of a with indexed characters, ascending. Long texts have few.
	hot []int32
	// old and now hold run lengths in scan, shifted by one, and are all zero between scans.
	old, now []int32
	work     *Budget
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

// scan finds the longest run. For each place of a it visits all places of the same character in b. The run that ends at both
// is one longer than the run that ends one place before both.
func (d *textDiff) scan(alo, ahi, blo, bhi int) block {
	var best block
	var wrote []int32 // indices written for the place before
	old, now := d.old, d.now
	steps, last := 1, int32(-1)
	for _, i := range placesFrom(d.hot, alo, ahi) {
		if i != last+1 {
			clearRuns(old, wrote)
			wrote = nil
		}
		last = i
		c := d.a[i]
		places := placesFrom(d.places[d.starts[c]:d.starts[c+1]], blo, bhi)
		steps += 1 + len(places)
		for _, j := range places {
			k := int(old[j]) + 1
			now[j+1] = int32(k)
			if k > best.size {
				best = block{int(i) - k + 1, int(j) - k + 1, k}
			}
		}
		clearRuns(old, wrote)
		wrote, old, now = places, now, old
		if steps > d.work.left {
			break // the result no longer counts
		}
	}
	clearRuns(old, wrote)
	d.work.left -= steps
	return best
}

// clearRuns sets the run lengths at the places to zero.
func clearRuns(runs, places []int32) {
	for _, j := range places {
		runs[j+1] = 0
	}
}

// placesFrom returns the places from lo to before hi.
func placesFrom(places []int32, lo, hi int) []int32 {
	if len(places) == 0 || lo <= int(places[0]) && int(places[len(places)-1]) < hi {
		return places
	}
	from, _ := slices.BinarySearch(places, int32(lo))
	to, _ := slices.BinarySearch(places, int32(hi))
	return places[from:to]
}

// Usually bounds decide whether two values are alike enough, without comparing their long texts. For example, the ratio of
// texts with 60,000 and with 200 characters is at most 0.007.

// isLong reports whether two texts are long enough that bounds are worth trying before the comparison.
func isLong(a, b string) bool { return len(a)*len(b) > 1<<16 }

// lowest and highest are bounds of the ratio of two texts that differ. At most all characters of the shorter one match. The formula is
// that of [Budget.Ratio], so rounding cannot make the bound smaller than the ratio.
func lowest(string, string) float64 { return 0 }

func highest(a, b string) float64 {
	m, n := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	return 2 * float64(min(m, n)) / float64(m+n)
}

// Reaches reports whether the likeness of two values is at least threshold. alike computes it from ratios of the budget, and
// must be monotonic: if a ratio rises, its result must not fall. The caller must discard the result if w is spent.
func Reaches[T any](w *Budget, threshold float64, expected, called T, alike func(expected, called T, w *Budget) float64) bool {
	before := w.left
	reached := func(bound func(a, b string) float64) bool {
		w.left, w.bound, w.bounded = before, bound, false // short texts are paid for once
		return alike(expected, called, w) >= threshold
	}
	reaches := reached(highest)
	if reaches && w.bounded && !w.Spent() {
		reaches = reached(lowest) || reached(nil)
	}
	w.bound = nil
	return reaches
}
