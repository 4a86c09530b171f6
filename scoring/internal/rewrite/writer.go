package rewrite

import (
	"fmt"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/glob"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// A Use says which of the first 64 patterns were met by a key, and which of the first 64 defaults at the top were filled in.
type Use struct{ Ignored, Filled uint64 }

// A Writer writes a value without ignored keys and with defaults. It is for one value.
type Writer struct {
	// Ignore are the patterns of paths that are left out: see package glob.
	Ignore []string
	// Decoder decodes what was written, into memory that it uses again. Nil: a new one.
	Decoder *jsonvalue.Decoder
	// Used is what took part.
	Used Use

	path []byte
	text []byte
}

// Value is the value that was written.
func (t *Writer) Value(v, defaults jsonvalue.Value) jsonvalue.Value {
	t.value(v, defaults)
	if t.Decoder == nil {
		t.Decoder = new(jsonvalue.Decoder)
	}
	made, _ := t.Decoder.Decode(string(t.text)) // it is JSON
	return made
}

// Text is the text that was written.
func (t *Writer) Text(v, defaults jsonvalue.Value) string {
	t.value(v, defaults)
	return string(t.text)
}

func (t *Writer) value(v, defaults jsonvalue.Value) {
	switch v.Kind() {
	case jsonvalue.Object:
		t.object(v, defaults)
	case jsonvalue.Array:
		t.text = append(t.text, '[')
		i := 0
		for element := range v.Elements() {
			if i > 0 {
				t.text = append(t.text, ',')
			}
			n := len(t.path)
			t.path = fmt.Appendf(t.path, "[%d]", i)
			t.value(element, jsonvalue.Value{})
			t.path = t.path[:n]
			i++
		}
		t.text = append(t.text, ']')
	case jsonvalue.String:
		t.quote(v.Text())
	case jsonvalue.Number:
		t.text = append(t.text, v.Lexeme()...)
	case jsonvalue.Bool:
		t.text = fmt.Append(t.text, v.Bool())
	default:
		t.text = append(t.text, "null"...)
	}
}

func (t *Writer) object(v, defaults jsonvalue.Value) {
	t.text = append(t.text, '{')
	first := true
	for name, member := range v.Members() {
		d, _ := defaults.Member(name)
		first = t.member(name, member, d, first)
	}
	if defaults.Kind() == jsonvalue.Object {
		i := 0
		for name, member := range defaults.Members() {
			if _, has := v.Member(name); !has {
				wrote := t.member(name, member, jsonvalue.Value{}, first)
				if !wrote && len(t.path) == 0 && i < 64 {
					t.Used.Filled |= 1 << i
				}
				first = wrote
			}
			i++
		}
	}
	t.text = append(t.text, '}')
}

// member writes a key and its value, unless it is ignored. It reports whether the next member is still the first.
func (t *Writer) member(name string, v, defaults jsonvalue.Value, first bool) bool {
	n := len(t.path)
	if n > 0 {
		t.path = append(t.path, '.')
	}
	t.path = append(t.path, name...)
	if !t.ignores(string(t.path)) {
		if !first {
			t.text = append(t.text, ',')
		}
		first = false
		t.quote(name)
		t.text = append(t.text, ':')
		t.value(v, defaults)
	}
	t.path = t.path[:n]
	return first
}

func (t *Writer) ignores(path string) bool {
	for i, pattern := range t.Ignore {
		if glob.Equal(pattern, path) {
			if i < 64 {
				t.Used.Ignored |= 1 << i
			}
			return true
		}
	}
	return false
}

// quote writes a string so that the decoder reads the same bytes, also those that are no UTF-8.
func (t *Writer) quote(s string) {
	const hex = "0123456789abcdef"
	t.text = append(t.text, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			t.text = append(t.text, '\\', c)
		case c < ' ':
			t.text = append(t.text, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		default:
			t.text = append(t.text, c)
		}
	}
	t.text = append(t.text, '"')
}
