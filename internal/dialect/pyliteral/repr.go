package pyliteral

import (
	"strings"
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Repr reads what repr() of Python shows of an object, such as a dataclass: ToolCall(name='x', arguments={'a': 1}). It
// becomes a JSON object with the class under the empty key, and its fields. The second result is false if the text is not
// certainly such an object. Text inside the strings of an object is never read as an object. If the text has more than most
// values, it is not read.
//
// Any value may be inside of the object, so more than literals are read. They become their texts:
//
//   - what stands in angle brackets, such as a member of an enumeration
//   - an object with arguments that have no names: datetime.date(2026, 11, 2)
//   - a name alone: nan, -inf, datetime.timezone.utc
//   - any key
//
// A byte that is not UTF-8 and half of a surrogate pair become U+FFFD.
func Repr(text string, most int) (scoring.Value, bool) {
	p := parser{text: text, out: make([]byte, 0, len(text)), repr: true, most: most}
	if !utf8.ValidString(text) || !p.value(0) || p.peek() != 0 || p.text != "" {
		return scoring.Value{}, false
	}
	v, err := scoring.Decode(string(p.out))
	return v, err == nil && v.Kind() == scoring.Object
}

// constructs reports whether a name and an opening parenthesis come next.
func (p *parser) constructs() bool {
	name := leading(p.text, isName)
	return name < len(p.text) && p.text[name] == '('
}

// constructor reads a class and its fields. If one of them has no name, the object becomes its text.
func (p *parser) constructor(depth int) bool {
	from, at, opaque := p.text, len(p.out), false
	p.out = append(p.out, `{"":`...)
	p.name('(')
	for first := true; !p.take(')'); first = false {
		if !first && !p.take(',') {
			return false
		}
		p.out = append(p.out, ',')
		if p.hasField() {
			p.name('=')
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
		p.asText(from, at)
	}
	return true
}

// hasField reports whether a name and an equals sign come next.
func (p *parser) hasField() bool {
	p.peek()
	n := leading(p.text, isName)
	return n > 0 && n < len(p.text) && p.text[n] == '='
}

// asText replaces what was written from a place on by its text, which was from.
func (p *parser) asText(from string, at int) {
	p.out = attributes.AppendString(p.out[:at], strings.TrimSpace(from[:len(from)-len(p.text)]))
}

// takesName reads a name that is no constant, a number or a class: nan, -inf, datetime.timezone.utc.
func (p *parser) takesName() bool {
	p.peek()
	rest := strings.TrimPrefix(p.text, "-")
	n := leading(rest, isName)
	switch name := rest[:n]; {
	case name == "", !isLetter(name[0]) && name[0] != '_', n < len(rest) && strings.IndexByte(`('"=`, rest[n]) >= 0,
		name == "True", name == "False", name == "None":
		return false
	}
	n += len(p.text) - len(rest)
	p.out = attributes.AppendString(p.out, p.text[:n])
	p.text = p.text[n:]
	return true
}

// name reads a name, and the character behind it.
func (p *parser) name(behind byte) {
	n := leading(p.text, isName)
	p.out = attributes.AppendString(p.out, p.text[:n])
	p.text = p.text[n:]
	p.take(behind)
}

// shown reads the text in angle brackets, up to the closing one. Strings in it may have any brackets.
func (p *parser) shown() bool {
	var quote byte
	open := 0
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'', c == '"':
			quote = c
		case c == '<':
			open++
		case c == '>':
			if open--; open == 0 {
				p.out = attributes.AppendString(p.out, p.text[:i+1])
				p.text = p.text[i+1:]
				return true
			}
		}
	}
	return false
}

func isName(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '.' }
