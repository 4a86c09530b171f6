// Package compare compares JSON values: what agrees in part, what other languages call equal, where two values differ.
//
//	equality.go  one object within another, shared keys, likeness; equality in Python 3.11 and in C#, and the formulas of Axion and DeepEval
//	ratio.go     how alike two texts are, as in Python's difflib
//	prepare.go   a value without ignored keys and with defaults, keys that several values agree with, outputs with content blocks
//	diff.go      the places at which two values differ
//
// Reference methods reproduce the scores of libraries in Python and C#, which depend on the equality of those languages:
//
//	             1 and 1.0   1 and true   [1] and [1]   {} and {}
//	[Python]     equal       equal        equal         equal
//	[CLR]        different   different    different     different
//
// The native method has the equality of package jsonvalue.
package compare

import (
	"iter"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

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

// Python is == in Python 3.11 on decoded JSON: 1 == 1.0 == true and 0 == -0.0 == false, at any depth.
func Python(a, b jsonvalue.Value) bool {
	k := a.Kind()
	switch {
	case k == b.Kind() && k == jsonvalue.Object:
		return a.Len() == b.Len() && jsonvalue.MembersWithin(a, b, Python)
	case k == b.Kind() && k == jsonvalue.Array:
		return a.Len() == b.Len() && jsonvalue.SameElements(a, b, Python)
	}
	x, y := pythonNumber(a), pythonNumber(b)
	if x == "" || y == "" {
		return jsonvalue.Equal(a, b) // of texts, null, and kinds that differ
	}
	return samePythonNumber(x, y)
}

// pythonNumber returns a number as it is written, 1 or 0 for a bool, which Python takes for an int, and "" for all else.
func pythonNumber(v jsonvalue.Value) string {
	switch {
	case v.Kind() != jsonvalue.Bool:
		return v.Lexeme()
	case v.Bool():
		return "1"
	}
	return "0"
}

// samePythonNumber compares exactly. Ints are unbounded and never converted; a float is a float64. An int and a float are equal only if the
// float has exactly that value.
func samePythonNumber(x, y string) bool {
	if x == y {
		return true
	}
	xFloat, yFloat := isFloat(x), isFloat(y)
	if xFloat && yFloat {
		return parseFloat(x) == parseFloat(y)
	}
	return wholeOf(x, xFloat) == wholeOf(y, yFloat)
}

// isFloat reports whether a number is written like 1.0 or 1e3. Python, C# and Java read such numbers as floats.
func isFloat(lexeme string) bool { return strings.ContainsAny(lexeme, ".eE") }

// wholeOf returns all digits of an int or of a whole float. Any other float stays as it is, so that it is no int.
func wholeOf(lexeme string, float bool) string {
	if float {
		f := parseFloat(lexeme)
		if f != math.Trunc(f) {
			return lexeme
		}
		lexeme = strconv.FormatFloat(f, 'f', 0, 64)
	}
	if lexeme == "-0" {
		return "0"
	}
	return lexeme
}

// DeepEval adds up 1/U for each key with equal values, where U is the number of distinct keys of both sides. Two objects
// under one key add their own share of 1/U. {} and {} share nothing. For {"a":1,"b":2} and {"a":1,"b":3} it is 1/2.
//
// It also reports whether the objects are equal, so that nested objects are walked only once.
func DeepEval(e, c jsonvalue.Value) (share float64, equal bool) {
	keys := 0
	for range common(e, c) {
		keys++
	}
	union := float64(e.Len() + c.Len() - keys)
	equal = keys == e.Len() && keys == c.Len()
	for x, y := range common(e, c) {
		var part float64
		var same bool
		if x.Kind() == jsonvalue.Object && y.Kind() == jsonvalue.Object {
			part, same = DeepEval(x, y)
		} else {
			same = Python(x, y)
		}
		if same {
			part = 1
		}
		equal = equal && same
		share += part / union
	}
	return share, equal
}

// Axion returns the likeness of two objects under Axion's fuzzy strategy: the mean over the keys of want, which must have
// some. Keys that only got has are ignored. For {"a":1,"b":2} and {"a":1,"b":3} it is (1 + 2/3) / 2. The caller must discard the
// result if texts is spent.
func Axion(want, got jsonvalue.Value, texts *names.Budget) float64 {
	_, sum := axionKeys(want, got, texts)
	return sum / float64(want.Len())
}

// axionKeys returns how many keys two objects have in common, and the sum of the likeness of their values.
func axionKeys(want, got jsonvalue.Value, texts *names.Budget) (keys int, sum float64) {
	for x, y := range common(want, got) {
		keys++
		sum += axionValues(x, y, texts)
	}
	return keys, sum
}

// axionValues compares two values. The result is at most 1, and as low as -1 for numbers of opposite signs. Values of different
// types, such as an int and a float, have nothing in common. Nor has null with anything, even null. The likeness of objects is
// the mean of two numbers: the share of common keys, and the mean likeness of their values.
func axionValues(want, got jsonvalue.Value, texts *names.Budget) float64 {
	if want.Kind() != got.Kind() {
		return 0
	}
	switch want.Kind() {
	case jsonvalue.String:
		return Ratio(got.Text(), want.Text(), texts)
	case jsonvalue.Number:
		return axionNumbers(want.Lexeme(), got.Lexeme())
	case jsonvalue.Bool, jsonvalue.Array:
		if Python(want, got) {
			return 1
		}
	case jsonvalue.Object:
		if want.Len() == 0 && got.Len() == 0 {
			return 1
		}
		keys, sum := axionKeys(want, got, texts)
		if keys == 0 {
			return 0
		}
		return (float64(keys)/float64(want.Len()+got.Len()-keys) + sum/float64(keys)) / 2
	}
	return 0
}

// axionNumbers returns 1-|g-w|/max(|g|,|w|), which may be negative. Zero is alike only to zero.
func axionNumbers(want, got string) float64 {
	const exact = 16
	switch {
	case isFloat(want) != isFloat(got):
		return 0
	case isFloat(want), len(want) < exact && len(got) < exact: // such ints are floats as well, and so is their difference
		w, g := parseFloat(want), parseFloat(got)
		switch {
		case w == 0 && g == 0:
			return 1
		case w == 0 || g == 0:
			return 0
		}
		return 1 - math.Abs(g-w)/math.Max(math.Abs(g), math.Abs(w))
	}
	// Other ints are divided exactly and rounded once, as in Python.
	var w, g, apart big.Int
	w.SetString(want, 10)
	g.SetString(got, 10)
	if w.Cmp(&g) == 0 {
		return 1
	}
	apart.Abs(apart.Sub(&g, &w))
	larger := w.Abs(&w)
	if g.CmpAbs(&w) > 0 {
		larger = g.Abs(&g)
	}
	quotient, _ := new(big.Rat).SetFrac(&apart, larger).Float64()
	return 1 - quotient
}

// CLR is EqualityComparer<object>.Default in C# on decoded JSON. The types must be the same, so 1 is not 1.0. Lists and
// dictionaries compare by reference, so two of them are never equal.
func CLR(a, b jsonvalue.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case jsonvalue.Number: // two integers, whose type depends on their size, or two doubles
		x, y := a.Lexeme(), b.Lexeme()
		return x == y || isFloat(x) == isFloat(y) && samePythonNumber(x, y)
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
