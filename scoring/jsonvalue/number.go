package jsonvalue

import (
	"bytes"
	"strconv"
	"strings"
)

// A decimal is a number split into parts: 0.digits times ten to the power of exponent plus shift. Nothing is expanded, so
// 1e999999999 costs no more than its eleven characters.
//
//	-12.50e3  negative  whole 12  fraction 5  shift  2  exponent 3    -0.125 times 10 to the power of 2+3
//	0.0034              whole     fraction 34 shift -2                 0.34  times 10 to the power of -2
type decimal struct {
	negative bool
	// whole and fraction hold the digits, without zeros in front of the first and behind the last significant one.
	whole, fraction string
	shift           int
	exponent        string // the digits of the written exponent
	shrinks         bool   // the written exponent is negative
}

// equalNumbers reports whether two JSON number lexemes have the same mathematical value.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a, ".eE") && !strings.ContainsAny(b, ".eE") {
		return strings.TrimPrefix(a, "-") == "0" && strings.TrimPrefix(b, "-") == "0" // else integers have one form
	}
	var x, y [64]byte // long enough for usual numbers
	return bytes.Equal(parseDecimal(a).appendCanonical(x[:0]), parseDecimal(b).appendCanonical(y[:0]))
}

func parseDecimal(lexeme string) decimal {
	var d decimal
	lexeme, d.negative = strings.CutPrefix(lexeme, "-")
	if i := strings.IndexAny(lexeme, "eE"); i >= 0 {
		d.exponent = lexeme[i+1:]
		lexeme = lexeme[:i]
		d.exponent, d.shrinks = strings.CutPrefix(d.exponent, "-")
		d.exponent = strings.TrimPrefix(d.exponent, "+")
	}
	d.whole, d.fraction, _ = strings.Cut(lexeme, ".")
	d.whole = strings.TrimLeft(d.whole, "0")
	d.fraction = strings.TrimRight(d.fraction, "0")
	d.shift = len(d.whole)
	if d.whole == "" {
		trimmed := strings.TrimLeft(d.fraction, "0")
		d.shift = len(trimmed) - len(d.fraction)
		d.fraction = trimmed
	}
	if d.fraction == "" {
		d.whole = strings.TrimRight(d.whole, "0")
	}
	return d
}

// appendCanonical appends the digits of d and the position of its point: see [decimal].
func (d decimal) appendCanonical(b []byte) []byte {
	if d.whole == "" && d.fraction == "" {
		return append(b, "0;"...)
	}
	if d.negative {
		b = append(b, '-')
	}
	b = append(append(append(b, d.whole...), d.fraction...), 'e')
	return append(d.appendMagnitude(b), ';')
}

// appendMagnitude appends the written exponent plus the shift. An exponent of more than 18 digits, to which a shift cannot be added in an
// int64, stays as it is written: such numbers are equal if they also have the same shift.
func (d decimal) appendMagnitude(b []byte) []byte {
	exponent, sign := strings.TrimLeft(d.exponent, "0"), ""
	if d.shrinks {
		sign = "-"
	}
	if len(exponent) > 18 {
		b = append(append(append(b, sign...), exponent...), '+')
		return strconv.AppendInt(b, int64(d.shift), 10)
	}
	n, _ := strconv.ParseInt(sign+"0"+exponent, 10, 64)
	return strconv.AppendInt(b, n+int64(d.shift), 10)
}
