package pyliteral

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strings"
)

// maxDigits bounds a number in another base, whose value takes more than linear time to write in decimals. Python
// itself refuses decimals above 4300 digits.
const maxDigits = 1000

// number reads an int or a float. Both keep their digits; only what JSON does not allow is written differently.
func (p *parser) number() bool {
	if p.take('-') {
		p.out = append(p.out, '-')
	}
	n := leading(p.text, isNumber)
	if n > 0 && n < len(p.text) && p.text[n-1]|0x20 == 'e' && (p.text[n] == '-' || p.text[n] == '+') && !isBased(p.text) {
		n += 1 + leading(p.text[n+1:], isNumber)
	}
	token := p.text[:n]
	p.text = p.text[n:]
	if isBased(token) {
		return p.based(token)
	}
	return p.decimal(token)
}

func isNumber(c byte) bool { return isDigit(c) || isLetter(c) || c == '.' || c == '_' }

// isBased reports whether a number is written like 0x1f, 0o17 or 0b11.
func isBased(token string) bool {
	return len(token) > 2 && token[0] == '0' && strings.IndexByte("xob", token[1]|0x20) >= 0
}

func (p *parser) based(token string) bool {
	if len(token) > maxDigits {
		return false
	}
	n, ok := new(big.Int).SetString(token, 0) // with Python's rules for underscores
	if !ok {
		return false
	}
	p.out = n.Append(p.out, 10)
	return true
}

// decimal gives the point the digits that JSON wants on both of its sides. What JSON does not know then is not surely
// a number of Python's: 007, 1j, 1e, a lone point.
func (p *parser) decimal(token string) bool {
	token, ok := withoutUnderscores(token)
	if !ok {
		return false
	}
	at := len(p.out)
	end := strings.IndexAny(token, "eE")
	if end < 0 {
		end = len(token)
	}
	whole, fraction, point := strings.Cut(token[:end], ".")
	if whole == "" && fraction == "" {
		return false
	}
	p.out = append(p.out, cmp.Or(whole, "0")...)
	if point {
		p.out = append(append(p.out, '.'), cmp.Or(fraction, "0")...)
	}
	p.out = append(p.out, token[end:]...)
	return json.Valid(p.out[at:])
}

// withoutUnderscores removes those that stand between two digits, and is false if there are others.
func withoutUnderscores(token string) (string, bool) {
	if !strings.Contains(token, "_") {
		return token, true
	}
	for i := range len(token) {
		if token[i] == '_' && (i == 0 || i+1 == len(token) || !isDigit(token[i-1]) || !isDigit(token[i+1])) {
			return "", false
		}
	}
	return strings.ReplaceAll(token, "_", ""), true
}
