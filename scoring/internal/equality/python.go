package equality

import (
	"math"
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// Python is == in Python 3.11 on decoded JSON: 1 == 1.0 == true and 0 == -0.0 == false, at any depth.
func Python(a, b jsonvalue.Value) bool { return Deep(a, b, PythonLeaf) }

// PythonLeaf is [Python] for values that are not both arrays and not both objects.
func PythonLeaf(a, b jsonvalue.Value) bool {
	x, xNumber := PythonNumberOf(a)
	y, yNumber := PythonNumberOf(b)
	switch {
	case xNumber != yNumber:
		return false
	case xNumber:
		return x.equal(y)
	case a.Kind() == jsonvalue.String && b.Kind() == jsonvalue.String:
		return jsonvalue.Equal(a, b)
	}
	return a.Kind() == jsonvalue.Null && b.Kind() == jsonvalue.Null
}

// A PythonNumber is a Python bool, int or float. Ints are unbounded and never converted; a float is a float64.
type PythonNumber struct {
	Kind PythonKind
	// Whole is the decimal form of an int, with 0 for -0. For a bool it is 0 or 1.
	Whole string
	Float float64
}

// PythonKind is the type of a number in Python.
type PythonKind uint8

// The types of numbers.
const (
	PythonBool PythonKind = iota
	PythonInt
	PythonFloat
)

// PythonNumberOf returns v as Python's json module reads it. The second result is false if v is no number in Python.
func PythonNumberOf(v jsonvalue.Value) (PythonNumber, bool) {
	switch v.Kind() {
	case jsonvalue.Bool:
		if v.Bool() {
			return PythonNumber{Kind: PythonBool, Whole: "1"}, true
		}
		return PythonNumber{Kind: PythonBool, Whole: "0"}, true
	case jsonvalue.Number:
		lexeme := v.Lexeme()
		if isFloatLexeme(lexeme) {
			return PythonNumber{Kind: PythonFloat, Float: parseFloat(lexeme)}, true
		}
		return PythonNumber{Kind: PythonInt, Whole: wholeOf(lexeme)}, true
	}
	return PythonNumber{}, false
}

// isFloatLexeme reports whether a number is written like 1.0 or 1e3. Python, C# and Java read such numbers as floats.
func isFloatLexeme(lexeme string) bool { return strings.ContainsAny(lexeme, ".eE") }

// parseFloat returns the nearest float64, or an infinity beyond the largest, as in Python.
func parseFloat(lexeme string) float64 {
	f, _ := strconv.ParseFloat(lexeme, 64) // the only possible error is the range, and f is then an infinity
	return f
}

// wholeOf returns an integer lexeme in canonical form.
func wholeOf(lexeme string) string {
	if lexeme == "-0" {
		return "0"
	}
	return lexeme
}

// equal compares exactly: an int and a float are equal only if the float has exactly that value.
func (x PythonNumber) equal(y PythonNumber) bool {
	if x.Kind == PythonFloat && y.Kind == PythonFloat {
		return x.Float == y.Float
	}
	if x.Kind == PythonFloat {
		x, y = y, x
	}
	if y.Kind != PythonFloat {
		return x.Whole == y.Whole
	}
	if math.IsInf(y.Float, 0) || y.Float != math.Trunc(y.Float) {
		return false
	}
	// 'f' with no decimals writes all digits of a whole float exactly.
	return x.Whole == wholeOf(strconv.FormatFloat(y.Float, 'f', 0, 64))
}
