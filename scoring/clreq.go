package scoring

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
	common, equal, in := 0, 0, seekIn(b)
	for m, ok := a.firstMember(); ok; m, ok = m.following() {
		v, found := in.find(m.name())
		if !found {
			continue
		}
		common++
		if clrEqual(m.value(), v) {
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
	x, more := a.firstMember()
	y, _ := b.firstMember()
	for more {
		if !sameText(x.name(), y.name()) || !clrEqual(x.value(), y.value()) {
			return false
		}
		x, more = x.following()
		y, _ = y.following()
	}
	return true
}
