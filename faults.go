package toolcorrectnessprocessor

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/go-viper/mapstructure/v2"
)

// faults collects what is wrong with a configuration, so that all of it is reported at once. Every fault names a key,
// its value and the rule.
type faults struct {
	list *[]error
	path string
}

// under returns a collector into the same list for what stands below key.
func (f *faults) under(key string) *faults {
	if f.list == nil {
		f.list = new([]error)
	}
	return &faults{list: f.list, path: joinPath(f.path, key)}
}

func joinPath(path, key string) string {
	switch {
	case path == "":
		return key
	case key == "" || strings.HasPrefix(key, "["):
		return path + key
	}
	return path + "." + key
}

// add notes a fault of the value at key.
func (f *faults) add(key, rule string, args ...any) {
	f = f.under(key)
	text := fmt.Sprintf(rule, args...)
	if f.path != "" {
		text = f.path + ": " + text
	}
	*f.list = append(*f.list, errors.New(text))
}

// join notes every part of err, whose messages begin with their keys.
func (f *faults) join(err error) {
	if parts, ok := err.(interface{ Unwrap() []error }); ok {
		for _, part := range parts.Unwrap() {
			f.join(part)
		}
		return
	}
	f = f.under("")
	if f.path != "" {
		err = fmt.Errorf("%s.%w", f.path, err)
	}
	*f.list = append(*f.list, err)
}

// err joins all faults.
func (f *faults) err() error {
	if f.list == nil {
		return nil
	}
	return errors.Join(*f.list...)
}

func (f *faults) oneOf(key, word string, words ...string) {
	if !slices.Contains(words, word) {
		f.add(key, "must be %s, is %q%s", alternatives(words), word, suggestion(word, words))
	}
}

func (f *faults) within(key string, n, low, high int) {
	if n < low || n > high {
		f.add(key, "must be from %d to %d, is %d", low, high, n)
	}
}

// decode notes the parts of a decoding error, each of which names its key and value.
func (f *faults) decode(err error) {
	for _, part := range leaves(err) {
		var fault *mapstructure.DecodeError
		if errors.As(part, &fault) {
			f.add(fault.Name(), "%v", fault.Unwrap())
		} else {
			f.join(part)
		}
	}
}

// leaves are the errors that err joins, to any depth.
func leaves(err error) []error {
	switch e := err.(type) {
	case nil:
		return nil
	case *mapstructure.DecodeError:
		return []error{e}
	case interface{ Unwrap() []error }:
		var all []error
		for _, part := range e.Unwrap() {
			all = append(all, leaves(part)...)
		}
		return all
	case interface{ Unwrap() error }:
		if inner := leaves(e.Unwrap()); len(inner) > 0 {
			return inner
		}
	}
	return []error{err}
}

// unknownKeys notes every key of raw that the type of config has no field for.
func (f *faults) unknownKeys(raw any, config any) { f.unknown(raw, reflect.TypeOf(config)) }

func (f *faults) unknown(raw any, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch raw := raw.(type) {
	case map[string]any:
		fields := fieldsOf(t)
		for _, key := range slices.Sorted(maps.Keys(raw)) {
			switch {
			case t.Kind() == reflect.Map:
				f.under(key).unknown(raw[key], t.Elem())
			case t.Kind() != reflect.Struct:
			case fields[key] == nil:
				f.add(key, "is no key of this configuration%s", suggestion(key, slices.Sorted(maps.Keys(fields))))
			default:
				f.under(key).unknown(raw[key], fields[key])
			}
		}
	case []any:
		if t.Kind() == reflect.Slice {
			for i, v := range raw {
				f.under(fmt.Sprintf("[%d]", i)).unknown(v, t.Elem())
			}
		}
	}
}

// fieldsOf are the keys of a struct and the types of their values.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct {
		return fields
	}
	for i := range t.NumField() {
		field := t.Field(i)
		key, options, _ := strings.Cut(field.Tag.Get("mapstructure"), ",")
		if options == "squash" {
			maps.Copy(fields, fieldsOf(field.Type))
		} else if key != "" {
			fields[key] = field.Type
		}
	}
	return fields
}

// alternatives joins words as prose does: a, b or c.
func alternatives(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// suggestion names the word that was probably meant, if one is close.
func suggestion(word string, words []string) string {
	best, distance := "", 1+len(word)/3
	for _, w := range words {
		if d := levenshtein.ComputeDistance(word, w); d <= distance && d < len(w) {
			best, distance = w, d-1
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// normalize puts into a raw configuration what YAML lets users leave out: a tool that is only a name becomes a map,
// and a method without options an empty one.
func normalize(raw map[string]any) map[string]any {
	if metrics, ok := raw["metrics"].(map[string]any); ok {
		for _, m := range metrics {
			if m, ok := m.(map[string]any); ok {
				for key, options := range m {
					if options == nil {
						m[key] = map[string]any{}
					}
				}
			}
		}
	}
	expectations, _ := raw["expectations"].([]any)
	for _, x := range expectations {
		if x, ok := x.(map[string]any); ok {
			normalizeTools(x["tools"])
			normalizeTools(x["forbidden"])
			lists, _ := x["any_of"].([]any)
			for _, list := range lists {
				normalizeTools(list)
			}
		}
	}
	return raw
}

func normalizeTools(raw any) {
	list, _ := raw.([]any)
	for i, v := range list {
		if name, ok := v.(string); ok {
			list[i] = map[string]any{"name": name}
		}
	}
}
