package difflib

import "unicode/utf8"

// Usually bounds decide whether two values are alike enough, without comparing their long texts: the ratio of a text of
// 60,000 characters and one of 200 is at most 0.007. So long texts do not make a verdict slow.

// ratioBound says which number replaces the ratio of long texts.
type ratioBound uint8

const (
	noBound ratioBound = iota // the ratio itself
	highest                   // an upper bound
	lowest                    // a lower bound
)

// isLong reports whether comparing two texts takes so long that bounds are worth trying first.
func isLong(a, b string) bool { return len(a)*len(b) > 1<<16 }

// of is the bound of the ratio of two texts that differ. At most all characters of the shorter one match. The formula is
// that of [Ratio], so rounding cannot make the bound smaller than the ratio.
func (r ratioBound) of(a, b string) float64 {
	if r == lowest {
		return 0
	}
	m, n := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	return 2 * float64(min(m, n)) / float64(m+n)
}

// Reaches reports whether the likeness of two values is threshold or more. alike computes it from ratios that it asks of
// the budget, and must never fall where a ratio rises: then bounds of ratios are bounds of it. The answer means nothing
// once w is spent.
func Reaches[T any](w *Budget, threshold float64, expected, called T, alike func(expected, called T, w *Budget) float64) bool {
	before := w.left
	w.bound, w.bounded = highest, false
	most := alike(expected, called, w)
	w.bound = noBound
	if !w.bounded || w.Spent() || most < threshold {
		return most >= threshold
	}
	w.bound, w.left = lowest, before // the steps of short texts count once
	least := alike(expected, called, w)
	w.bound = noBound
	if least >= threshold {
		return true
	}
	w.left = before
	return alike(expected, called, w) >= threshold
}
