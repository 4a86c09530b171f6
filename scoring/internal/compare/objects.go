package compare

import (
	"iter"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// An Equality says whether two values are equal.
type Equality func(a, b jsonvalue.Value) bool

// Within reports whether part is a subset of whole: every key is there with an equal value, or objects recursively. Values
// that are not objects, such as arrays, must be equal.
func Within(part, whole jsonvalue.Value) bool { return WithinBy(part, whole, jsonvalue.Equal) }

// WithinBy is [Within] with another equality.
func WithinBy(part, whole jsonvalue.Value, equal Equality) bool {
	if part.Kind() != jsonvalue.Object || whole.Kind() != jsonvalue.Object {
		return equal(part, whole)
	}
	return jsonvalue.MembersWithin(part, whole, func(part, whole jsonvalue.Value) bool { return WithinBy(part, whole, equal) })
}

// common yields the values of the keys that two objects have in common, in the order of the first.
func common(a, b jsonvalue.Value) iter.Seq2[jsonvalue.Value, jsonvalue.Value] {
	return func(yield func(x, y jsonvalue.Value) bool) {
		for name, x := range a.Members() {
			if y, found := b.Member(name); found && !yield(x, y) {
				return
			}
		}
	}
}

// shared returns how many keys have equal values in two objects, and how many distinct keys both have together.
func shared(a, b jsonvalue.Value, equal Equality) (same, union int) {
	union = a.Len() + b.Len()
	for x, y := range common(a, b) {
		union--
		if equal(x, y) {
			same++
		}
	}
	return same, union
}

// Agreement returns the share of full that two objects have in common. The share is the number of keys with equal values
// over the number of distinct keys of both, or of the expected ones if onlyExpected is true. Two empty objects agree in full. Other
// values agree in full or not at all.
func Agreement(expected, called jsonvalue.Value, onlyExpected bool, full uint64) int64 {
	same, union := 0, 1
	if expected.Kind() == jsonvalue.Object && called.Kind() == jsonvalue.Object {
		same, union = shared(expected, called, jsonvalue.Equal)
		if onlyExpected {
			union = expected.Len()
		}
	} else if jsonvalue.Equal(expected, called) {
		same = 1
	}
	if union == 0 {
		return int64(full)
	}
	hi, lo := bits.Mul64(full, uint64(same))
	share, _ := bits.Div64(hi, lo, uint64(union))
	return int64(share)
}

// Similarity returns the mean likeness over the keys of want, or 1 if there are none. A key that have lacks counts as 0. The
// caller must discard the result if texts is spent.
func Similarity(want, have jsonvalue.Value, texts *difflib.Budget) float64 {
	if want.Kind() != jsonvalue.Object || have.Kind() != jsonvalue.Object {
		return likeness(want, have, texts)
	}
	if want.Len() == 0 {
		return 1
	}
	var sum float64
	for x, y := range common(want, have) {
		sum += likeness(x, y, texts)
	}
	return sum / float64(want.Len())
}

// Alike reports whether the [Similarity] of two values is at least a threshold. If the two are so close that rounding might decide, it
// computes the mean without rounding: three numbers with the likeness 0.7 reach 0.7. The caller must discard the result if texts is spent.
func Alike(want, have jsonvalue.Value, threshold float64, texts *difflib.Budget) bool {
	const rounding = 1e-9
	var mean float64
	alike := func(want, have jsonvalue.Value, texts *difflib.Budget) float64 {
		mean = Similarity(want, have, texts)
		return mean
	}
	switch {
	case !difflib.Reaches(texts, threshold-rounding, want, have, alike):
		return false
	case mean > threshold+rounding, want.Kind() != jsonvalue.Object, have.Kind() != jsonvalue.Object:
		return mean >= threshold
	}
	sum := new(big.Rat)
	for x, y := range common(want, have) {
		sum.Add(sum, exactLikeness(x, y, texts))
	}
	least, _ := decimal(strconv.FormatFloat(threshold, 'g', -1, 64))
	return want.Len() == 0 || sum.Cmp(least.Mul(least, big.NewRat(int64(want.Len()), 1))) >= 0
}

// exactLikeness is [likeness] without rounding.
func exactLikeness(want, have jsonvalue.Value, texts *difflib.Budget) *big.Rat {
	x := likeness(want, have, texts)
	switch {
	case x == 0 || jsonvalue.Equal(want, have):
	case want.Kind() == jsonvalue.String:
		both := utf8.RuneCountInString(want.Text()) + utf8.RuneCountInString(have.Text())
		return big.NewRat(int64(math.Round(x*float64(both))), int64(both))
	default:
		a, _ := decimal(have.Lexeme())
		b, _ := decimal(want.Lexeme())
		scale := new(big.Rat).Abs(a)
		if other := new(big.Rat).Abs(b); other.Cmp(scale) > 0 {
			scale = other
		}
		away := new(big.Rat).Sub(a, b)
		return away.Sub(big.NewRat(1, 1), away.Quo(away.Abs(away), scale))
	}
	return new(big.Rat).SetFloat64(x)
}

// likeness returns the likeness of two values, in [0, 1]: the ratio of texts (see difflib), the nearness of numbers. For
// other values it is 1 if they are equal, else 0.
func likeness(want, have jsonvalue.Value, texts *difflib.Budget) float64 {
	switch {
	case jsonvalue.Equal(want, have):
		return 1
	case want.Kind() != have.Kind():
		return 0
	case want.Kind() == jsonvalue.String:
		return texts.Ratio(have.Text(), want.Text())
	case want.Kind() == jsonvalue.Number:
		return max(0, nearness(parseFloat(have.Lexeme()), parseFloat(want.Lexeme())))
	}
	return 0
}

// nearness returns 1 - |a-b|/max(|a|,|b|) for two different numbers, or 0 if one is too large for a float64 or both are too small.
func nearness(a, b float64) float64 {
	scale := max(math.Abs(a), math.Abs(b))
	if scale == 0 || math.IsInf(scale, 0) {
		return 0
	}
	return 1 - math.Abs(a-b)/scale
}

// parseFloat returns the nearest float64, or an infinity beyond the largest, as in Python.
func parseFloat(lexeme string) float64 {
	f, _ := strconv.ParseFloat(lexeme, 64) // the only possible error is the range, and f is then an infinity
	return f
}
