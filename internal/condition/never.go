package condition

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Never says why a valid OTTL condition holds on nothing: it is false, or it demands of one path what no value has. It is
// empty if the condition may hold, or is not understood. The text is read as by [Required].
func Never(condition string) string {
	tokens, ok := tokensOf(condition)
	if !ok {
		return ""
	}
	return neverAny(tokens)
}

// neverAny reads parts joined by "or". All of them must be impossible.
func neverAny(tokens []token) (why string) {
	for _, part := range split(tokens, "or") {
		demands, reason := demandsOf(part)
		if reason == "" {
			reason = contradiction(demands)
		}
		if reason == "" {
			return ""
		}
		why = cmp.Or(why, reason)
	}
	return why
}

// A demand is a comparison of a path with a constant, the path on the left.
type demand struct {
	path, operator string
	constant       constant
}

func (d demand) String() string { return d.path + " " + d.operator + " " + d.constant.text }

// A constant is a value that a condition states.
type constant struct {
	kind   constantKind
	number float64 // of aNumber, and the nanoseconds of aDuration
	word   string  // of aText, aBool and aNil
	text   string  // as it is written
}

type constantKind uint8

const (
	aNumber constantKind = iota + 1
	aDuration
	aText
	aBool
	aNil
)

// demandsOf are the demands that all must hold, if parts joined by "and" hold. why is not empty if one part alone is false.
func demandsOf(tokens []token) (demands []demand, why string) {
	for _, part := range split(tokens, "and") {
		more, why := demandOf(part)
		if why != "" {
			return nil, why
		}
		demands = append(demands, more...)
	}
	return demands, ""
}

// demandOf reads a comparison, a constant, or an expression in parentheses.
func demandOf(tokens []token) (demands []demand, why string) {
	if len(tokens) == 0 {
		return nil, ""
	}
	last := len(tokens) - 1
	switch {
	case last == 0 && tokens[0].is("false"), last == 1 && tokens[0].is("not") && tokens[1].is("true"):
		return nil, "it is false"
	case tokens[0].is("("):
		if closing(tokens) != last {
			return nil, ""
		}
		inside := tokens[1:last]
		if len(split(inside, "or")) == 1 {
			return demandsOf(inside)
		}
		return nil, neverAny(inside)
	}
	i := slices.IndexFunc(tokens, token.compares)
	if i < 0 || tokens[0].is("not") {
		return nil, ""
	}
	left, right, operator := tokens[:i], tokens[i+1:], tokens[i].text
	value, ok := constantOf(right)
	if !ok {
		left, right, operator = right, left, mirrored(operator)
		if value, ok = constantOf(right); !ok {
			return nil, ""
		}
	}
	if other, both := constantOf(left); both {
		one, two := demand{other.text, "==", other}, demand{other.text, operator, value}
		if one.excludes(two) {
			return nil, two.String() + " is false"
		}
		return nil, ""
	}
	path, ok := pathOf(left)
	ordered := operator != "==" && operator != "!="
	if !ok || ordered && (value.kind == aBool || value.kind == aNil) {
		return nil, ""
	}
	return []demand{{path, operator, value}}, ""
}

// mirrored is the operator with its sides exchanged.
func mirrored(operator string) string {
	return strings.NewReplacer("<", ">", ">", "<").Replace(operator)
}

// contradiction finds two demands that no value meets both.
func contradiction(demands []demand) string {
	for i, one := range demands {
		for _, two := range demands[:i] {
			if one.path == two.path && two.excludes(one) {
				return fmt.Sprintf("%v and %v contradict each other", two, one)
			}
		}
	}
	return ""
}

// excludes reports whether no value meets both demands, which are of one path.
func (d demand) excludes(o demand) bool {
	if d.operator == "!=" {
		d, o = o, d
	}
	if o.operator == "!=" {
		return d.operator == "==" && d.constant.kind == o.constant.kind && d.constant.compare(o.constant) == 0
	}
	if d.constant.kind != o.constant.kind {
		return true // to OTTL, values of different kinds are neither equal nor in an order
	}
	return d.above(o) || o.above(d)
}

// above reports whether all that meets d is greater than all that meets o.
func (d demand) above(o demand) bool {
	if strings.HasPrefix(d.operator, "<") || strings.HasPrefix(o.operator, ">") {
		return false
	}
	order := d.constant.compare(o.constant)
	return order > 0 || order == 0 && (d.operator == ">" || o.operator == "<")
}

// compare orders constants of one kind.
func (c constant) compare(o constant) int {
	return cmp.Or(cmp.Compare(c.number, o.number), strings.Compare(c.word, o.word))
}

// constantOf reads a text, a number, true, false, nil, or a call of Duration with a text.
func constantOf(tokens []token) (c constant, ok bool) {
	c.text = joined(tokens)
	switch {
	case len(tokens) == 1 && tokens[0].quoted:
		c.kind, c.word = aText, tokens[0].text
		return c, true
	case len(tokens) == 1 && (tokens[0].is("true") || tokens[0].is("false")):
		c.kind, c.word = aBool, tokens[0].text
		return c, true
	case len(tokens) == 1 && tokens[0].is("nil"):
		c.kind = aNil
		return c, true
	case len(tokens) == 4 && tokens[0].is("Duration") && tokens[1].is("(") && tokens[2].quoted && tokens[3].is(")"):
		length, err := time.ParseDuration(tokens[2].text)
		c.kind, c.number = aDuration, float64(length)
		return c, err == nil && c.isExact()
	}
	for i, t := range tokens {
		if t.quoted || !t.is(".") && strings.Trim(t.text, "0123456789") != "" && !(i == 0 && t.is("-")) {
			return c, false
		}
	}
	number, err := strconv.ParseFloat(c.text, 64)
	c.kind, c.number = aNumber, number
	return c, err == nil && c.isExact()
}

// isExact reports whether different constants have different numbers. OTTL compares whole numbers with fractions as floats.
func (c constant) isExact() bool { return math.Abs(c.number) < 1<<53 }

// pathOf reads a path: names, and keys in brackets.
func pathOf(tokens []token) (path string, ok bool) {
	if len(tokens) == 0 || tokens[0].quoted || tokens[0].text[0] < 'a' || tokens[0].text[0] > 'z' {
		return "", false
	}
	for i, t := range tokens {
		inBrackets := i > 0 && i+1 < len(tokens) && tokens[i-1].is("[") && tokens[i+1].is("]")
		switch {
		case inBrackets && (t.quoted || strings.Trim(t.text, "0123456789") == ""):
		case t.quoted, inBrackets:
			return "", false
		case !t.is(".") && !t.is("[") && !t.is("]") && !inWord(t.text[0]):
			return "", false
		}
	}
	return joined(tokens), true
}

func joined(tokens []token) string {
	var b strings.Builder
	for _, t := range tokens {
		if t.quoted {
			b.WriteString(`"` + t.text + `"`)
		} else {
			b.WriteString(t.text)
		}
	}
	return b.String()
}
