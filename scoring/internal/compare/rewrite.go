package compare

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// Changes say how [Rewrite] changes a value.
type Changes struct {
	// Ignore are patterns of the paths of keys that are left out.
	Ignore []string
	// Defaults has values for missing keys.
	Defaults jsonvalue.Value
	// Matchers replace the values that they accept. A value that is not accepted becomes one that differs from Expected in its kind, or
	// stays as it is if KeepRejected is true.
	Matchers     []Matcher
	KeepRejected bool
}

// Rewrite writes a value with changes:
//
//	ignore     meta.*
//	defaults   {"limit": 10}
//	matchers   query: one of x, y; expected is x
//	value      {"query": "y", "meta": {"id": 7}}
//	written    {"query": "x", "meta": {}, "limit": 10}
//
// A pattern is matched with the path of a key, such as meta.id or lines[0].sku. Numbers and strings are kept byte by byte. work is
// what comparing paths with patterns may take. If it is spent, what is written lacks keys.
func Rewrite(v jsonvalue.Value, changes *Changes, work *names.Budget) string {
	w := writer{Changes: changes, work: work}
	w.value(v, changes.Defaults)
	return string(w.text)
}

type writer struct {
	*Changes

	work       *names.Budget
	path, text []byte
}

func (t *writer) value(v, defaults jsonvalue.Value) {
	switch v.Kind() {
	case jsonvalue.Object:
		t.object(v, defaults)
	case jsonvalue.Array:
		t.text = append(t.text, '[')
		i := 0
		for element := range v.Elements() {
			if i > 0 {
				t.text = append(t.text, ',')
			}
			n := len(t.path)
			t.path = fmt.Appendf(t.path, "[%d]", i)
			t.value(element, jsonvalue.Value{})
			t.path = t.path[:n]
			i++
		}
		t.text = append(t.text, ']')
	case jsonvalue.String:
		t.quote(v.Text())
	case jsonvalue.Number:
		t.text = append(t.text, v.Lexeme()...)
	case jsonvalue.Bool:
		t.text = fmt.Append(t.text, v.Bool())
	default:
		t.text = append(t.text, "null"...)
	}
}

func (t *writer) object(v, defaults jsonvalue.Value) {
	t.text = append(t.text, '{')
	for name, member := range v.Members() {
		d, _ := defaults.Member(name)
		t.member(name, member, d)
	}
	for name, member := range defaults.Members() {
		if _, has := v.Member(name); !has {
			t.member(name, member, jsonvalue.Value{})
		}
	}
	t.text = append(t.text, '}')
}

// member writes a key and its value, unless the key is ignored.
func (t *writer) member(name string, v, defaults jsonvalue.Value) {
	n := len(t.path)
	if n > 0 {
		t.path = append(t.path, '.')
	}
	t.path = append(t.path, name...)
	if len(t.Ignore) == 0 || !t.ignores() {
		if t.text[len(t.text)-1] != '{' {
			t.text = append(t.text, ',')
		}
		t.quote(name)
		t.text = append(t.text, ':')
		t.value(t.matched(v), defaults)
	}
	t.path = t.path[:n]
}

// matched returns the value at the path as the matcher of the path leaves it.
func (t *writer) matched(v jsonvalue.Value) jsonvalue.Value {
	if len(t.Matchers) == 0 {
		return v
	}
	t.work.Spend(len(t.Matchers) + len(t.path))
	for i := range t.Matchers {
		m := &t.Matchers[i]
		switch {
		case m.Path != string(t.path):
			continue
		case m.Accepts(v):
			return m.Expected
		case t.KeepRejected:
			return v
		case m.Expected.Kind() == jsonvalue.Null:
			return jsonvalue.StringValue("")
		}
		return jsonvalue.Value{}
	}
	return v
}

// ignores reports whether a pattern matches the path.
func (t *writer) ignores() bool {
	if !t.work.Spend(len(t.path)) {
		return true
	}
	path := string(t.path)
	return slices.ContainsFunc(t.Ignore, func(pattern string) bool { return t.work.Match(pattern, path) }) || t.work.Spent()
}

// quote writes a string so that the decoder reads the same bytes, even invalid UTF-8.
func (t *writer) quote(s string) {
	t.text = append(t.text, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			t.text = append(t.text, '\\', c)
		case c < ' ':
			t.text = fmt.Appendf(t.text, `\u%04x`, c)
		default:
			t.text = append(t.text, c)
		}
	}
	t.text = append(t.text, '"')
}

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
