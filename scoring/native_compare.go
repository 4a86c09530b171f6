package scoring

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// emptyObject is what a call without arguments has.
var emptyObject, _ = Decode("{}")

// orEmptyObject reads null arguments as no arguments: telemetry writes both for a call that has none.
func orEmptyObject(v Value) Value {
	if v.Kind() == Null {
		return emptyObject
	}
	return v
}

// compareArguments is the credit, up to full, that called arguments get against expected ones. It means nothing once
// texts is spent.
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

// within reports whether every key of part is in whole and equal there, or an object within the one there. What is
// no object, arrays too, must be equal.
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

// agreement is the share of the keys of both sides together under which the values are equal. Two values without
// any key agree. Counting the keys of both sides makes it symmetric: a key too many costs as much as one too few.
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

// similarity is the mean likeness over the expected keys; 1 where there are none.
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

// likeness of two values, from 0 to 1: of texts how much of them is common, of numbers how near they are.
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

// number is the nearest float64; beyond its range, an infinity.
func number(v Value) float64 {
	x, _ := strconv.ParseFloat(v.Lexeme(), 64)
	return x
}

// nearness of two numbers that are not equal: 1 less their distance, measured by the larger one.
func nearness(a, b float64) float64 {
	scale := max(math.Abs(a), math.Abs(b))
	if scale == 0 || math.IsInf(scale, 0) {
		// Both are too small, or one is too large, to be told by a float64.
		return 0
	}
	return max(0, 1-math.Abs(a-b)/scale)
}
