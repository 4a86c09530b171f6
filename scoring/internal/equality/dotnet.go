package equality

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"

// CLR is EqualityComparer<object>.Default in C# on decoded JSON. The types must be the same, so 1 is not 1.0. Lists and
// dictionaries compare by reference, so two of them are never equal.
func CLR(a, b jsonvalue.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case jsonvalue.Bool:
		return a.Bool() == b.Bool()
	case jsonvalue.Number:
		return clrNumbers(a.Lexeme(), b.Lexeme())
	case jsonvalue.String:
		return jsonvalue.Equal(a, b)
	case jsonvalue.Null:
		return true
	}
	return false
}

// clrNumbers compares two integers, whose type depends on their size, or two doubles.
func clrNumbers(a, b string) bool {
	if isFloatLexeme(a) != isFloatLexeme(b) {
		return false
	}
	if isFloatLexeme(a) {
		return parseFloat(a) == parseFloat(b)
	}
	return wholeOf(a) == wholeOf(b)
}

// CLRShare returns the number of keys with equal values over the number of distinct keys of both sides. For two empty
// dictionaries it returns 0: EvalSharp computes NaN, and no comparison with NaN holds.
func CLRShare(a, b jsonvalue.Value) float64 {
	common, equal, in := 0, 0, jsonvalue.NewLookup(b)
	for m, ok := a.FirstMember(); ok; m, ok = m.Next() {
		v, found := in.Find(m)
		if !found {
			continue
		}
		common++
		if CLR(m.Value(), v) {
			equal++
		}
	}
	union := a.Len() + b.Len() - common
	if union == 0 {
		return 0
	}
	return float64(equal) / float64(union)
}

// CLRSameSequence compares dictionaries as the sequences of their entries.
func CLRSameSequence(a, b jsonvalue.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	x, more := a.FirstMember()
	y, _ := b.FirstMember()
	for more {
		if !x.SameName(y) || !CLR(x.Value(), y.Value()) {
			return false
		}
		x, more = x.Next()
		y, _ = y.Next()
	}
	return true
}
