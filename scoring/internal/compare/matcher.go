package compare

import (
	"maps"
	"math/big"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// A Matcher accepts several values of a key. [Rewrite] replaces those by Expected, so that any comparison with Expected finds them equal.
type Matcher struct {
	// Path is the path of the key, such as city or address.city.
	Path     string
	Expected jsonvalue.Value
	Accepts  func(jsonvalue.Value) bool
}

// OneOf accepts the elements of a list.
func OneOf(list jsonvalue.Value) func(jsonvalue.Value) bool {
	digests := digestsOf(list)
	return func(v jsonvalue.Value) bool { return digests[v.Digest()] > 0 }
}

// AnyOrder accepts lists that have the elements of a list, each as often, in any order.
func AnyOrder(list jsonvalue.Value) func(jsonvalue.Value) bool {
	digests := digestsOf(list)
	return func(v jsonvalue.Value) bool { return v.Kind() == jsonvalue.Array && maps.Equal(digestsOf(v), digests) }
}

func digestsOf(list jsonvalue.Value) map[jsonvalue.Digest]int {
	digests := make(map[jsonvalue.Digest]int, list.Len())
	for element := range list.Elements() {
		digests[element.Digest()]++
	}
	return digests
}

// Near accepts numbers from number-within to number+within. within is a number, or a share of number such as 5%. The second result is
// false if one of them is no number, or within is negative.
func Near(number, within string) (accepts func(jsonvalue.Value) bool, ok bool) {
	share, relative := strings.CutSuffix(within, "%")
	middle, isNumber := decimal(number)
	distance, isDistance := decimal(share)
	if !isNumber || !isDistance || distance.Sign() < 0 {
		return nil, false
	}
	if relative {
		distance.Mul(distance, new(big.Rat).Abs(middle)).Quo(distance, big.NewRat(100, 1))
	}
	// The bounds are rounded once, and so is a number that is compared with them. Rounding keeps the order of numbers.
	low, _ := new(big.Rat).Sub(middle, distance).Float64()
	high, _ := new(big.Rat).Add(middle, distance).Float64()
	return func(v jsonvalue.Value) bool {
		if v.Kind() != jsonvalue.Number {
			return false
		}
		x := parseFloat(v.Lexeme())
		return low <= x && x <= high
	}, true
}

// decimal returns the number that a text has, up to the digits of a float64. The second result is false if it has none.
func decimal(text string) (*big.Rat, bool) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	return new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64)) // not that of the text, which may have any exponent
}

// Loosely accepts texts that differ from a text in case, spaces and punctuation alone.
func Loosely(text string) func(jsonvalue.Value) bool {
	plain := Plain(text)
	return func(v jsonvalue.Value) bool { return v.Kind() == jsonvalue.String && Plain(v.Text()) == plain }
}

// Plain returns a text in lower case, without spaces and punctuation. Between two digits they count as one space, so 1.5 is not 15.
func Plain(text string) string {
	var b strings.Builder
	apart, afterDigit := false, false
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsPunct(r) {
			apart = true
			continue
		}
		digit := unicode.IsDigit(r)
		if apart && afterDigit && digit {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		apart, afterDigit = false, digit
	}
	return b.String()
}
