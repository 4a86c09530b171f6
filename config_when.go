package toolcorrectnessprocessor

import (
	"slices"
	"strings"
	"unicode/utf8"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// needs are the equalities that a valid OTTL condition surely asks for before anything that can fail. OTTL does not
// tell what it has parsed, so the text is read here, after its grammar: expression = conjunction {"or" conjunction},
// conjunction = value {"and" value}. Whatever is not understood needs nothing.
func needs(when string) []toolcorrectness.Equality {
	tokens, ok := tokensOf(when)
	if !ok {
		return nil
	}
	found := expression(tokens).needs
	for i := range found {
		slices.Sort(found[i].Values)
		found[i].Values = slices.Compact(found[i].Values)
	}
	return found
}

// clause is what is known of a part of a condition.
type clause struct {
	// needs: where one of them does not hold, the part is false and does not fail.
	needs []toolcorrectness.Equality
	// safe says that the part cannot fail.
	safe bool
}

// expression reads parts joined by "or". It needs what all of them need; of an equality, either value.
func expression(tokens []token) clause {
	parts := split(tokens, "or")
	c := conjunction(parts[0])
	for _, part := range parts[1:] {
		other := conjunction(part)
		var both []toolcorrectness.Equality
		for _, need := range c.needs {
			same := func(e toolcorrectness.Equality) bool { return e.Path == need.Path }
			if i := slices.IndexFunc(other.needs, same); i >= 0 {
				both = append(both, toolcorrectness.Equality{Path: need.Path, Values: append(need.Values, other.needs[i].Values...)})
			}
		}
		c = clause{both, c.safe && other.safe}
	}
	return c
}

// conjunction reads parts joined by "and". OTTL asks them from the left and ends at the first that is false or fails, so
// a need counts if nothing before it can fail.
func conjunction(tokens []token) clause {
	c := clause{safe: true}
	for _, part := range split(tokens, "and") {
		other := boolean(part)
		if c.safe {
			c.needs = append(c.needs, other.needs...)
		}
		c.safe = c.safe && other.safe
	}
	return c
}

// boolean reads a comparison, a constant, or an expression in parentheses; each may have a "not" before it.
func boolean(tokens []token) clause {
	if len(tokens) == 0 {
		return clause{}
	}
	last := len(tokens) - 1
	switch {
	case tokens[0].is("not"):
		return clause{safe: boolean(tokens[1:]).safe}
	case last == 0:
		return clause{safe: tokens[0].is("true") || tokens[0].is("false")}
	case tokens[0].is("(") && closing(tokens) == last:
		return expression(tokens[1:last])
	}
	i := slices.IndexFunc(tokens, token.compares)
	if i < 0 {
		return clause{}
	}
	left, right := operandOf(tokens[:i]), operandOf(tokens[i+1:])
	if right.kind == aPath {
		left, right = right, left
	}
	c := clause{safe: left.kind != unknown && right.kind != unknown}
	if tokens[i].is("==") && left.kind == aPath && right.kind == aString {
		c.needs = []toolcorrectness.Equality{{Path: left.path, Values: []string{right.text}}}
	}
	return c
}

// operand is a side of a comparison. None but an unknown one can fail.
type operand struct {
	kind operandKind
	path toolcorrectness.Path // of aPath
	text string               // of aString
}

type operandKind uint8

const (
	unknown operandKind = iota
	aPath
	aString
	aConstant
)

// paths are the paths that are understood. The quote stands for a key.
var paths = map[string]toolcorrectness.Place{
	`attributes["]`:                       toolcorrectness.SpanAttribute,
	`span.attributes["]`:                  toolcorrectness.SpanAttribute,
	`resource.attributes["]`:              toolcorrectness.ResourceAttribute,
	`scope.attributes["]`:                 toolcorrectness.ScopeAttribute,
	`instrumentation_scope.attributes["]`: toolcorrectness.ScopeAttribute,
	`name`:                                toolcorrectness.SpanName,
	`span.name`:                           toolcorrectness.SpanName,
	`scope.name`:                          toolcorrectness.ScopeName,
	`instrumentation_scope.name`:          toolcorrectness.ScopeName,
}

func operandOf(tokens []token) operand {
	if len(tokens) == 1 {
		switch t := tokens[0]; {
		case t.quoted:
			return operand{kind: aString, text: t.text}
		case t.is("nil"), t.is("true"), t.is("false"), digit(t.text[0]):
			return operand{kind: aConstant}
		}
	}
	var shape strings.Builder
	path := toolcorrectness.Path{}
	for _, t := range tokens {
		if t.quoted {
			path.Key = t.text
			shape.WriteByte('"')
		} else {
			shape.WriteString(t.text)
		}
	}
	place, ok := paths[shape.String()]
	if !ok {
		return operand{}
	}
	path.Of = place
	return operand{kind: aPath, path: path}
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
