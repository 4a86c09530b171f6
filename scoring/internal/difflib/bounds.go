package difflib

import "unicode/utf8"

// Usually bounds decide whether two values are alike enough, without comparing their long texts. For example, the ratio of
// texts with 60,000 and with 200 characters is at most 0.007.

// ratioBound says which bound replaces the ratio of long texts.
type ratioBound uint8

const (
	noBound ratioBound = iota // the ratio itself
	highest                   // an upper bound
	lowest                    // a lower bound
)

// isLong reports whether two texts are long enough that bounds are worth trying before the comparison.
func isLong(a, b string) bool { return len(a)*len(b) > 1<<16 }

// of returns the bound for two texts that differ. At most all characters of the shorter one match. The formula is that of
// [Budget.Ratio], so rounding cannot make the bound smaller than the ratio.
func (r ratioBound) of(a, b string) float64 {
	if r == lowest {
		return 0
	}
	m, n := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	return 2 * float64(min(m, n)) / float64(m+n)
}

// Reaches reports whether the likeness of two values is at least threshold. alike computes it from ratios of the budget, and
// must be monotonic: if a ratio rises, its result must not fall. The caller must discard the result if w is spent.
func Reaches[T any](w *Budget, threshold float64, expected, called T, alike func(expected, called T, w *Budget) float64) bool {
	before := w.left
	w.bound, w.bounded = highest, false
	most := alike(expected, called, w)
	w.bound = noBound
	if !w.bounded || w.Spent() || most < threshold {
		return most >= threshold
	}
	w.bound, w.left = lowest, before // short texts are paid for once
	least := alike(expected, called, w)
	w.bound = noBound
	if least >= threshold {
		return true
	}
	w.left = before
	return alike(expected, called, w) >= threshold
}
