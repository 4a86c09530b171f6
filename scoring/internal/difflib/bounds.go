package difflib

import "unicode/utf8"

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
