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
		canonical = strings.Join(tokens, " ")
	}
	unsteady := func(name string) bool { return strings.Contains(text, name) }
	return canonical, !slices.ContainsFunc([]string{"Now(", "UUID(", "UUIDv7("}, unsteady)
}

// Never says why a valid condition holds on nothing: it demands two texts of one path, where "or" was probably meant. It is empty
// if the condition may hold.
func Never(condition string) (why string) {
	demanded := map[string]string{}
	for _, part := range conjunction(condition) {
		i := slices.Index(part, "==")
		if i < 1 || part[0] == "not" {
			continue
		}
		path, text := strings.Join(part[:i], ""), strings.Join(part[i+1:], "")
		if isText(path) {
			path, text = text, path
		}
		if !isText(text) || strings.Contains(path, "(") || strings.Contains(text, `\`) { // with an escape, two texts may have one value
			continue
		}
		if before, twice := demanded[path]; twice && before != text {
			return fmt.Sprintf(`%s == %s and %[1]s == %[3]s contradict each other`, path, before, text)
		}
		demanded[path] = text
	}
	return ""
}

// conjunction are the parts of a condition that must all hold. It is empty for a condition with an "or" outside of brackets.
func conjunction(condition string) [][]string {
	tokens, ok := tokensOf(condition)
	if !ok || len(split(tokens, "or")) > 1 {
		return nil
	}
	return split(tokens, "and")
}

// shapeOf returns the same text for conditions that differ only in constants at the end of a comparison, or in the expressions of IsMatch
// that are valid.
func shapeOf(condition string) string {
	tokens, ok := tokensOf(condition)
	if !ok {
		return condition
	}
	comparison := []string{"==", "!=", "<", "<=", ">", ">="}
	for i, token := range tokens {
		const safe = 18 // digits of an integer that fits 64 bits
		ends := i > 0 && slices.Contains(comparison, tokens[i-1]) &&
			(i+1 == len(tokens) || slices.Contains([]string{"and", "or", ")"}, tokens[i+1]))
		switch {
		case ends && isText(token), isPattern(tokens, i):
			tokens[i] = `""`
		case ends && strings.Trim(token, "0123456789") == "" && len(token) <= safe:
			tokens[i] = "0"
		}
	}
	return strings.Join(tokens, " ")
}

// isText reports whether a token is a text in quotes that OTTL reads: it knows the escapes of Go.
func isText(token string) bool {
	_, err := strconv.Unquote(token)
	return err == nil
}

// isPattern reports whether a token is the second argument of IsMatch, and a valid regular expression.
func isPattern(tokens []string, i int) bool {
	if i < 1 || tokens[i-1] != "," || i+1 == len(tokens) || tokens[i+1] != ")" {
		return false
	}
	pattern, err := strconv.Unquote(tokens[i])
	if err != nil {
		return false
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return false
	}
	for depth := -1; i > 1 && depth < 0; { // to where the bracket opens
		i--
		depth += depthOf(tokens[i])
	}
	return strings.HasSuffix(strings.Join(tokens[:i], ""), "IsMatch") // a name is several tokens
}

// depthOf is what a token adds to the number of open brackets.
func depthOf(token string) int {
	switch token {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// split cuts at a word that stands outside of all brackets.
func split(tokens []string, at string) (parts [][]string) {
	depth, from := 0, 0
	for i, t := range tokens {
		depth += depthOf(t)
		if depth == 0 && t == at {
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
func tokensOf(text string) (tokens []string, ok bool) {
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
			tokens = append(tokens, word)
		}
		from += len(word)
	}
	return tokens, true
}
