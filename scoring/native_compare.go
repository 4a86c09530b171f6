package scoring

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// emptyObject is the value of no arguments.
var emptyObject, _ = Decode("{}")

// orEmptyObject is v, or an empty object if v is null. Telemetry writes both for a call without arguments.
func orEmptyObject(v Value) Value {
	if v.Kind() == Null {
		return emptyObject
	}
	return v
}

// compareArguments is the credit of called arguments against expected ones, from 0 to full. It means nothing if texts is
// spent afterwards.
func (o *NativeOptions) compareArguments(m ArgumentMode, expected, called Value, texts *difflib.Budget) int64 {
	switch m {
	case ArgumentsExact:
		return fullIf(Equal(expected, called))
	case ArgumentsSubset:
		return fullIf(within(expected, called))
	case ArgumentsSuperset:
		return fullIf(within(called, expected))
	case ArgumentsPartial:
		return agreement(expected, called)
	case ArgumentsFuzzy:
		return fullIf(difflib.Reaches(texts, o.FuzzyThreshold, expected, called, similarity))
	}
	return full
}

func fullIf(ok bool) int64 {
	if ok {
		return full
	}
	return 0
}

// within reports whether every key of part is in whole with an equal value, or with an object that part's object is within.
// Values that are no objects, such as arrays, must be equal.
func within(part, whole Value) bool {
	if part.Kind() != Object || whole.Kind() != Object {
		return Equal(part, whole)
	}
	s := jsonvalue.NewLookup(whole)
	for m, ok := part.FirstMember(); ok; m, ok = m.Next() {
		v, found := s.Find(m)
		if !found || !within(m.Value(), v) {
			return false
		}
	}
	return true
}

// agreement is the number of keys with equal values over the number of keys of both sides together, as a credit. Two empty
// objects agree in full. It is symmetric: an extra key costs as much as a missing one.
func agreement(expected, called Value) int64 {
	if expected.Kind() != Object || called.Kind() != Object {
		return fullIf(Equal(expected, called))
	}
	union, equal := called.Len(), 0
	s := jsonvalue.NewLookup(called)
	for m, ok := expected.FirstMember(); ok; m, ok = m.Next() {
		v, found := s.Find(m)
		switch {
		case !found:
			union++
		case Equal(m.Value(), v):
			equal++
		}
	}
	if union == 0 {
		return full
	}
	hi, lo := bits.Mul64(full, uint64(equal))
	share, _ := bits.Div64(hi, lo, uint64(union))
	return int64(share)
}

// similarity is the mean likeness over the expected keys, or 1 if there are none. A key that the call lacks counts as 0.
func similarity(expected, called Value, texts *difflib.Budget) float64 {
	if expected.Kind() != Object || called.Kind() != Object {
		return likeness(expected, called, texts)
	}
	if expected.Len() == 0 {
		return 1
	}
	var sum float64
	s := jsonvalue.NewLookup(called)
	for m, ok := expected.FirstMember(); ok; m, ok = m.Next() {
		if v, found := s.Find(m); found {
			sum += likeness(m.Value(), v, texts)
		}
	}
	return sum / float64(expected.Len())
}

// likeness of two values is from 0 to 1. For texts it is their ratio (see difflib), for numbers their nearness. Other values
// are alike only if they are equal.
func likeness(expected, called Value, texts *difflib.Budget) float64 {
	switch {
	case Equal(expected, called):
		return 1
	case expected.Kind() != called.Kind():
		return 0
	case expected.Kind() == String:
		return texts.Ratio(called.Text(), expected.Text())
	case expected.Kind() == Number:
		return nearness(number(called), number(expected))
	}
	return 0
}

// number is the nearest float64, or an infinity beyond its range.
func number(v Value) float64 {
	x, _ := strconv.ParseFloat(v.Lexeme(), 64)
	return x
}

// nearness of two numbers that are not equal is 1 - |a-b|/max(|a|,|b|), and at least 0.
func nearness(a, b float64) float64 {
	scale := max(math.Abs(a), math.Abs(b))
	if scale == 0 || math.IsInf(scale, 0) {
		// Both are too small or one is too large for a float64.
		return 0
	}
	return max(0, 1-math.Abs(a-b)/scale)
}
