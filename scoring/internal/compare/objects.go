package compare

import (
	"iter"
	"math"
	"math/bits"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
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

// Alike reports whether the mean likeness over the keys of want is at least a threshold, within rounding: three numbers with the likeness
// 0.7 reach 0.7. The caller must discard the result if texts is spent.
func Alike(want, have jsonvalue.Value, threshold float64, texts *names.Budget) bool {
	const rounding = 1 + 1e-12 // of the distance, so that nothing but 0 is within 0
	return Distance(want, have, texts) <= (1-threshold)*rounding
}

// Distance returns 1 minus the mean likeness over the keys of want, or 0 if there are none. A key that have lacks has the likeness 0. The
// likeness of two values is in [0, 1]: the ratio of texts (see [Ratio]), the nearness of numbers. For other values it is 1 if they are
// equal, else 0. The caller must discard the result if texts is spent.
func Distance(want, have jsonvalue.Value, texts *names.Budget) float64 {
	if want.Kind() != jsonvalue.Object || have.Kind() != jsonvalue.Object {
		return distance(want, have, texts)
	}
	if want.Len() == 0 {
		return 0
	}
	sum, missing := 0.0, want.Len()
	for x, y := range common(want, have) {
		missing--
		sum += distance(x, y, texts)
	}
	return (sum + float64(missing)) / float64(want.Len())
}

// distance returns 1 minus the likeness of two values.
func distance(want, have jsonvalue.Value, texts *names.Budget) float64 {
	switch {
	case jsonvalue.Equal(want, have):
		return 0
	case want.Kind() == jsonvalue.String && have.Kind() == jsonvalue.String:
		return 1 - Ratio(have.Text(), want.Text(), texts)
	case want.Kind() == jsonvalue.Number && have.Kind() == jsonvalue.Number:
		return apart(parseFloat(have.Lexeme()), parseFloat(want.Lexeme()))
	}
	return 1
}

// apart returns |a-b|/max(|a|,|b|) for two different numbers, but 1 if they have opposite signs, if one is too large for a float64, or
// if both are too small.
func apart(a, b float64) float64 {
	scale := max(math.Abs(a), math.Abs(b))
	if scale == 0 || math.IsInf(scale, 0) {
		return 1
	}
	return min(1, math.Abs(a-b)/scale)
}

// parseFloat returns the nearest float64, or an infinity beyond the largest, as in Python.
func parseFloat(lexeme string) float64 {
	f, _ := strconv.ParseFloat(lexeme, 64) // the only possible error is the range, and f is then an infinity
	return f
}
