package toolcorrectnessprocessor

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// shape compares what YAML gave with the type that is to hold it, and notes every key that the type has no field for
// and every value that it cannot hold. It returns what can be decoded: without those keys, and with stand-ins for those
// values, so that the rules are checked all the same. It also fills in what users may leave out: a tool that is only
// a name becomes a map, and a method without options an empty one.
func (f *faults) shape(raw any, t reflect.Type) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if raw == nil {
		return nil // a key without a value is left out
	}
	switch t.Kind() {
	case reflect.Struct:
		return f.shapeStruct(raw, t)
	case reflect.Map:
		return f.shapeMap(raw, t)
	case reflect.Slice:
		return f.shapeList(raw, t)
	case reflect.Interface:
		return raw
	}
	return f.shapeScalar(raw, t)
}

func (f *faults) shapeStruct(raw any, t reflect.Type) any {
	if name, ok := raw.(string); ok && t == reflect.TypeFor[ToolConfig]() {
		return map[string]any{"name": name}
	}
	m, ok := asMap(raw)
	if !ok {
		want := "a map"
		if t == reflect.TypeFor[ToolConfig]() {
			want = "the name of a tool, or a map"
		}
		return f.unread(raw, want, map[string]any{})
	}
	fields := fieldsOf(t)
	shaped := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		field := fields[key]
		switch {
		case field == nil:
			f.add(key, "is no key of this configuration%s", suggestion(key, slices.Sorted(maps.Keys(fields))))
		case m[key] == nil && t == reflect.TypeFor[MetricConfig]():
			shaped[key] = map[string]any{}
		default:
			if v := f.under(key).shape(m[key], field); v != nil {
				shaped[key] = v
			}
		}
	}
	return shaped
}

func (f *faults) shapeMap(raw any, t reflect.Type) any {
	m, ok := asMap(raw)
	if !ok {
		return f.unread(raw, "a map", nil)
	}
	shaped := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		shaped[key] = f.under(key).shape(m[key], t.Elem())
	}
	return shaped
}

func (f *faults) shapeList(raw any, t reflect.Type) any {
	if _, ok := raw.(string); ok && t.Elem().Kind() == reflect.String {
		return raw // the collector splits it at its commas
	}
	list, ok := asList(raw)
	if !ok {
		return f.unread(raw, "a list", standInList(t.Elem()))
	}
	shaped := make([]any, len(list))
	for i, v := range list {
		under := f.under(fmt.Sprintf("[%d]", i))
		if v == nil {
			under.add("", "is empty: give it a value, or leave it out")
			under.all.unread = append(under.all.unread, under.path)
		}
		shaped[i] = under.shape(v, t.Elem())
	}
	return shaped
}

func (f *faults) shapeScalar(raw any, t reflect.Type) any {
	kind := kindOf(raw)
	switch {
	case t == reflect.TypeFor[time.Duration]():
		if !isDuration(raw) {
			return f.unread(raw, "a time with its unit, such as 5s or 2m", nil)
		}
	case t.Kind() == reflect.String:
		if kind == "number" {
			return f.unread(raw, "a string (put it in quotes)", standIn)
		}
		if kind != "string" {
			return f.unread(raw, "a string", standIn)
		}
	case t.Kind() == reflect.Bool:
		if kind != "boolean" {
			return f.unread(raw, "true or false", nil)
		}
	case t.Kind() == reflect.Int:
		if kind != "number" || !isWhole(reflect.ValueOf(raw)) {
			return f.unread(raw, "a whole number", nil)
		}
	case t.Kind() == reflect.Float64:
		if kind != "number" {
			return f.unread(raw, "a number", nil)
		}
	}
	return raw
}

// standIn is not empty, as if a key were not there: two faults would be made of one.
const standIn = "unread"

// unread notes that raw is not what it should be.
func (f *faults) unread(raw any, want string, standIn any) any {
	f.add("", "must be %s, is %s", want, describe(raw))
	f.all.unread = append(f.all.unread, f.path)
	return standIn
}

func standInList(element reflect.Type) []any {
	switch {
	case element == reflect.TypeFor[ToolConfig]():
		return []any{map[string]any{"name": standIn}}
	case element.Kind() == reflect.Slice:
		return []any{[]any{}}
	}
	return []any{}
}

// isDuration knows no number but 0, since nobody who writes wait: 5 means nanoseconds.
func isDuration(raw any) bool {
	switch v := raw.(type) {
	case string:
		_, err := time.ParseDuration(v)
		return err == nil
	case int:
		return v == 0
	case time.Duration:
		return true
	}
	return false
}

// isWhole takes 1e3 as well, which is a float to YAML.
func isWhole(number reflect.Value) bool {
	switch {
	case number.CanInt():
		return math.MinInt <= number.Int() && number.Int() <= math.MaxInt
	case number.CanUint():
		return number.Uint() <= math.MaxInt
	}
	x := number.Float()
	return x == math.Trunc(x) && math.Abs(x) < 1<<53
}

// asMap is raw as YAML would give it, if it is a map.
func asMap(raw any) (map[string]any, bool) {
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

// asList is raw as YAML would give it, if it is a list.
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

// fieldsOf are the keys of a struct and the types of their values.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for field := range t.Fields() {
		key, options, _ := strings.Cut(field.Tag.Get("mapstructure"), ",")
		if options == "squash" {
			maps.Copy(fields, fieldsOf(field.Type))
		} else if key != "" {
			fields[key] = field.Type
		}
	}
	return fields
}

// kindOf names the kind of a value in the words of YAML.
func kindOf(raw any) string {
	if _, ok := raw.(time.Time); ok {
		return "timestamp"
	}
	switch v := reflect.ValueOf(raw); {
	case v.Kind() == reflect.Bool:
		return "boolean"
	case v.Kind() == reflect.String:
		return "string"
	case v.Kind() == reflect.Slice:
		return "list"
	case v.Kind() == reflect.Map:
		return "map"
	case v.CanInt(), v.CanUint(), v.CanFloat():
		return "number"
	}
	return fmt.Sprintf("%T", raw)
}

// describe names a value: a scalar by itself, anything else by its kind.
func describe(raw any) string {
	switch kind := kindOf(raw); kind {
	case "string":
		return fmt.Sprintf("%q", raw)
	case "boolean", "number":
		return fmt.Sprintf("the %s %v", kind, raw)
	case "timestamp":
		return "a timestamp to YAML (put it in quotes)"
	default:
		return "a " + kind
	}
}
