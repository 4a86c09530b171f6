package draft

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// values are the JSON values of a text: the elements of one list, or one value a line. Numbers stay as they are written.
func values(text []byte) (all []any, err error) {
	text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("\uFEFF"))
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		var value any
		err := d.Decode(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("number %d is no JSON: %w", len(all)+1, err)
		}
		all = append(all, value)
	}
	if len(all) == 1 {
		all = listed(all[0])
	}
	return all, nil
}

var capital = regexp.MustCompile("[A-Z]")

// snake is a key in snake_case, which may be written in camelCase.
func snake(key string) string {
	return capital.ReplaceAllStringFunc(key, func(c string) string { return "_" + strings.ToLower(c) })
}

// get is the value of a key of an object; nil if there is none.
func get(object any, key string) any {
	pairs, _ := object.(map[string]any)
	for name, value := range pairs {
		if snake(name) == key && value != nil {
			return value
		}
	}
	return nil
}

// text is the text of the first of some keys that has one; empty if none has.
func text(object any, keys ...string) string {
	for _, key := range keys {
		if s, _ := get(object, key).(string); s != "" {
			return s
		}
	}
	return ""
}

// listed are the elements of a list, or the value by itself; none of nil.
func listed(value any) []any {
	if list, is := value.([]any); is || value == nil {
		return list
	}
	return []any{value}
}

// objects are all objects at a path of keys with dots, in the lists on the way as well. What is no object is an error.
func objects(value any, path string) ([]any, error) {
	all := []any{value}
	for key := range strings.SplitSeq(path, ".") {
		var next []any
		for _, object := range all {
			next = append(next, listed(get(object, key))...)
		}
		if slices.ContainsFunc(next, func(v any) bool { _, is := v.(map[string]any); return !is }) {
			return nil, fmt.Errorf("%s: must be an object, or a list of objects", key)
		}
		all = next
	}
	return all, nil
}

// rest notes the keys of an object that are not known and say something. known has keys between spaces.
func (s *Set) rest(where string, object any, known string) {
	pairs, _ := object.(map[string]any)
	for key, value := range pairs {
		said, _ := json.Marshal(value) // it was JSON
		empty := slices.Contains([]string{"null", `""`, "[]", "{}"}, string(said))
		if key = snake(key); !empty && !slices.Contains(strings.Fields(known), key) {
			s.note(where + "." + key)
		}
	}
}

// toolOf is an expected tool by its name, with the arguments below the first of some keys that has some. They may be JSON as text. What says
// nothing of them has others.
func toolOf(object, otherwise any, keys ...string) (Tool, error) {
	t := Tool{Name: text(object, "name"), Arguments: otherwise}
	if t.Name == "" {
		return t, errors.New("a tool has no name")
	}
	for _, key := range keys {
		value := get(object, key)
		if inner, is := value.(string); is {
			all, err := values([]byte(inner))
			if err != nil || len(all) != 1 {
				return t, errors.New("its arguments are no JSON")
			}
			value = all[0]
		}
		if value != nil {
			t.Arguments = value
			break
		}
	}
	return t, nil
}
