package compare

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"

// CLR is EqualityComparer<object>.Default in C# on decoded JSON. The types must be the same, so 1 is not 1.0. Lists and
// dictionaries compare by reference, so two of them are never equal.
func CLR(a, b jsonvalue.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case jsonvalue.Number:
		// Two integers, whose type depends on their size, or two doubles.
		x, y := a.Lexeme(), b.Lexeme()
		if isFloatLexeme(x) && isFloatLexeme(y) {
			return parseFloat(x) == parseFloat(y)
		}
		return isFloatLexeme(x) == isFloatLexeme(y) && wholeOf(x) == wholeOf(y)
	case jsonvalue.Array, jsonvalue.Object:
		return false
	}
	return jsonvalue.Equal(a, b)
}

// CLRShare returns the number of keys with equal values over the number of distinct keys of both sides. For two empty
// dictionaries it returns 0: EvalSharp computes NaN, and no comparison with NaN holds.
func CLRShare(a, b jsonvalue.Value) float64 {
	same, union := shared(a, b, CLR)
	if union == 0 {
		return 0
	}
	return float64(same) / float64(union)
}

// CLRSameSequence compares dictionaries as the sequences of their entries.
func CLRSameSequence(a, b jsonvalue.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	y, _ := b.FirstMember()
	for x, ok := a.FirstMember(); ok; x, ok = x.Next() {
		if x.Name() != y.Name() || !CLR(x.Value(), y.Value()) {
			return false
		}
		y, _ = y.Next()
	}
	return true
}
