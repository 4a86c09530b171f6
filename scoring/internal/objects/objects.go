// Package objects compares JSON objects, such as the arguments of two calls, in ways that are weaker than equality.
//
// [Within] reports whether one object is a subset of the other. [Shared] counts keys with equal values. [Similarity] returns
// how alike the values are, in [0, 1], and takes a budget for texts: see package difflib. Equality is that of package
// jsonvalue.
//
// objects.go is the whole package.
package objects

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// Within reports whether part is a subset of whole: every key is there with an equal value, or objects recursively. Values
// that are not objects, such as arrays, must be equal.
func Within(part, whole jsonvalue.Value) bool {
	if part.Kind() != jsonvalue.Object || whole.Kind() != jsonvalue.Object {
		return jsonvalue.Equal(part, whole)
	}
	s := jsonvalue.NewLookup(whole)
	for m, ok := part.FirstMember(); ok; m, ok = m.Next() {
		v, found := s.Find(m)
		if !found || !Within(m.Value(), v) {
			return false
		}
	}
	return true
}

// Shared returns how many keys have equal values in two objects, and how many distinct keys both have together.
func Shared(a, b jsonvalue.Value) (equal, union int) {
	union = b.Len()
	s := jsonvalue.NewLookup(b)
	for m, ok := a.FirstMember(); ok; m, ok = m.Next() {
		v, found := s.Find(m)
		switch {
		case !found:
			union++
		case jsonvalue.Equal(m.Value(), v):
			equal++
		}
	}
	return equal, union
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
	s := jsonvalue.NewLookup(have)
	for m, ok := want.FirstMember(); ok; m, ok = m.Next() {
		if v, found := s.Find(m); found {
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
		return nearness(number(have), number(want))
	}
	return 0
}

// number returns the nearest float64, or an infinity beyond its range.
func number(v jsonvalue.Value) float64 {
	x, _ := strconv.ParseFloat(v.Lexeme(), 64)
	return x
}

// nearness returns 1 - |a-b|/max(|a|,|b|) for two different numbers, but at least 0.
func nearness(a, b float64) float64 {
	scale := max(math.Abs(a), math.Abs(b))
	if scale == 0 || math.IsInf(scale, 0) {
		// Both are too small for a float64, or one is too large.
		return 0
	}
	return max(0, 1-math.Abs(a-b)/scale)
}

// Agreement returns the share of full that two objects have in common. The share is the number of keys with equal values
// over the number of distinct keys of both. Two empty objects agree in full. Other values agree in full or not at all.
func Agreement(expected, called jsonvalue.Value, full uint64) int64 {
	equal, union := 0, 1
	if expected.Kind() == jsonvalue.Object && called.Kind() == jsonvalue.Object {
		equal, union = Shared(expected, called)
	} else if jsonvalue.Equal(expected, called) {
		equal = 1
	}
	if union == 0 {
		return int64(full)
	}
	hi, lo := bits.Mul64(full, uint64(equal))
	share, _ := bits.Div64(hi, lo, uint64(union))
	return int64(share)
}
