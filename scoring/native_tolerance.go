package scoring

import (
	"fmt"
	"strings"
)

// A tolerance is what a tool leaves out of the comparison of arguments, and what it fills in.
type tolerance struct {
	ignore   []string
	defaults Value
	// filled are the expected arguments with the defaults, for modes in which a key that only the call has counts.
	filled Value
}

// tolerant reports whether the tool has a tolerance.
func (t *Tool) tolerant() bool { return len(t.IgnoreArguments) > 0 || t.ArgumentDefaults != Payload{} }

// tolerance compiles the tolerance of a tool. arguments are its expected ones. It returns them without what is ignored.
func (t *Tool) tolerance(arguments Value) (*tolerance, Value) {
	if !t.tolerant() {
		return nil, arguments
	}
	k := &tolerance{ignore: t.IgnoreArguments, defaults: emptyObject}
	if v, ok := t.ArgumentDefaults.Value(); ok {
		k.defaults = orEmptyObject(v)
	}
	w := toleranceWriter{ignore: k.ignore}
	plain := w.write(arguments, emptyObject)
	w = toleranceWriter{ignore: k.ignore}
	k.filled = w.write(arguments, k.defaults)
	return k, plain
}

// expected are the expected arguments in a mode.
func (k *toolClass) expected(m ArgumentMode) Value {
	if k.tolerance != nil && (m == ArgumentsExact || m == ArgumentsSuperset || m == ArgumentsPartial) {
		return k.tolerance.filled
	}
	return k.arguments
}

// tolerate is what is compared of a call's arguments. The value is valid until the next one is made.
func (w *nativeRun) tolerate(class int32, k *toolClass, called Value) Value {
	if k.tolerance == nil {
		return called
	}
	t := toleranceWriter{ignore: k.tolerance.ignore, decoder: &w.tolerated}
	v := t.write(called, k.tolerance.defaults)
	if w.used == nil {
		w.used = map[int32]toleranceUse{}
	}
	u := w.used[class]
	w.used[class] = toleranceUse{u.ignored | t.used.ignored, u.filled | t.used.filled}
	return v
}

// A toleranceUse says which of the first 64 patterns were met by a key, and which of the first 64 defaults were filled in.
type toleranceUse struct{ ignored, filled uint64 }

// notes says what took part in a comparison: patterns and default keys of the expectation, no keys of a call.
func (w *nativeRun) toleranceNotes(p *plan) (notes []string) {
	if len(w.used) == 0 {
		return nil
	}
	for k := range p.classes {
		u, ok := w.used[int32(k)]
		if !ok || len(notes) >= maxItems {
			continue
		}
		c := &p.classes[k]
		var ignored, filled []string
		for i, pattern := range c.tolerance.ignore[:min(len(c.tolerance.ignore), 64)] {
			if u.ignored>>i&1 == 1 {
				ignored = append(ignored, clean(pattern))
			}
		}
		i := 0
		for name := range c.tolerance.defaults.Members() {
			if i < 64 && u.filled>>i&1 == 1 {
				filled = append(filled, clean(name))
			}
			i++
		}
		label := clean(c.tool.label())
		if len(ignored) > 0 {
			notes = append(notes, fmt.Sprintf("not compared: %s of %s", strings.Join(ignored[:min(len(ignored), maxItems)], ", "), label))
		}
		if len(filled) > 0 {
			notes = append(notes, fmt.Sprintf("default taken: %s of %s", strings.Join(filled[:min(len(filled), maxItems)], ", "), label))
		}
	}
	return notes
}

// A toleranceWriter writes arguments without ignored keys and with defaults, and decodes what it wrote. The path of a key is
// like that in a reason: "meta.id", "lines[0].sku".
type toleranceWriter struct {
	ignore  []string
	decoder *Decoder
	path    []byte
	text    []byte
	used    toleranceUse
}

func (t *toleranceWriter) write(v, defaults Value) Value {
	t.value(v, defaults)
	if t.decoder == nil {
		t.decoder = new(Decoder)
	}
	made, _ := t.decoder.Decode(string(t.text)) // it is JSON
	return made
}

func (t *toleranceWriter) value(v, defaults Value) {
	switch v.Kind() {
	case Object:
		t.object(v, defaults)
	case Array:
		t.text = append(t.text, '[')
		i := 0
		for element := range v.Elements() {
			if i > 0 {
				t.text = append(t.text, ',')
			}
			n := len(t.path)
			t.path = fmt.Appendf(t.path, "[%d]", i)
			t.value(element, Value{})
			t.path = t.path[:n]
			i++
		}
		t.text = append(t.text, ']')
	case String:
		t.quote(v.Text())
	case Number:
		t.text = append(t.text, v.Lexeme()...)
	case Bool:
		t.text = fmt.Append(t.text, v.Bool())
	default:
		t.text = append(t.text, "null"...)
	}
}

func (t *toleranceWriter) object(v, defaults Value) {
	t.text = append(t.text, '{')
	first := true
	for name, member := range v.Members() {
		d, _ := defaults.Member(name)
		first = t.member(name, member, d, first)
	}
	if defaults.Kind() == Object {
		i := 0
		for name, member := range defaults.Members() {
			if _, has := v.Member(name); !has {
				wrote := t.member(name, member, Value{}, first)
				if !wrote && len(t.path) == 0 && i < 64 {
					t.used.filled |= 1 << i
				}
				first = wrote
			}
			i++
		}
	}
	t.text = append(t.text, '}')
}

// member writes a key and its value, unless it is ignored. It reports whether the next member is still the first.
func (t *toleranceWriter) member(name string, v, defaults Value, first bool) bool {
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

func (t *toleranceWriter) ignores(path string) bool {
	for i, pattern := range t.ignore {
		if nameMatches(pattern, path) {
			if i < 64 {
				t.used.ignored |= 1 << i
			}
			return true
		}
	}
	return false
}

// quote writes a string so that the decoder reads the same bytes, also those that are no UTF-8.
func (t *toleranceWriter) quote(s string) {
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

// tolerated are both payloads as a mode compares them, for a reason.
func (t *Tool) tolerated(m ArgumentMode, called Payload) (e, c Payload) {
	expected, _ := t.Arguments.Value()
	k := toolClass{arguments: orEmptyObject(expected)}
	k.tolerance, k.arguments = t.tolerance(k.arguments)
	v, ok := called.Value()
	if !ok {
		return t.Arguments, called
	}
	w := toleranceWriter{ignore: k.tolerance.ignore}
	w.value(orEmptyObject(v), k.tolerance.defaults)
	x := toleranceWriter{}
	x.value(k.expected(m), Value{})
	return JSON(string(x.text)), JSON(string(w.text))
}
