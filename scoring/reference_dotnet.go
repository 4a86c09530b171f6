package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"

// clrEqual is EqualityComparer<object>.Default in C# on decoded JSON: the types must be the same, so 1 is not 1.0,
// and lists and dictionaries are equal to themselves only, so two that were built apart never are.
func clrEqual(a, b Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case Bool:
		return a.Bool() == b.Bool()
	case Number:
		return clrNumbersEqual(a.Lexeme(), b.Lexeme())
	case String:
		return Equal(a, b)
	case Null:
		return true
	}
	return false
}

// clrNumbersEqual compares integers among themselves, whose type follows from their size, and doubles.
func clrNumbersEqual(a, b string) bool {
	if isFloatLexeme(a) != isFloatLexeme(b) {
		return false
	}
	if isFloatLexeme(a) {
		return parseFloat(a) == parseFloat(b)
	}
	return wholeOf(a) == wholeOf(b)
}

// clrShare is the number of keys with equal values over the number of keys of both sides together. Of two empty
// dictionaries EvalSharp computes 0/0, and since no comparison with NaN holds, the pair counts for nothing.
func clrShare(a, b Value) float64 {
	common, equal, in := 0, 0, jsonvalue.NewLookup(b)
	for m, ok := a.FirstMember(); ok; m, ok = m.Next() {
		v, found := in.Find(m)
		if !found {
			continue
		}
		common++
		if clrEqual(m.Value(), v) {
			equal++
		}
	}
	union := a.Len() + b.Len() - common
	if union == 0 {
		return 0
	}
	return float64(equal) / float64(union)
}

// clrSameSequence compares dictionaries as the sequences of their entries.
func clrSameSequence(a, b Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	x, more := a.FirstMember()
	y, _ := b.FirstMember()
	for more {
		if !x.SameName(y) || !clrEqual(x.Value(), y.Value()) {
			return false
		}
		x, more = x.Next()
		y, _ = y.Next()
	}
	return true
}
