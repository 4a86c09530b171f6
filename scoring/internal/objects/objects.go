// Package objects compares objects of JSON, such as the arguments of two calls, by more than equality.
//
// [Within] says whether one has all that the other has. [Shared] counts keys with equal values. [Similarity] is how alike the
// values are, from 0 to 1, at the cost of a budget for texts: see package difflib. Values are equal as package jsonvalue says.
//
// The package knows no tool, no mode and no credit. objects.go is all of it.
package objects

import (
	"math"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// Within reports whether every key of part is in whole with an equal value, or with an object that part's object is Within.
// Values that are no objects, such as arrays, must be equal.
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

// Shared is how many keys have equal values in two objects, and how many keys there are on both sides together.
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

// Similarity is the mean likeness over the keys of want, or 1 if there are none. A key that have lacks counts as 0. It means
// nothing if texts is spent afterwards.
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

// likeness of two values is from 0 to 1. For texts it is their ratio (see difflib), for numbers their nearness. Other values
// are alike only if they are equal.
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

// number is the nearest float64, or an infinity beyond its range.
func number(v jsonvalue.Value) float64 {
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
