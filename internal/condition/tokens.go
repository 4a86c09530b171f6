package condition

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Canonical is the same text for conditions that differ in spaces alone. repeats is false where asking again may give another
// answer.
func Canonical(when string) (condition string, repeats bool) {
	tokens, ok := tokensOf(when)
	if !ok {
		tokens = []token{{text: strings.TrimSpace(when)}}
	}
	var b strings.Builder
	for _, t := range tokens {
		fmt.Fprintf(&b, "%t%q", t.quoted, t.text)
	}
	unsteady := func(name string) bool { return strings.Contains(when, name) }
	return b.String(), !slices.ContainsFunc([]string{"Now(", "UUID(", "UUIDv7("}, unsteady)
}

// token is a word, a number, an operator, a bracket, or a string without its quotes.
type token struct {
	text   string
	quoted bool
}

func (t token) is(text string) bool { return !t.quoted && t.text == text }

func (t token) compares() bool {
	return !t.quoted && slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, t.text)
}

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

// closing is where the bracket closes that the tokens begin with.
func closing(tokens []token) int {
	depth := 0
	for i, t := range tokens {
		if depth += t.depth(); depth == 0 {
			return i
		}
	}
	return len(tokens)
}

// tokensOf cuts a text as OTTL's lexer does. It gives up on what that may cut in another way, and on lambdas, whose
// bodies have an "and" and an "or" of their own.
func tokensOf(text string) (tokens []token, ok bool) {
	if !utf8.ValidString(text) {
		return nil, false
	}
	for text != "" {
		n := 1
		switch c := text[0]; {
		case strings.IndexByte(" \t\n\f\r", c) >= 0:
			text = text[1:]
			continue
		case c == '"':
			n = strings.IndexByte(text[1:], '"') + 2
			if n < 2 || strings.IndexByte(text[:n], '\\') >= 0 {
				return nil, false // an escape, which may hide the end
			}
			tokens = append(tokens, token{text[1 : n-1], true})
			text = text[n:]
			continue
		case inWord(c):
			for n < len(text) && inWord(text[n]) {
				n++
			}
			if !whole(text[:n]) {
				return nil, false
			}
		case len(text) > 1 && slices.Contains([]string{"==", "!=", ">=", "<=", "=>"}, text[:2]):
			if n = 2; text[:n] == "=>" {
				return nil, false
			}
		}
		tokens = append(tokens, token{text[:n], false})
		text = text[n:]
	}
	return tokens, true
}

func digit(c byte) bool  { return '0' <= c && c <= '9' }
func inWord(c byte) bool { return digit(c) || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// whole says that OTTL sees no keyword in a run of letters, digits and underscores other than the run itself. It cuts
// before capitals and after digits that begin a run, and so finds "or" in "Xor" and in "1.5e3or".
func whole(run string) bool {
	if digit(run[0]) {
		return strings.Trim(run, "0123456789") == ""
	}
	if strings.ToLower(run) == run {
		return true
	}
	for _, keyword := range []string{"and", "or", "not", "nil", "true", "false"} {
		if strings.HasSuffix(run, keyword) {
			return false
		}
	}
	return true
}
