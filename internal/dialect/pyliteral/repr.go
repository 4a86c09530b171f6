package pyliteral

import (
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Repr reads what repr() of Python shows of an object, such as a dataclass: ToolCall(name='x', arguments={'a': 1}). It
// becomes a JSON object with the class under the empty key, and its fields. What stands in angle brackets, such as a member
// of an enumeration, becomes its text. The second result is false if the text is not certainly such an object. Text inside
// the strings of an object is never read as an object. If the text has more than most values, it is not read.
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

// constructor reads a class and its fields, which all have names.
func (p *parser) constructor(depth int) bool {
	p.out = append(p.out, `{"":`...)
	p.name('(')
	for first := true; !p.take(')'); first = false {
		if !first && !p.take(',') {
			return false
		}
		p.out = append(p.out, ',')
		if !isName(p.peek()) || !p.name('=') {
			return false
		}
		p.out = append(p.out, ':')
		if !p.value(depth) {
			return false
		}
	}
	p.out = append(p.out, '}')
	return true
}

// name reads a name, and the character behind it.
func (p *parser) name(behind byte) bool {
	n := leading(p.text, isName)
	p.out = attributes.AppendString(p.out, p.text[:n])
	p.text = p.text[n:]
	return p.take(behind)
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
