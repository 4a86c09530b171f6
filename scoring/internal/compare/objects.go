package compare

import (
	"math"
	"math/bits"
	"strconv"

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
	in := jsonvalue.NewLookup(whole)
	for m, ok := part.FirstMember(); ok; m, ok = m.Next() {
		v, found := in.Find(m)
		if !found || !WithinBy(m.Value(), v, equal) {
			return false
		}
	}
	return true
}

// shared returns how many keys have equal values in two objects, and how many distinct keys both have together.
func shared(a, b jsonvalue.Value, equal Equality) (same, union int) {
	union = b.Len()
	in := jsonvalue.NewLookup(b)
	for m, ok := a.FirstMember(); ok; m, ok = m.Next() {
		v, found := in.Find(m)
		switch {
		case !found:
			union++
		case equal(m.Value(), v):
			same++
		}
	}
	return same, union
}

// Agreement returns the share of full that two objects have in common. The share is the number of keys with equal values
// over the number of distinct keys of both. Two empty objects agree in full. Other values agree in full or not at all.
func Agreement(expected, called jsonvalue.Value, full uint64) int64 {
	same, union := 0, 1
	if expected.Kind() == jsonvalue.Object && called.Kind() == jsonvalue.Object {
		same, union = shared(expected, called, jsonvalue.Equal)
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
	in := jsonvalue.NewLookup(have)
	for m, ok := want.FirstMember(); ok; m, ok = m.Next() {
		if v, found := in.Find(m); found {
			sum += likeness(m.Value(), v, texts)
		}
	}
	return sum / float64(want.Len())
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
