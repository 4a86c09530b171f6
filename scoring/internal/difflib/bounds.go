package difflib

import "unicode/utf8"

// Whether two values are alike enough is mostly certain without a search for what their long texts have in common: a text
// of 60,000 characters is at most 0.007 alike to one of 200. So who sends long texts does not make a verdict take long.

// ratioBound says what the ratio of long texts is taken for.
type ratioBound uint8

const (
	noBound ratioBound = iota // itself
	highest                   // no less than it is
	lowest                    // no more than it is
)

// isLong reports whether to compare two texts takes longer than to ask first whether that decides anything.
func isLong(a, b string) bool { return len(a)*len(b) > 1<<16 }

// of is the bound of the ratio of two texts that differ. At most all characters of the shorter one match; the formula is that of
// [Ratio], so that rounding does not make the bound any less.
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
	w.bound, w.left = lowest, before // what short texts take is paid once
	least := alike(expected, called, w)
	w.bound = noBound
	if least >= threshold {
		return true
	}
	w.left = before
	return alike(expected, called, w) >= threshold
}
