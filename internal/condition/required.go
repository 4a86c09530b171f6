package condition

import (
	"slices"
	"strings"
)

// Required are equalities without which a valid OTTL condition is false. If one of them does not hold on a span, the
// condition is false there and does not fail. OTTL does not export its syntax tree, so this file parses the text: expression
// = conjunction {"or" conjunction}, conjunction = value {"and" value}. A part that is not understood requires nothing.
func Required(when string) []Equality {
	tokens, ok := tokensOf(when)
	if !ok {
		return nil
	}
	found := expression(tokens).required
	for i := range found {
		slices.Sort(found[i].Values)
		found[i].Values = slices.Compact(found[i].Values)
	}
	return found
}

// A clause says which equalities a part of a condition requires, and whether the part can fail.
type clause struct {
	// required has equalities. If one of them does not hold, the part is false and does not fail.
	required []Equality
	// safe says that the part cannot fail.
	safe bool
}

// expression reads parts joined by "or". It requires an equality if all parts require one of the same path, and allows the
// values of each part.
func expression(tokens []token) clause {
	parts := split(tokens, "or")
	c := conjunction(parts[0])
	for _, part := range parts[1:] {
		other := conjunction(part)
		var both []Equality
		for _, one := range c.required {
			same := func(e Equality) bool { return e.Path == one.Path }
			if i := slices.IndexFunc(other.required, same); i >= 0 {
				both = append(both, Equality{Path: one.Path, Values: append(one.Values, other.required[i].Values...)})
			}
		}
		c = clause{both, c.safe && other.safe}
	}
	return c
}

// conjunction reads parts joined by "and". OTTL evaluates them from the left and ends at the first that is false or fails.
// So an equality counts if nothing before it can fail.
func conjunction(tokens []token) clause {
	c := clause{safe: true}
	for _, part := range split(tokens, "and") {
		other := boolean(part)
		if c.safe {
			c.required = append(c.required, other.required...)
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
		c.required = []Equality{{Path: left.path, Values: []string{right.text}}}
	}
	return c
}

// operand is a side of a comparison. None but an unknown one can fail.
type operand struct {
	kind operandKind
	path Path   // of aPath
	text string // of aString
}

type operandKind uint8

const (
	unknown operandKind = iota
	aPath
	aString
	aConstant
)

// paths are the paths that are understood. The quote marks a key.
var paths = map[string]Origin{
	`attributes["]`:                       SpanAttribute,
	`span.attributes["]`:                  SpanAttribute,
	`resource.attributes["]`:              ResourceAttribute,
	`scope.attributes["]`:                 ScopeAttribute,
	`instrumentation_scope.attributes["]`: ScopeAttribute,
	`name`:                                SpanName,
	`span.name`:                           SpanName,
	`scope.name`:                          ScopeName,
	`instrumentation_scope.name`:          ScopeName,
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
	path := Path{}
	for _, t := range tokens {
		if t.quoted {
			path.Key = t.text
			shape.WriteByte('"')
		} else {
			shape.WriteString(t.text)
		}
	}
	origin, ok := paths[shape.String()]
	if !ok {
		return operand{}
	}
	path.Of = origin
	return operand{kind: aPath, path: path}
}
