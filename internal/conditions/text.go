package conditions

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// OTTL does not export its syntax tree, so this file cuts texts into words. A condition that it does not understand may hold.

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
		value := right[0].text
		if strings.Contains(value, `\`) {
			continue // an escape, and two texts may have one value
		}
		if before, twice := demanded[path]; twice && before != value {
			return fmt.Sprintf(`%s == %s and %[1]s == %[3]s contradict each other`, path, before, value)
		}
		demanded[path] = value
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

// shapeOf returns the same text for conditions that differ only in constants at the end of a comparison, or in the expressions of IsMatch
// that are valid.
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
		case t.quoted() && (ends && isText(t) || isPattern(tokens, i)):
			tokens[i].text = `""`
		case ends && strings.Trim(t.text, "0123456789") == "" && len(t.text) <= safe:
			tokens[i].text = "0"
		}
	}
	return spelled(tokens, " ")
}

// isText reports whether OTTL reads what stands in quotes: it knows the escapes of Go.
func isText(t token) bool {
	_, err := strconv.Unquote(t.text)
	return err == nil
}

// isPattern reports whether a token is the second argument of IsMatch, and a valid regular expression.
func isPattern(tokens []token, i int) bool {
	if i < 1 || !tokens[i-1].is(",") || i+1 == len(tokens) || !tokens[i+1].is(")") {
		return false
	}
	pattern, err := strconv.Unquote(tokens[i].text)
	if err != nil {
		return false
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return false
	}
	for depth := -1; i > 1 && depth < 0; { // to where the bracket opens
		i--
		depth += tokens[i].depth()
	}
	return strings.HasSuffix(spelled(tokens[:i], ""), "IsMatch") // a name is several tokens
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
	return t.quoted() || t.is("nil") || t.is("true") || t.is("false") || '0' <= t.text[0] && t.text[0] <= '9'
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

// token is a part of a word, a number, an operator, a bracket, or a string in quotes. It begins at from.
type token struct {
	text string
	from int
}

func (t token) is(text string) bool { return t.text == text }
func (t token) quoted() bool        { return t.text[0] == '"' }
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

// lexeme matches a token, or spaces, at the beginning of a text: the rules of OTTL's lexer in their order.
var lexeme = regexp.MustCompile(`^(?:0x[a-fA-F0-9]+|(?:\d+\.\d*|\d*\.\d+)(?:[eE][-+]?\d+)?|\d+|"(?:\\.|[^\\"])*"|` +
	`\b(?:nil|not|or|and|true|false)\b|==|!=|>=|<=|=>|[A-Z][A-Z0-9_]*|[a-z][a-z0-9_]*|_|[-+*/=<>(){}:,.\[\]]|\s+)`)

// tokensOf cuts a text. It gives up on lambdas, whose bodies have an "and" and an "or" of their own.
func tokensOf(text string) (tokens []token, ok bool) {
	for from := 0; from < len(text); {
		if text[from] == ' ' {
			from++ // as the expression would, but cheaper
			continue
		}
		word := lexeme.FindString(text[from:])
		switch {
		case word == "", word == "=>":
			return nil, false
		case strings.TrimSpace(word) != "":
			tokens = append(tokens, token{word, from})
		}
		from += len(word)
	}
	return tokens, true
}
