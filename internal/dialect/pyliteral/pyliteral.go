// Package pyliteral reads Python's way to write values, and makes JSON of it.
//
// Agents written in Python often put arguments on a span as str() or repr() shows them:
//
//	{'city': 'Oslo', 'days': 3, 'exact': None}   becomes   {"city":"Oslo","days":3,"exact":null}
//
// Others put the repr() of an object there, such as a dataclass:
//
//	ToolCall(name='search', arguments={'q': 1})   becomes   {"":"ToolCall","name":"search","arguments":{"q":1}}
//
// Numbers keep their value exactly, and tuples become arrays. What JSON has no word for is not read: sets, bytes, and keys that are no strings.
// Sources: https://docs.python.org/3/reference/lexical_analysis.html, and ast.literal_eval in Python's standard library.
package pyliteral

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Payload reads a text that may be a Python literal. Only dicts and lists are recognised: a number or a word alone may as well be text,
// and a tuple alone is more likely a remark in parentheses.
//
// Laws:
//   - JSON is returned as it was written;
//   - any other result is JSON that scoring can decode, or the whole text as [scoring.Text];
//   - what repr() does not write stays text, such as 0x1f, and so does what nests too deep.
func Payload(text string) scoring.Payload {
	start := strings.TrimLeft(text, " \t\r\n")
	if start == "" || start[0] != '{' && start[0] != '[' || json.Valid([]byte(text)) {
		return scoring.JSON(text)
	}
	p := parser{text: text, out: make([]byte, 0, len(text))}
	if !p.whole() {
		return scoring.Text(text)
	}
	return scoring.JSON(string(p.out))
}

// Repr reads what repr() shows of an object. It becomes a JSON object with the class under the empty key, and its fields. A field without a
// name has its position for one. The second result is false if the text is not certainly such an object. Text inside the strings of an object is
// never read as an object.
//
// Besides literals and objects there may be members of enumerations, such as <Role.USER: 'user'>, and names alone, such as nan or
// datetime.timezone.utc. They become their names.
func Repr(text string) (scoring.Value, bool) {
	p := parser{text: text, out: make([]byte, 0, len(text)), repr: true}
	if !p.whole() {
		return scoring.Value{}, false
	}
	v, err := scoring.Decode(string(p.out))
	return v, err == nil && v.Kind() == scoring.Object
}

// JSON makes texts of the numbers that Python's json module writes and JSON lacks: NaN, Infinity and -Infinity. It is false if the text has none.
func JSON(text string) (string, bool) {
	var b strings.Builder
	from := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			i = words.EndOfString(text, i)
			continue
		}
		for _, name := range [...]string{"NaN", "Infinity", "-Infinity"} {
			if strings.HasPrefix(text[i:], name) {
				b.WriteString(text[from:i] + `"` + name + `"`)
				from = i + len(name)
				i = from - 1
				break
			}
		}
	}
	if from == 0 {
		return "", false
	}
	b.WriteString(text[from:])
	return b.String(), true
}

// A parser is one walk over a literal. Its methods report false if the text is not certainly one.
type parser struct {
	text  string // what is left
	out   []byte // the same as JSON
	depth int    // how many brackets are open
	repr  bool   // objects may be shown: see [Repr]
}

// whole reads the text as one value.
func (p *parser) whole() bool {
	return utf8.ValidString(p.text) && p.value() && p.peek() == 0 && p.text == ""
}

// peek is the next byte behind white space, or 0 at the end. A 0 in the text is no Python either.
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

func (p *parser) value() bool {
	switch c := p.peek(); {
	case p.take('{'):
		return p.items("{", "}", '}', p.member)
	case p.take('['):
		return p.items("[", "]", ']', p.value)
	case p.take('('):
		return p.items("[", "]", ')', p.value)
	case c == '\'', c == '"':
		return p.string()
	case c == '-', '0' <= c && c <= '9':
		return p.number()
	case p.repr && p.take('<'):
		return p.enumeration()
	}
	return p.word()
}

// items reads what is up to the closing bracket, and writes it between opening and end. Python writes no comma behind the last item, except
// behind the only one of a tuple, and a list that has one is more likely JSON gone wrong.
func (p *parser) items(opening, end string, closing byte, item func() bool) bool {
	p.out = append(p.out, opening...)
	p.depth++
	for n := 0; !p.take(closing); n++ {
		separated := n == 0 || p.take(',')
		if closing == ')' && p.take(closing) {
			break
		}
		if !separated || p.depth > attributes.MaxDepth || !item() {
			return false
		}
		p.out = append(p.out, ',')
	}
	p.depth--
	p.out = append(bytes.TrimSuffix(p.out, []byte(",")), end...)
	return true
}

// member reads a key of a dict and its value.
func (p *parser) member() bool {
	p.peek()
	return p.string() && p.take(':') && p.then()
}

// then reads the value behind a key.
func (p *parser) then() bool {
	p.out = append(p.out, ':')
	return p.value()
}

// number reads an int or a float, which repr writes as JSON has them.
func (p *parser) number() bool {
	token := p.cut("0123456789.eE+-")
	p.out = append(p.out, token...)
	return json.Valid([]byte(token))
}

// constants are Python's words for JSON's.
var constants = map[string]string{"True": "true", "False": "false", "None": "null"}

// word reads a constant, or where objects may be shown an object or a name alone.
func (p *parser) word() bool {
	name := p.name()
	constant, known := constants[name]
	switch {
	case known:
		p.out = append(p.out, constant...)
	case !p.repr || name == "":
		return false
	case p.take('('):
		return p.items(`{"":`+strconv.Quote(name)+",", "}", ')', p.field)
	default:
		p.out = strconv.AppendQuote(p.out, name)
	}
	return true
}

// name takes a name, which may have dots.
func (p *parser) name() string {
	return p.cut("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.")
}

// field reads an argument of the call that shows an object.
func (p *parser) field() bool {
	p.peek()
	start := p.text
	if name := p.name(); name != "" && p.take('=') {
		p.out = strconv.AppendQuote(p.out, name)
	} else {
		p.text, p.out = start, append(p.out, `"()"`...)
	}
	return p.then()
}

// enumeration reads a member of an enumeration from behind the opening bracket.
func (p *parser) enumeration() bool {
	at, name := len(p.out), p.name()
	if name == "" || !p.take(':') || !p.value() || !p.take('>') {
		return false
	}
	p.out = strconv.AppendQuote(p.out[:at], name)
	return true
}

// string reads a string from its quotes on. Python joins strings that follow each other; here the caller expects a comma instead and
// reports false. The same happens for three quotes, which begin with an empty string. Go has the escapes that repr writes.
func (p *parser) string() bool {
	if p.text == "" || p.text[0] != '\'' && p.text[0] != '"' {
		return false
	}
	var s []byte
	for quote, text := p.text[0], p.text[1:]; text != ""; {
		switch c := text[0]; {
		case c == quote:
			p.text, p.out = text[1:], attributes.AppendString(p.out, string(s))
			return true
		case c == '\n', c == '\r', c == 0, text == `\`:
			return false // not inside one pair of quotes
		case c == '\\':
			r, _, rest, err := strconv.UnquoteChar(text, text[1])
			if err != nil {
				return false
			}
			s, text = utf8.AppendRune(s, r), rest
		default:
			s, text = append(s, c), text[1:]
		}
	}
	return false
}

// cut takes what is made of such characters off the start of the text.
func (p *parser) cut(such string) string {
	rest := strings.TrimLeft(p.text, such)
	token := p.text[:len(p.text)-len(rest)]
	p.text = rest
	return token
}
