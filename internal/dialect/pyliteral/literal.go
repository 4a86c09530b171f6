package pyliteral

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Payload reads a text that may be a Python literal, as repr() writes one. JSON stays JSON; a text that is neither is [scoring.Text].
//
// Only dicts, lists and sets are recognised. A number or a word alone may as well be text, and a tuple alone is more likely
// a remark in parentheses.
func Payload(text string) scoring.Payload {
	start := strings.TrimLeft(text, " \t\r\n")
	if start == "" || start[0] != '{' && start[0] != '[' || json.Valid([]byte(text)) {
		return scoring.JSON(text)
	}
	p := parser{text: text, out: make([]byte, 0, len(text)), most: len(text)}
	if !utf8.ValidString(text) || !p.value(0) || p.peek() != 0 || p.text != "" {
		return scoring.Text(text)
	}
	return scoring.JSON(string(p.out))
}

// A parser is one walk over a literal. Its methods report false if the text is not certainly one.
type parser struct {
	text string // what is left
	out  []byte // the same as JSON
	repr bool   // objects may be shown: see [Repr]
	most int    // how many values may follow
}

// peek is the next byte behind white space, or 0 at the end. A 0 in the text is no Python either.
// Inside brackets line ends are no more than white space.
func (p *parser) peek() byte {
	p.text = strings.TrimLeft(p.text, " \t\r\n\f")
	if p.text == "" {
		return 0
	}
	return p.text[0]
}

// take skips c if it comes next.
func (p *parser) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

func (p *parser) value(depth int) bool {
	p.most--
	switch c := p.peek(); {
	case p.most < 0:
		return false
	case depth == attributes.MaxDepth && (c == '{' || c == '[' || c == '('):
		return false
	case p.take('{'):
		return p.braces(depth + 1)
	case p.take('['):
		return p.list(']', depth+1)
	case p.take('('):
		return p.tuple(depth + 1)
	case p.repr && p.takesName():
		return true
	case c == '-', isDigit(c):
		return p.number()
	case p.repr && c == '<':
		return p.shown()
	case p.repr && isName(c) && p.constructs():
		return depth < attributes.MaxDepth && p.constructor(depth+1)
	}
	return p.word()
}

// list reads from behind the opening bracket. Python writes no comma behind the last element, and a text that has one is more likely
// JSON gone wrong.
func (p *parser) list(closing byte, depth int) bool {
	p.out = append(p.out, '[')
	if p.take(closing) {
		p.out = append(p.out, ']')
		return true
	}
	return p.value(depth) && p.behindFirst(closing, depth)
}

// behindFirst reads what follows the first element.
func (p *parser) behindFirst(closing byte, depth int) bool {
	for !p.take(closing) {
		if !p.take(',') {
			return false
		}
		p.out = append(p.out, ',')
		if !p.value(depth) {
			return false
		}
	}
	p.out = append(p.out, ']')
	return true
}

// number reads an int or a float, which repr writes as JSON has them.
func (p *parser) number() bool {
	token := p.text[:leading(p.text, isNumber)]
	if !json.Valid([]byte(token)) {
		return false
	}
	p.out, p.text = append(p.out, token...), p.text[len(token):]
	return true
}

// tuple reads a tuple. (1) is a number in parentheses, (1,) a tuple.
func (p *parser) tuple(depth int) bool {
	p.out = append(p.out, '[')
	if p.take(')') {
		p.out = append(p.out, ']')
		return true
	}
	if !p.value(depth) || !p.take(',') {
		return false
	}
	if p.take(')') {
		p.out = append(p.out, ']')
		return true
	}
	p.out = append(p.out, ',')
	return p.value(depth) && p.behindFirst(')', depth)
}

// braces reads a dict, or a set if no colon follows the first element.
func (p *parser) braces(depth int) bool {
	if p.take('}') {
		p.out = append(p.out, "{}"...)
		return true
	}
	at := len(p.out)
	p.out = append(p.out, '{')
	for first := true; ; first = false {
		switch isKey, ok := p.key(depth); {
		case !ok || !isKey && !first:
			return false
		case !isKey:
			p.out[at] = '['
			return p.behindFirst('}', depth)
		}
		if !p.value(depth) {
			return false
		}
		if p.take('}') {
			p.out = append(p.out, '}')
			return true
		}
		if !p.take(',') {
			return false
		}
		p.out = append(p.out, ',')
	}
}

// key reads a value, and reports whether it is a key because a colon follows. A number or a constant becomes a string, as Python's own
// json.dumps makes it. What JSON cannot have for a key becomes its text if objects may be shown, and is no literal otherwise.
func (p *parser) key(depth int) (isKey, ok bool) {
	p.peek()
	from, at := p.text, len(p.out)
	if !p.value(depth) {
		return false, false
	}
	if p.peek() != ':' {
		return false, true
	}
	switch c := p.out[at]; {
	case c == '"':
	case c == '[' || c == '{':
		if !p.repr {
			return false, false
		}
		p.asText(from, at)
	default:
		if !p.repr && (c == '-' || isDigit(c)) && bytes.ContainsAny(p.out[at:], ".eE") {
			return false, false
		}
		p.out = strconv.AppendQuote(p.out[:at], string(p.out[at:]))
	}
	p.take(':')
	p.out = append(p.out, ':')
	return true, true
}

// word reads a constant, or a string, which may be one of bytes.
func (p *parser) word() bool {
	p.peek()
	word := p.text[:leading(p.text, isLetter)]
	p.text = p.text[len(word):]
	switch word {
	case "True":
		p.out = append(p.out, "true"...)
	case "False":
		p.out = append(p.out, "false"...)
	case "None":
		p.out = append(p.out, "null"...)
	default:
		return (word == "" || word == "b") && p.string(word == "b")
	}
	return true
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isNumber(c byte) bool { return isDigit(c) || isLetter(c) || c == '.' || c == '-' || c == '+' }

// leading is how many bytes at the start of text are such.
func leading(text string, such func(byte) bool) int {
	for i := range len(text) {
		if !such(text[i]) {
			return i
		}
	}
	return len(text)
}

// string reads a string from its quotes on. Python joins strings that follow each other; here the caller expects a comma
// instead and reports false. The same happens for three quotes, which begin with an empty string.
func (p *parser) string(bytes bool) bool {
	if p.text == "" || p.text[0] != '\'' && p.text[0] != '"' {
		return false
	}
	s := quoted{quote: p.text[0], bytes: bytes, repr: p.repr, text: p.text[1:]}
	if !s.read() || !utf8.Valid(s.out) && !p.repr {
		return false
	}
	p.text = s.text
	p.out = attributes.AppendString(p.out, string(s.out))
	return true
}
