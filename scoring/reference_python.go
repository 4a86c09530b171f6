package scoring

import (
	"math"
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// A leafEquality says whether two values are equal that are not both arrays and not both objects.
type leafEquality func(a, b Value) bool

// deepEqual compares arrays element by element, objects irrespective of key order, and leaves all else to leaf.
func deepEqual(a, b Value, leaf leafEquality) bool {
	k := a.Kind()
	if k != b.Kind() || k != Array && k != Object {
		return leaf(a, b)
	}
	if a.Len() != b.Len() {
		return false
	}
	if k == Array {
		return deepEqualArrays(a, b, leaf)
	}
	in := jsonvalue.NewLookup(b)
	for m, ok := a.FirstMember(); ok; m, ok = m.Next() {
		v, found := in.Find(m)
		if !found || !deepEqual(m.Value(), v, leaf) {
			return false
		}
	}
	return true
}

// deepEqualArrays compares arrays of the same length.
func deepEqualArrays(a, b Value, leaf leafEquality) bool {
	x, more := a.FirstElement()
	y, _ := b.FirstElement()
	for more {
		if !deepEqual(x.Value(), y.Value(), leaf) {
			return false
		}
		x, more = x.Next()
		y, _ = y.Next()
	}
	return true
}

// pyEqual is == in Python 3.11 on decoded JSON: 1 == 1.0 == true and 0 == -0.0 == false, at any depth.
func pyEqual(a, b Value) bool { return deepEqual(a, b, pyLeafEqual) }

func pyLeafEqual(a, b Value) bool {
	x, xNumber := pyNumberOf(a)
	y, yNumber := pyNumberOf(b)
	switch {
	case xNumber != yNumber:
		return false
	case xNumber:
		return x.equal(y)
	case a.Kind() == String && b.Kind() == String:
		return Equal(a, b)
	}
	return a.Kind() == Null && b.Kind() == Null
}

// A pyNumber is a Python bool, int or float. Ints are unbounded and never converted; a float is a float64.
type pyNumber struct {
	kind pyKind
	// whole is the int's decimal form, 0 for -0. A bool has one as well: 0 or 1.
	whole string
	float float64
}

// pyKind is a Python number's type.
type pyKind uint8

const (
	pyBool pyKind = iota
	pyInt
	pyFloat
)

// pyNumberOf is v as Python's json module reads it. The second result is false for what is no number there.
func pyNumberOf(v Value) (pyNumber, bool) {
	switch v.Kind() {
	case Bool:
		if v.Bool() {
			return pyNumber{kind: pyBool, whole: "1"}, true
		}
		return pyNumber{kind: pyBool, whole: "0"}, true
	case Number:
		lexeme := v.Lexeme()
		if isFloatLexeme(lexeme) {
			return pyNumber{kind: pyFloat, float: parseFloat(lexeme)}, true
		}
		return pyNumber{kind: pyInt, whole: wholeOf(lexeme)}, true
	}
	return pyNumber{}, false
}

// isFloatLexeme reports whether a number is written like 1.0 or 1e3. Python, C# and Java read such numbers as floats.
func isFloatLexeme(lexeme string) bool { return strings.ContainsAny(lexeme, ".eE") }

// parseFloat is the nearest float64; beyond the largest it is an infinity, as in Python.
func parseFloat(lexeme string) float64 {
	f, _ := strconv.ParseFloat(lexeme, 64) // the only error a JSON number allows is the range, and then f says so
	return f
}

// wholeOf is an integer lexeme in the one form that its value has.
func wholeOf(lexeme string) string {
	if lexeme == "-0" {
		return "0"
	}
	return lexeme
}

// equal compares exactly: an int and a float are equal only where the float is that very whole number.
func (x pyNumber) equal(y pyNumber) bool {
	if x.kind == pyFloat && y.kind == pyFloat {
		return x.float == y.float
	}
	if x.kind == pyFloat {
		x, y = y, x
	}
	if y.kind != pyFloat {
		return x.whole == y.whole
	}
	if math.IsInf(y.float, 0) || y.float != math.Trunc(y.float) {
		return false
	}
	// 'f' with no decimals writes all digits of a whole float exactly.
	return x.whole == wholeOf(strconv.FormatFloat(y.float, 'f', 0, 64))
}
