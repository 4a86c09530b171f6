package configcheck

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A Shorthand is a struct that may be written as a string, which is the value of one of its keys. want says in an error what may be
// written, such as "the name of a tool, or a map".
type Shorthand interface{ Shorthand() (key, want string) }

// A Choice is a struct whose keys need no value. One without a value is an empty map.
type Choice interface{ Choice() }

// Decode writes a value of YAML into *to. It adds an error for every key that the type has no field for and for every value
// that it cannot hold, and leaves these out. So the rules of all other values can still be checked. The types may have the kinds that decode
// and scalar list; no type decodes itself.
func (e *Errors) Decode(raw, to any) { e.decode(raw, reflect.ValueOf(to).Elem()) }

// decode reports whether there is a value that fits.
func (e *Errors) decode(raw any, to reflect.Value) (fits bool) {
	if to.Kind() == reflect.Pointer {
		made := reflect.New(to.Type().Elem())
		if fits = e.decode(raw, made.Elem()); fits {
			to.Set(made)
		}
		return fits
	}
	short, isShort := to.Interface().(Shorthand)
	raw = asYAML(raw, to.Kind() == reflect.String || isShort)
	if raw == nil {
		return false // a key without a value is left out
	}
	var value any
	var want string
	switch to.Kind() {
	case reflect.Struct, reflect.Map:
		want = "a map"
		if isShort {
			var key string
			key, want = short.Shorthand()
			if _, is := raw.(string); is {
				raw = map[string]any{key: raw}
			}
		}
		fits = e.decodeMap(raw, to)
	case reflect.Slice:
		want, fits = "a list", e.decodeList(raw, to)
	default:
		if value, want, fits = scalar(raw, to.Kind()); fits {
			to.Set(reflect.ValueOf(value).Convert(to.Type()))
		}
	}
	if !fits {
		e.Add("", "must be %s, is %s", want, Describe(raw))
		e.all.unread = append(e.all.unread, e.path)
	}
	return fits
}

// decodeMap reports false for what is no map.
func (e *Errors) decodeMap(raw any, to reflect.Value) bool {
	m, is := raw.(map[string]any)
	if !is {
		return false
	}
	keys := slices.Sorted(maps.Keys(m))
	if to.Kind() == reflect.Map {
		to.Set(reflect.MakeMap(to.Type()))
		for _, key := range keys {
			value := reflect.New(to.Type().Elem()).Elem()
			e.Under(key).decode(m[key], value)
			to.SetMapIndex(reflect.ValueOf(key), value)
		}
		return true
	}
	fields := FieldsOf(to.Type())
	_, choice := to.Interface().(Choice)
	for _, key := range keys {
		field, value := fields[key], m[key]
		if field == nil {
			hint := Suggestion(key, slices.Sorted(maps.Keys(fields)))
			if fields["metadata"] != nil && hint == "" {
				hint = ": other data of a case belongs under metadata"
			}
			e.Add(key, "is no key of this configuration%s", hint)
			continue
		}
		if value == nil && choice {
			value = map[string]any{}
		}
		e.Under(key).decode(value, to.FieldByIndex(field))
	}
	return true
}

// decodeList reports false for what is no list. Like the Collector it splits a text at its commas.
func (e *Errors) decodeList(raw any, to reflect.Value) bool {
	if text, is := raw.(string); is && to.Type().Elem().Kind() == reflect.String {
		if raw = []any{}; text != "" {
			raw = asYAML(strings.Split(text, ","), false)
		}
	}
	list, is := raw.([]any)
	if !is {
		return false
	}
	to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
	for i, v := range list {
		under := e.Under(fmt.Sprintf("[%d]", i))
		if v == nil {
			under.Add("", "is empty: give it a value, or leave it out")
			under.all.unread = append(under.all.unread, under.path)
		}
		under.decode(v, to.Index(i))
	}
	return true
}

// scalar is raw as a value of a kind, if it fits. want says what does.
func scalar(raw any, kind reflect.Kind) (value any, want string, fits bool) {
	v := reflect.ValueOf(raw)
	switch kind {
	case reflect.Interface:
		return plain(raw), "", true
	case reflect.Bool:
		return raw, "true or false", v.Kind() == reflect.Bool
	case reflect.Int:
		n, whole := WholeNumber(raw)
		return n, "a whole number", whole
	case reflect.Int64: // a duration. Of numbers only 0 is one: no user who writes 5 means nanoseconds
		d, err := time.ParseDuration(fmt.Sprint(raw))
		return d, "a time with its unit, such as 5s or 2m", err == nil
	case reflect.Float64:
		return raw, "a number", isNumber(v)
	}
	if isNumber(v) {
		return nil, "a string (put it in quotes)", false
	}
	return raw, "a string", v.Kind() == reflect.String
}

// asYAML is raw as YAML gives it: its maps have strings as keys. The Collector keeps a value that is a variable alone as a struct of its
// own: what YAML makes of it, and its text. A text is wanted where 0123 is no number.
func asYAML(raw any, text bool) any {
	switch v := reflect.ValueOf(raw); {
	case v.Kind() == reflect.Struct && v.Type().Name() == "ExpandedValue":
		value := v.FieldByName("Value").Interface()
		if kind := reflect.ValueOf(value).Kind(); text && kind != reflect.Map && kind != reflect.Slice {
			return v.FieldByName("Original").String()
		}
		return asYAML(value, text)
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		m := make(map[string]any, v.Len())
		for key, value := range v.Seq2() {
			m[key.String()] = value.Interface()
		}
		return m
	case v.Kind() == reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).Interface()
		}
		return list
	}
	return raw
}

// plain is a value of any shape as YAML gives it.
func plain(raw any) any {
	raw = asYAML(raw, false)
	switch v := raw.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = plain(value)
		}
	case []any:
		for i, value := range v {
			v[i] = plain(value)
		}
	}
	return raw
}

// AsMap returns raw as YAML would give it, unless it is no map with strings as keys.
func AsMap(raw any) (map[string]any, bool) {
	m, is := asYAML(raw, false).(map[string]any)
	return m, is
}

// FieldsOf are the keys of a struct by its mapstructure tags, and the indices of their fields.
func FieldsOf(t reflect.Type) map[string][]int {
	fields := map[string][]int{}
	for field := range t.Fields() {
		key, options, _ := strings.Cut(field.Tag.Get("mapstructure"), ",")
		if options == "squash" {
			for key, index := range FieldsOf(field.Type) {
				fields[key] = slices.Concat(field.Index, index)
			}
		} else if key != "" {
			fields[key] = field.Index
		}
	}
	return fields
}

func isNumber(v reflect.Value) bool { return v.CanInt() || v.CanUint() || v.CanFloat() }

// Describe names a value: a scalar by itself, anything else by its kind.
func Describe(raw any) string {
	v := reflect.ValueOf(raw)
	switch {
	case raw == nil:
		return "nothing"
	case v.Type() == reflect.TypeFor[time.Time]():
		return "a timestamp to YAML (put it in quotes)"
	case v.Kind() == reflect.String:
		return fmt.Sprintf("%q", raw)
	case v.Kind() == reflect.Bool:
		return fmt.Sprintf("the boolean %v", raw)
	case isNumber(v):
		return fmt.Sprintf("the number %v", raw)
	case v.Kind() == reflect.Slice:
		return "a list"
	case v.Kind() == reflect.Map:
		return "a map"
	}
	return fmt.Sprintf("a %T", raw)
}

// MaxYAML bounds a file of YAML, in bytes. Thousands of cases belong in a dataset of JSON lines.
const MaxYAML = 16 << 20

// A YAMLFile is a file of YAML that is one list. JSON is valid YAML.
type YAMLFile struct {
	Path     string
	Elements []any
	root     *yaml.Node
}

// ReadYAML reads a file to its end. of names its elements in errors.
func ReadYAML(path string, source io.Reader, of string) (*YAMLFile, error) {
	text, err := io.ReadAll(source) // the parser hides the kind of an error of reading
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	err = d.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: is empty: it must be a list of %s ([] for none)", path, of)
	case err != nil:
		return nil, yamlError(path, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: must be one YAML document, has more behind a ---", path)
	}
	f := &YAMLFile{Path: path, root: document.Content[0]}
	if f.root.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s:%d: must be a list of %s, each beginning with a -", path, f.root.Line, of)
	}
	if err := f.root.Decode(&f.Elements); err != nil {
		return nil, yamlError(path, err)
	}
	return f, nil
}

// Place is where the value at a path stands: the file, its line, and the path. Without a file it is the path.
func (f *YAMLFile) Place(path string) string {
	if f == nil {
		return path
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line(path), path)
}

// fromZero are the errors whose lines the YAML parser counts from 0. It counts those of all other errors from 1.
var fromZero = regexp.MustCompile(`^did not find expected (<|node content|'-' indicator|key|',' or)`)

// yamlError is an error of the YAML parser about a file, which names the line itself, in the form of our own.
func yamlError(file string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n  ")
	var line int
	if n, _ := fmt.Sscanf(text, "line %d: ", &line); n != 1 {
		return fmt.Errorf("%s: is no YAML: %s", file, text)
	}
	_, text, _ = strings.Cut(text, ": ")
	if fromZero.MatchString(text) {
		line++
	}
	return fmt.Errorf("%s:%d: %s", file, line, text)
}

// Line is the line of the key at a path, or of the last key on the way to it that is there.
func (f *YAMLFile) Line(path string) int {
	node, line := f.root, f.root.Line
	for {
		path = strings.TrimPrefix(path, ".")
		name, key, value := "", node, node
		switch node.Kind {
		case yaml.SequenceNode:
			var i int
			if n, _ := fmt.Sscanf(path, "[%d]", &i); n == 1 && i < len(node.Content) {
				name, key, value = fmt.Sprintf("[%d]", i), node.Content[i], node.Content[i]
			}
		case yaml.MappingNode:
			for i := 0; i < len(node.Content); i += 2 {
				if k := node.Content[i]; len(k.Value) > len(name) && isBelow(path, k.Value) { // the longest one: a name may have dots
					name, key, value = k.Value, k, node.Content[i+1]
				}
			}
		}
		if name == "" {
			return line
		}
		node, path, line = value, path[len(name):], key.Line
	}
}
