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

// Shape compares a value of YAML with the type that must hold it. It adds an error for every key that the type has no
// field for and for every value that it cannot hold. It returns a value without those, which can be decoded. So the rules of all
// other values can still be checked.
func (e *Errors) Shape(raw any, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	short, _ := reflect.Zero(t).Interface().(Shorthand)
	raw = variable(raw, t.Kind() == reflect.String || short != nil)
	if raw == nil {
		return nil // a key without a value is left out
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return e.shapeMap(raw, t, short)
	case reflect.Slice:
		return e.shapeList(raw, t)
	case reflect.Interface:
		return plain(raw)
	}
	return e.shapeScalar(raw, t)
}

func (e *Errors) shapeMap(raw any, t reflect.Type, short Shorthand) any {
	want := "a map"
	if short != nil {
		key, either := short.Shorthand()
		if text, ok := raw.(string); ok {
			return map[string]any{key: text}
		}
		want = either
	}
	m, ok := AsMap(raw)
	if !ok {
		return e.unread(raw, want)
	}
	shaped := map[string]any{}
	if t.Kind() == reflect.Map {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			shaped[key] = e.Under(key).Shape(m[key], t.Elem())
		}
		return shaped
	}
	fields := FieldsOf(t)
	_, choice := reflect.Zero(t).Interface().(Choice)
	for _, key := range slices.Sorted(maps.Keys(m)) {
		field := fields[key]
		switch {
		case field == nil:
			hint := Suggestion(key, slices.Sorted(maps.Keys(fields)))
			if fields["metadata"] != nil && hint == "" {
				hint = ": other data of a case belongs under metadata"
			}
			e.Add(key, "is no key of this configuration%s", hint)
		case m[key] == nil && choice:
			shaped[key] = map[string]any{}
		default:
			if v := e.Under(key).Shape(m[key], field); v != nil {
				shaped[key] = v
			}
		}
	}
	return shaped
}

func (e *Errors) shapeList(raw any, t reflect.Type) any {
	if _, ok := raw.(string); ok && t.Elem().Kind() == reflect.String {
		return raw // the collector splits it at its commas
	}
	list, ok := asList(raw)
	if !ok {
		return e.unread(raw, "a list")
	}
	shaped := make([]any, len(list))
	for i, v := range list {
		under := e.Under(fmt.Sprintf("[%d]", i))
		if v == nil {
			under.Add("", "is empty: give it a value, or leave it out")
			under.all.unread = append(under.all.unread, under.path)
		}
		shaped[i] = under.Shape(v, t.Elem())
	}
	return shaped
}

func (e *Errors) shapeScalar(raw any, t reflect.Type) any {
	v := reflect.ValueOf(raw)
	want, fits := "", true
	switch {
	case t == reflect.TypeFor[time.Duration]():
		_, err := time.ParseDuration(fmt.Sprint(raw)) // of numbers it takes only 0: no user who writes 5 means nanoseconds
		want, fits = "a time with its unit, such as 5s or 2m", err == nil
	case t.Kind() == reflect.String:
		want, fits = "a string", v.Kind() == reflect.String
		if isNumber(v) {
			want += " (put it in quotes)"
		}
	case t.Kind() == reflect.Bool:
		want, fits = "true or false", v.Kind() == reflect.Bool
	case t.Kind() == reflect.Int:
		want = "a whole number"
		_, fits = WholeNumber(raw)
	case t.Kind() == reflect.Float64:
		want, fits = "a number", isNumber(v)
	}
	if !fits {
		return e.unread(raw, want)
	}
	return raw
}

// variable replaces variables by their values. The Collector keeps a value that is a variable alone as a struct of its own: what YAML
// makes of it, and its text. A text is wanted where 0123 is no number.
func variable(raw any, text bool) any {
	v := reflect.ValueOf(raw)
	if v.Kind() != reflect.Struct || v.Type().Name() != "ExpandedValue" {
		return raw
	}
	value := v.FieldByName("Value").Interface()
	if kind := reflect.ValueOf(value).Kind(); text && kind != reflect.Map && kind != reflect.Slice {
		return v.FieldByName("Original").String()
	}
	return variable(value, text)
}

// plain is a value of any shape without variables.
func plain(raw any) any {
	raw = variable(raw, false)
	if m, ok := AsMap(raw); ok {
		for key, value := range m {
			m[key] = plain(value)
		}
		return m
	}
	if list, ok := asList(raw); ok {
		for i, value := range list {
			list[i] = plain(value)
		}
		return list
	}
	return raw
}

// unread adds the error that raw is not what the configuration wants there, and returns nothing in its place.
func (e *Errors) unread(raw any, want string) any {
	e.Add("", "must be %s, is %s", want, Describe(raw))
	e.all.unread = append(e.all.unread, e.path)
	return nil
}

// AsMap returns raw as YAML would give it, unless it is no map with strings as keys.
func AsMap(raw any) (map[string]any, bool) {
	v := reflect.ValueOf(raw)
	if v.Kind() != reflect.Map || v.Type().Key().Kind() != reflect.String {
		return nil, false
	}
	m := make(map[string]any, v.Len())
	for key, value := range v.Seq2() {
		m[key.String()] = value.Interface()
	}
	return m, true
}

// asList returns raw as YAML would give it, unless it is no list.
func asList(raw any) ([]any, bool) {
	v := reflect.ValueOf(raw)
	if v.Kind() != reflect.Slice {
		return nil, false
	}
	list := make([]any, v.Len())
	for i := range list {
		list[i] = v.Index(i).Interface()
	}
	return list, true
}

// FieldsOf are the keys of a struct by its mapstructure tags, and the types of their values.
func FieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for field := range t.Fields() {
		key, options, _ := strings.Cut(field.Tag.Get("mapstructure"), ",")
		if options == "squash" {
			maps.Copy(fields, FieldsOf(field.Type))
		} else if key != "" {
			fields[key] = field.Type
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
func (f *YAMLFile) Line(path string) int { return lineOf(f.root, path, f.root.Line) }

func lineOf(node *yaml.Node, path string, line int) int {
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
	return lineOf(value, path[len(name):], key.Line)
}
