package jsonvalue

import "strings"

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
	x, y := parseDecimal(a), parseDecimal(b)
	if x.zero() || y.zero() {
		return x.zero() && y.zero()
	}
	return x.negative == y.negative && x.sameDigits(y) && x.sameMagnitude(y)
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

func (d decimal) zero() bool { return d.whole == "" && d.fraction == "" }

// sameDigits compares whole+fraction without joining them.
func (d decimal) sameDigits(e decimal) bool {
	if len(d.whole)+len(d.fraction) != len(e.whole)+len(e.fraction) {
		return false
	}
	if len(d.whole) > len(e.whole) {
		d, e = e, d
	}
	rest, ok := strings.CutPrefix(e.whole, d.whole)
	if !ok {
		return false
	}
	tail, ok := strings.CutPrefix(d.fraction, rest)
	return ok && tail == e.fraction
}

// sameMagnitude reports whether both decimal points are at the same place.
func (d decimal) sameMagnitude(e decimal) bool {
	return exponentsApart(d, e) == int64(e.shift)-int64(d.shift)
}

// exponentsApart returns the written exponent of d minus that of e. It stops if the difference is so large that neither the
// remaining digits nor a shift can cancel it.
func exponentsApart(d, e decimal) int64 {
	const far = 1 << 40
	width := max(len(d.exponent), len(e.exponent))
	var apart int64
	for i := range width {
		apart = apart*10 + d.exponentDigit(i, width) - e.exponentDigit(i, width)
		if apart > far || apart < -far {
			break
		}
	}
	return apart
}

// exponentDigit returns the i-th digit of the exponent, padded to width digits, with the exponent's sign.
func (d decimal) exponentDigit(i, width int) int64 {
	i -= width - len(d.exponent)
	if i < 0 {
		return 0
	}
	digit := int64(d.exponent[i] - '0')
	if d.shrinks {
		return -digit
	}
	return digit
}
