package conditions

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// OTTL does not export its syntax tree, so this file cuts texts into words. A condition that it does not understand requires nothing,
// and may hold.

// Canonical is the same text for conditions that differ in spaces alone. repeats is false where asking again may give another
// answer.
func Canonical(text string) (canonical string, repeats bool) {
	canonical = strings.TrimSpace(text)
	if tokens, ok := tokensOf(text); ok {
		canonical = spelled(tokens, " ")
	}
	unsteady := func(name string) bool { return strings.Contains(text, name) }
	return canonical, !slices.ContainsFunc([]string{"Now(", "UUID(", "UUIDv7("}, unsteady)
}

// Required are equalities without which a valid `when` is false: if one of them does not hold on a span, the condition is false
// there and does not fail. They are those that a conjunction begins with, because OTTL evaluates it from the left.
func Required(when string) (required []Equality) {
	for _, part := range conjunction(when) {
		left, operator, right := cut(part)
		path, known := pathOf(left)
		if !known || !isConstant(right) {
			break // it may fail
		}
		if operator == "==" && right[0].quoted() {
			required = append(required, Equality{path, right[0].value()})
		}
	}
	return required
}

// Never says why a valid condition holds on nothing: it demands two texts of one path, where "or" was probably meant. It is empty
// if the condition may hold.
func Never(condition string) (why string) {
	demanded := map[string]string{}
	for _, part := range conjunction(condition) {
		left, operator, right := cut(part)
		path := spelled(left, "")
		if operator != "==" || len(right) != 1 || !right[0].quoted() || strings.Contains(path, "(") {
			continue
		}
		before, twice := demanded[path]
		if value := right[0].value(); twice && before != value {
			return fmt.Sprintf(`%s == "%s" and %[1]s == "%[3]s" contradict each other`, path, before, value)
		}
		demanded[path] = right[0].value()
	}
	return ""
}

// conjunction are the parts of a condition that must all hold. It is empty for a condition with an "or" outside of brackets.
func conjunction(condition string) [][]token {
	tokens, ok := tokensOf(condition)
	if !ok || len(split(tokens, "or")) > 1 {
		return nil
	}
	return split(tokens, "and")
}

// cut cuts a comparison at its operator. If one of its sides is a constant, this is the right one. The operator is empty if the part
// is no comparison.
func cut(part []token) (left []token, operator string, right []token) {
	i := slices.IndexFunc(part, isComparison)
	if i < 0 || part[0].is("not") {
		return nil, "", nil
	}
	left, right = part[:i], part[i+1:]
	if isConstant(left) {
		left, right = right, left
	}
	return left, part[i].text, right
}

// comparisons are the comparisons that must all hold for a condition to hold: each as it is written, and behind it those of its sides that
// are no constants. Parts that are no comparisons are left out.
func comparisons(condition string) (list [][]string) {
	written := func(tokens []token) string { return condition[tokens[0].from:tokens[len(tokens)-1].end()] }
	for _, part := range conjunction(condition) {
		for len(part) > 2 && part[0].is("(") && closing(part) == len(part)-1 {
			part = part[1 : len(part)-1]
		}
		left, operator, right := cut(part)
		if operator != "" && len(left) > 0 && len(right) > 0 {
			texts := []string{written(part), written(left)}
			if !isConstant(right) {
				texts = append(texts, written(right))
			}
			list = append(list, texts)
		}
	}
	return list
}

// shapeOf is the same text for conditions that differ only in constants at the end of a comparison, or in the expressions of IsMatch that
// are valid. Whether the conditions are valid does not depend on these.
func shapeOf(condition string) string {
	tokens, ok := tokensOf(condition)
	if !ok {
		return condition
	}
	for i, t := range tokens {
		const safe = 18 // digits of an integer that fits 64 bits
		ends := i+1 == len(tokens) || tokens[i+1].is("and") || tokens[i+1].is("or") || tokens[i+1].is(")")
		ends = ends && i > 0 && isComparison(tokens[i-1])
		switch {
		case ends && t.quoted(), isExpression(tokens, i):
			tokens[i].text = `""`
		case ends && digit(t.text[0]) && len(t.text) <= safe:
			tokens[i].text = "0"
		}
	}
	return spelled(tokens, " ")
}

// isExpression reports whether a token is the second argument of IsMatch, and a valid regular expression.
func isExpression(tokens []token, i int) bool {
	if !tokens[i].quoted() || i+1 == len(tokens) || !tokens[i+1].is(")") || i == 0 || !tokens[i-1].is(",") {
		return false
	}
	if _, err := syntax.Parse(tokens[i].value(), syntax.Perl); err != nil {
		return false
	}
	for depth := -1; i > 1 && depth < 0; { // to where the bracket opens
		i--
		depth += tokens[i].depth()
	}
	return tokens[i-1].is("IsMatch")
}

func isComparison(t token) bool {
	switch t.text {
	case "==", "!=", "<", "<=", ">", ">=":
		return true
	}
	return false
}

// closing is where the bracket closes that tokens begin with, or -1.
func closing(tokens []token) int {
	depth := 0
	for i, t := range tokens {
		if depth += t.depth(); depth == 0 {
			return i
		}
	}
	return -1
}

func isConstant(tokens []token) bool {
	if len(tokens) != 1 {
		return false
	}
	t := tokens[0]
	return t.quoted() || t.is("nil") || t.is("true") || t.is("false") || digit(t.text[0])
}

// origins are the paths that are understood, which never fail. An attribute has a key behind it.
var origins = map[string]Origin{
	"attributes":                       SpanAttribute,
	"span.attributes":                  SpanAttribute,
	"resource.attributes":              ResourceAttribute,
	"scope.attributes":                 ScopeAttribute,
	"instrumentation_scope.attributes": ScopeAttribute,
	"name":                             SpanName,
	"span.name":                        SpanName,
	"scope.name":                       ScopeName,
	"instrumentation_scope.name":       ScopeName,
}

func pathOf(tokens []token) (p Path, ok bool) {
	n := len(tokens)
	attribute := n > 3 && tokens[n-3].is("[") && tokens[n-2].quoted() && tokens[n-1].is("]")
	if attribute {
		p.Key = tokens[n-2].value()
		tokens = tokens[:n-3]
	}
	p.Of, ok = origins[spelled(tokens, "")]
	return p, ok && attribute == (p.Of <= ScopeAttribute)
}

// spelled is the text of tokens with a separator between them.
func spelled(tokens []token, separator string) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// token is a word, a number, an operator, a bracket, or a string in quotes. It begins at from.
type token struct {
	text string
	from int
}

func (t token) is(text string) bool { return t.text == text }
func (t token) quoted() bool        { return t.text[0] == '"' }
func (t token) value() string       { return t.text[1 : len(t.text)-1] }
func (t token) end() int            { return t.from + len(t.text) }

// depth is what the token adds to the number of open brackets.
func (t token) depth() int {
	switch {
	case t.is("("), t.is("["), t.is("{"):
		return 1
	case t.is(")"), t.is("]"), t.is("}"):
		return -1
	}
	return 0
}

// split cuts at a word that stands outside of all brackets.
func split(tokens []token, at string) (parts [][]token) {
	depth, from := 0, 0
	for i, t := range tokens {
		depth += t.depth()
		if depth == 0 && t.is(at) {
			parts = append(parts, tokens[from:i])
			from = i + 1
		}
	}
	return append(parts, tokens[from:])
}

// tokensOf cuts a text as OTTL's lexer does. It gives up on what that may cut in another way, and on lambdas, whose bodies have an
// "and" and an "or" of their own.
func tokensOf(text string) (tokens []token, ok bool) {
	if !utf8.ValidString(text) {
		return nil, false
	}
	tokens = make([]token, 0, 4+len(text)/4)
	var n int
	for from := 0; from < len(text); from += n {
		rest := text[from:]
		n = 1
		switch c := rest[0]; {
		case strings.IndexByte(" \t\n\f\r", c) >= 0:
			continue
		case c == '"':
			n = strings.IndexByte(rest[1:], '"') + 2
			if n < 2 || strings.IndexByte(rest[:n], '\\') >= 0 {
				return nil, false // an escape, which may hide the end
			}
		case inWord(c):
			for n < len(rest) && inWord(rest[n]) {
				n++
			}
			if !isOneWord(rest[:n]) {
				return nil, false
			}
		case strings.HasPrefix(rest, "=>"):
			return nil, false
		case len(rest) > 1 && rest[1] == '=' && strings.IndexByte("=!<>", c) >= 0:
			n = 2
		}
		tokens = append(tokens, token{rest[:n], from})
	}
	return tokens, true
}

func digit(c byte) bool  { return '0' <= c && c <= '9' }
func inWord(c byte) bool { return digit(c) || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// isOneWord says that OTTL sees no keyword in a run of letters, digits and underscores other than the run itself. It cuts before
// capitals and after digits that begin a run, and so finds "or" in "Xor" and in "1.5e3or".
func isOneWord(run string) bool {
	if digit(run[0]) {
		return strings.Trim(run, "0123456789") == ""
	}
	if strings.ToLower(run) == run {
		return true
	}
	return !slices.ContainsFunc([]string{"and", "or", "not", "nil", "true", "false"}, func(word string) bool { return strings.HasSuffix(run, word) })
}
