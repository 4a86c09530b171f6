package dialect

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// pythonLiteral reads a text that may be a Python literal. Agents written in Python often put arguments on a span as str() or repr() shows them:
//
//	{'city': 'Oslo', 'days': 3, 'exact': None}   becomes   {"city":"Oslo","days":3,"exact":null}
//
// Numbers keep their value exactly. Sets and tuples become arrays. Bytes become text if they are UTF-8. Only dicts, lists and sets are
// recognised: a number or a word alone may as well be text, and a tuple alone is more likely a remark in parentheses.
// Sources: https://docs.python.org/3/reference/lexical_analysis.html, and ast.literal_eval in Python's standard library.
//
// Laws:
//   - JSON is returned as it was written;
//   - any other result is JSON that scoring can decode, or the whole text as [scoring.Text];
//   - what repr() does not write stays text, such as 0x1f, and so does what nests too deep or JSON cannot express, such as a tuple as a key.
func pythonLiteral(text string) scoring.Payload {
	start := skipSpace(text)
	if start == "" || start[0] != '{' && start[0] != '[' || json.Valid([]byte(text)) {
		return scoring.JSON(text)
	}
	p := pythonParser{text: text, out: make([]byte, 0, len(text)), most: len(text)}
	if !p.whole() {
		return scoring.Text(text)
	}
	return scoring.JSON(string(p.out))
}

// pythonRepr reads what repr() shows of an object, such as a dataclass. It becomes a JSON object with the class under the empty key, and its fields:
//
//	ToolCall(name='search', arguments={'q': 1})   becomes   {"":"ToolCall","name":"search","arguments":{"q":1}}
//
// The second result is false if the text is not certainly such an object, or has more than most values. Text inside the strings of an object is
// never read as an object.
//
// Any value may be inside of the object, so more than literals are read. They become their texts: what stands in angle brackets, such as a
// member of an enumeration; an object with arguments that have no names, such as datetime.date(2026, 11, 2); a name alone, such as nan or
// datetime.timezone.utc; and any key. A byte that is not UTF-8 and half of a surrogate pair become U+FFFD.
func pythonRepr(text string, most int) (scoring.Value, bool) {
	p := pythonParser{text: text, out: make([]byte, 0, len(text)), repr: true, most: most}
	if !p.whole() {
		return scoring.Value{}, false
	}
	v, err := scoring.Decode(string(p.out))
	return v, err == nil && v.Kind() == scoring.Object
}

// pythonJSON makes texts of the numbers that Python's json module writes and JSON lacks: NaN, Infinity and -Infinity. It is false if the text has
// none.
func pythonJSON(text string) (string, bool) {
	if !strings.Contains(text, "NaN") && !strings.Contains(text, "Infinity") {
		return "", false
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		outside, _, _ := strings.Cut(rest, `"`)
		b.WriteString(pythonNumbers.Replace(outside))
		end := min(endOfString(rest, len(outside))+1, len(rest)) // of the string
		b.WriteString(rest[len(outside):end])
		rest = rest[end:]
	}
	if b.Len() == len(text) {
		return "", false
	}
	return b.String(), true
}

var pythonNumbers = strings.NewReplacer("NaN", `"NaN"`, "-Infinity", `"-Infinity"`, "Infinity", `"Infinity"`)

// A pythonParser is one walk over a literal. Its methods report false if the text is not certainly one.
type pythonParser struct {
	text string // what is left
	out  []byte // the same as JSON
	repr bool   // objects may be shown: see [pythonRepr]
	most int    // how many values may follow
}

// whole reads the text as one value.
func (p *pythonParser) whole() bool {
	return utf8.ValidString(p.text) && p.value(0) && p.peek() == 0 && p.text == ""
}

// peek is the next byte behind white space, or 0 at the end. A 0 in the text is no Python either.
func (p *pythonParser) peek() byte {
	p.text = strings.TrimLeft(p.text, " \t\r\n\f")
	if p.text == "" {
		return 0
	}
	return p.text[0]
}

// take skips c if it comes next.
func (p *pythonParser) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

func (p *pythonParser) value(depth int) bool {
	p.most--
	switch c := p.peek(); {
	case p.most < 0, depth == attributes.MaxDepth && (c == '{' || c == '[' || c == '('):
		return false
	case p.take('{'):
		return p.braces(depth + 1)
	case p.take('['):
		return p.list(']', depth+1)
	case p.take('('):
		return p.list(')', depth+1)
	case c == '-', isDigit(rune(c)):
		return p.number()
	case p.repr && c == '<':
		return p.shown()
	}
	return p.word(depth)
}

// list reads a list or a tuple from behind the opening bracket. Python writes no comma behind the last element, except behind the only one of
// a tuple, and a text that has one is more likely JSON gone wrong. (1) is a number in parentheses.
func (p *pythonParser) list(closing byte, depth int) bool {
	p.out = append(p.out, '[')
	for n := 0; !p.take(closing); n++ {
		if n > 0 {
			if !p.take(',') {
				return false
			}
			if n == 1 && closing == ')' && p.take(closing) {
				break
			}
			p.out = append(p.out, ',')
		}
		if !p.value(depth) || n == 0 && closing == ')' && p.peek() != ',' {
			return false
		}
	}
	p.out = append(p.out, ']')
	return true
}

// braces reads a dict, or a set if no colon follows its elements.
func (p *pythonParser) braces(depth int) bool {
	start := len(p.out)
	p.out = append(p.out, '{')
	isSet := false
	for n := 0; !p.take('}'); n++ {
		if n > 0 {
			if !p.take(',') {
				return false
			}
			p.out = append(p.out, ',')
		}
		isKey, ok := p.key(depth)
		if !ok || n > 0 && isKey == isSet || isKey && !p.value(depth) {
			return false
		}
		isSet = !isKey
	}
	closing := byte('}')
	if isSet {
		p.out[start], closing = '[', ']'
	}
	p.out = append(p.out, closing)
	return true
}

// key reads a value, and reports whether it is a key because a colon follows. A number or a constant becomes a string, as Python's own
// json.dumps makes it. What JSON cannot have for a key becomes its text if objects may be shown, and is no literal otherwise.
func (p *pythonParser) key(depth int) (isKey, ok bool) {
	p.peek()
	from, start := p.text, len(p.out)
	if !p.value(depth) {
		return false, false
	}
	if p.peek() != ':' {
		return false, true
	}
	switch c := p.out[start]; {
	case c == '"':
	case c == '[' || c == '{':
		if !p.repr {
			return false, false
		}
		p.asText(from, start)
	default:
		if !p.repr && (c == '-' || isDigit(rune(c))) && bytes.ContainsAny(p.out[start:], ".eE") {
			return false, false
		}
		p.out = strconv.AppendQuote(p.out[:start], string(p.out[start:]))
	}
	p.take(':')
	p.out = append(p.out, ':')
	return true, true
}

// asText replaces what was written from a place on by its text, which was from.
func (p *pythonParser) asText(from string, start int) {
	p.out = attributes.AppendString(p.out[:start], strings.TrimSpace(from[:len(from)-len(p.text)]))
}

// number reads an int or a float, which repr writes as JSON has them, or -inf.
func (p *pythonParser) number() bool {
	rest := strings.TrimLeftFunc(p.text, inNumber)
	token := p.text[:len(p.text)-len(rest)]
	switch {
	case json.Valid([]byte(token)):
		p.out = append(p.out, token...)
	case p.repr && token == "-inf":
		p.out = attributes.AppendString(p.out, token)
	default:
		return false
	}
	p.text = rest
	return true
}

// pythonConstants are Python's words for JSON's.
var pythonConstants = map[string]string{"True": "true", "False": "false", "None": "null"}

// word reads a constant or a string, which may be one of bytes. If objects may be shown, it also reads one that begins with its class, or a name
// alone, such as datetime.timezone.utc.
func (p *pythonParser) word(depth int) bool {
	name, behind := p.next()
	constant, isShown := pythonConstants[name], p.repr && name != "" && name[0] != '.'
	switch {
	case isShown && behind == '(':
		return depth < attributes.MaxDepth && p.constructor(depth+1)
	case constant != "":
		p.out = append(p.out, constant...)
	case name == "", behind == '\'', behind == '"':
		p.text = p.text[len(name):]
		return (name == "" || name == "b") && p.string(name == "b")
	case isShown:
		p.out = attributes.AppendString(p.out, name)
	default:
		return false
	}
	p.text = p.text[len(name):]
	return true
}

// string reads a string from its quotes on. Bytes become text, because JSON has nothing else for them. Python joins strings that follow each
// other; here the caller expects a comma instead and reports false. The same happens for three quotes, which begin with an empty string.
func (p *pythonParser) string(isBytes bool) bool {
	if p.text == "" || p.text[0] != '\'' && p.text[0] != '"' {
		return false
	}
	quote, text := p.text[0], p.text[1:]
	var s []byte
	for text != "" {
		c := text[0]
		text = text[1:]
		switch {
		case c == quote:
			p.text, p.out = text, attributes.AppendString(p.out, string(s))
			return p.repr || utf8.Valid(s)
		case c == '\n', c == '\r', c == 0, isBytes && c >= utf8.RuneSelf:
			return false // not inside one pair of quotes
		case c != '\\':
			s = append(s, c)
		default:
			var n int
			if s, n = p.appendEscape(s, text, isBytes); n == 0 {
				return false
			}
			text = text[n:]
		}
	}
	return false
}

// appendEscape reads what follows a backslash, and returns its length, or 0 if it is no escape that repr writes: others have changed their
// meaning over Python's versions, or need Unicode's table of names. Half of a surrogate pair is no character, but Python shows one.
func (p *pythonParser) appendEscape(s []byte, text string, isBytes bool) ([]byte, int) {
	if text == "" {
		return s, 0
	}
	if i := strings.IndexByte(`\'"nrt`, text[0]); i >= 0 {
		return append(s, "\\'\"\n\r\t"[i]), 1
	}
	n := 1 + map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[0]]
	if n == 1 || n > len(text) || isBytes && text[0] != 'x' {
		return s, 0
	}
	code, err := strconv.ParseUint(text[1:n], 16, 32)
	switch {
	case err != nil, code > utf8.MaxRune, !p.repr && !utf8.ValidRune(rune(code)):
		return s, 0
	case isBytes:
		return append(s, byte(code)), n
	}
	return utf8.AppendRune(s, rune(code)), n
}

// next is the name that comes next, and the byte behind it.
func (p *pythonParser) next() (name string, behind byte) {
	p.peek()
	rest := strings.TrimLeftFunc(p.text, inName)
	if rest != "" {
		behind = rest[0]
	}
	return p.text[:len(p.text)-len(rest)], behind
}

// constructor reads a class and its fields. If one of them has no name, the object becomes its text.
func (p *pythonParser) constructor(depth int) bool {
	from, start, opaque := p.text, len(p.out), false
	p.out = append(p.out, `{"":`...)
	p.skipName()
	for n := 0; !p.take(')'); n++ {
		if n > 0 && !p.take(',') {
			return false
		}
		p.out = append(p.out, ',')
		if name, behind := p.next(); name != "" && behind == '=' {
			p.skipName()
			p.out = append(p.out, ':')
		} else {
			opaque = true
		}
		if !p.value(depth) {
			return false
		}
	}
	p.out = append(p.out, '}')
	if opaque {
		p.asText(from, start)
	}
	return true
}

// skipName writes a name, and skips it and the byte behind it.
func (p *pythonParser) skipName() {
	name, _ := p.next()
	p.out, p.text = attributes.AppendString(p.out, name), p.text[len(name)+1:]
}

// shown reads the text in angle brackets, up to the closing one. Strings in it may have any brackets.
func (p *pythonParser) shown() bool {
	open := 0
	for i := 0; i < len(p.text); i++ {
		switch p.text[i] {
		case '\'', '"':
			s := pythonParser{text: p.text[i:], repr: true}
			if !s.string(false) {
				return false
			}
			i = len(p.text) - len(s.text) - 1
		case '<':
			open++
		case '>':
			if open--; open == 0 {
				p.out, p.text = attributes.AppendString(p.out, p.text[:i+1]), p.text[i+1:]
				return true
			}
		}
	}
	return false
}

func isDigit(c rune) bool  { return '0' <= c && c <= '9' }
func isLetter(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func inNumber(c rune) bool { return isDigit(c) || isLetter(c) || c == '.' || c == '-' || c == '+' }
func inName(c rune) bool   { return isLetter(c) || isDigit(c) || c == '_' || c == '.' }
