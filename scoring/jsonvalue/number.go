package jsonvalue

import (
	"bytes"
	"strconv"
	"strings"
)

// equalNumbers reports whether two JSON number lexemes have the same mathematical value.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a, ".eE") && !strings.ContainsAny(b, ".eE") {
		return strings.TrimPrefix(a, "-") == "0" && strings.TrimPrefix(b, "-") == "0" // else integers have one form
	}
	var x, y [64]byte // long enough for usual numbers
	return bytes.Equal(appendNumber(x[:0], a), appendNumber(y[:0], b))
}

// appendNumber appends a form of a number that is the same however it is written: the significant digits, which stand behind the point,
// and a power of ten. Nothing is expanded, so 1e999999999 costs no more than its eleven characters.
//
//	-12.50e3  -125e5;  -0.125 times 10 to the power of 2+3
//	0.0034    34e-2;    0.34  times 10 to the power of -2
func appendNumber(b []byte, lexeme string) []byte {
	start := len(b)
	digits, negative := strings.CutPrefix(lexeme, "-")
	if negative {
		b = append(b, '-')
	}
	exponent := ""
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		digits, exponent = digits[:i], digits[i+1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	first := len(b)
	b = append(append(b, whole...), fraction...)
	significant := bytes.TrimLeft(b[first:], "0")
	zeros := len(b) - first - len(significant)
	significant = bytes.TrimRight(significant, "0")
	if len(significant) == 0 {
		return append(b[:start], "0;"...)
	}
	b = append(append(b[:first], significant...), 'e')
	return append(appendPower(b, exponent, len(whole)-zeros), ';')
}

// appendPower appends a written exponent plus a shift. An exponent of more than 18 digits, to which a shift cannot be added in an int64,
// stays as it is written: such numbers are equal if they also have the same shift.
func appendPower(b []byte, exponent string, shift int) []byte {
	sign := ""
	if strings.HasPrefix(exponent, "-") {
		sign = "-"
	}
	exponent = strings.TrimLeft(exponent, "+-0")
	if len(exponent) > 18 {
		b = append(append(append(b, sign...), exponent...), '+')
		return strconv.AppendInt(b, int64(shift), 10)
	}
	n, _ := strconv.ParseInt(sign+"0"+exponent, 10, 64)
	return strconv.AppendInt(b, n+int64(shift), 10)
}
