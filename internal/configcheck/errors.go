package configcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Errors collects the errors of a configuration, so that all of them are reported at once. Each names a key, its value and
// the rule that the value breaks. Errors stands at one path of the configuration; [Errors.Under] returns another that
// stands below it and adds to the same list.
type Errors struct {
	all  *errorList
	path string
	// place is where a path is, for a part of a file. Nil: the path itself.
	place func(path string) string
}

type errorList struct {
	errors []error
	// unread are the paths of values that could not be read. What is in their place breaks no rule.
	unread []string
}

// New returns an empty collector at the top of a configuration.
func New() *Errors { return &Errors{all: &errorList{}} }

// Under returns a collector into the same list for the value below key, which is a name or an index such as "[2]".
func (e *Errors) Under(key string) *Errors {
	return &Errors{all: e.all, path: joinPath(e.path, key), place: e.place}
}

// Located returns a collector whose errors have places instead of their paths.
func (e *Errors) Located(place func(path string) string) *Errors {
	return &Errors{all: e.all, path: e.path, place: place}
}

// joinPath is the path of a key below path: "run.wait", "tools[2]".
func joinPath(path, key string) string {
	switch {
	case path == "":
		return key
	case key == "" || strings.HasPrefix(key, "["):
		return path + key
	}
	return path + "." + key
}

// maxErrors is how many errors are collected. A sender may write expectations, and each error is compared with all values that could
// not be read.
const maxErrors = 1000

// Add adds an error of the value at key, or of the value at hand if key is empty. A value that could not be read breaks no
// other rule, so its errors are left out.
func (e *Errors) Add(key, rule string, args ...any) {
	path := joinPath(e.path, key)
	if len(e.all.errors) < maxErrors && !slices.ContainsFunc(e.all.unread, func(above string) bool { return isBelow(path, above) }) {
		if e.place != nil {
			path = e.place(path)
		}
		e.all.errors = append(e.all.errors, scoring.Fault{Path: path, Rule: fmt.Sprintf(rule, args...)})
	}
}

// Unless adds an error as [Errors.Add] does, unless the value at key is ok.
func (e *Errors) Unless(ok bool, key, rule string, args ...any) {
	if !ok {
		e.Add(key, rule, args...)
	}
}

// Missing adds the error that the value at hand lacks something, unless a part of it could not be read.
func (e *Errors) Missing(rule string, args ...any) {
	if len(e.all.errors) < maxErrors && !slices.ContainsFunc(e.all.unread, func(path string) bool { return isBelow(path, e.path) }) {
		e.Add("", rule, args...)
	}
}

// isBelow reports whether path is equal to above or is a path inside of it.
func isBelow(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Join adds every part of err. Its paths are relative to the path of e.
func (e *Errors) Join(err error) {
	if parts, ok := err.(interface{ Unwrap() []error }); ok {
		for _, part := range parts.Unwrap() {
			e.Join(part)
		}
		return
	}
	if fault, ok := errors.AsType[scoring.Fault](err); ok {
		e.Add(fault.Path, "%s", fault.Rule)
		return
	}
	e.Add("", "%v", err)
}

// Err is all errors as one, or nil.
func (e *Errors) Err() error { return errors.Join(e.all.errors...) }

// OneOf adds an error unless word is one of words, and reports whether it is.
func (e *Errors) OneOf(key, word string, words ...string) bool {
	ok := slices.Contains(words, word)
	if !ok {
		e.Add(key, "must be %s, is %q%s", Alternatives(words), word, Suggestion(word, words))
	}
	return ok
}

// Within adds an error unless n is from low to high.
func (e *Errors) Within(key string, n, low, high int) {
	e.Unless(low <= n && n <= high, key, "must be from %d to %d, is %d", low, high, n)
}

// Filled adds an error for each element of a list that is empty.
func (e *Errors) Filled(key string, list []string) {
	for i, element := range list {
		e.Unless(element != "", fmt.Sprintf("%s[%d]", key, i), "must not be empty")
	}
}

// Alternatives joins words as prose does: a, b or c.
func Alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Suggestion names the word that was probably meant, if one is close: it returns
// a text in parentheses to append, or "".
func Suggestion(word string, words []string) string {
	word = strings.ToLower(word)
	best, distance := "", float64(1+len(word)/4)
	for _, w := range words {
		d := float64(levenshtein.ComputeDistance(word, strings.ToLower(w)))
		if strings.HasPrefix(word, w+"_") {
			d = min(d, 1.5) // any_order is any, and not in_order, which is two letters away
		}
		if d <= distance && d < float64(len(w)) {
			best, distance = w, d-0.5
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// Arguments is the value at key as arguments: a map, a JSON object, or a string with one. Nil says nothing. A value that is wrong counts as
// an empty object, so that no rule about missing arguments applies.
func (e *Errors) Arguments(key string, v any) scoring.Payload {
	const must = "must be a map, or a string that holds a JSON object"
	var text string
	switch v := v.(type) {
	case nil:
		return scoring.Payload{}
	case string:
		text = v
	case json.RawMessage:
		text = string(v)
	default:
		if m, ok := AsMap(v); ok {
			return scoring.JSON(e.JSON(key, m))
		}
		e.Add(key, must+", is %s", Describe(v))
		return scoring.JSON("{}")
	}
	switch decoded, err := scoring.Decode(text); {
	case err != nil:
		e.Add(key, must+": %v", err)
	case decoded.Kind() != scoring.Object:
		e.Add(key, must+", is %q", text)
	default:
		return scoring.JSON(text)
	}
	return scoring.JSON("{}")
}

// Output is the value at key as an output. A string is a text, not JSON. Nil says nothing.
func (e *Errors) Output(key string, v any) scoring.Payload {
	switch v := v.(type) {
	case nil:
		return scoring.Payload{}
	case string:
		return scoring.Text(v)
	case json.RawMessage:
		text := string(v)
		if _, err := scoring.Decode(text); err != nil {
			e.Add(key, "%v", err)
		}
		return scoring.JSON(text)
	default:
		return scoring.JSON(e.JSON(key, v))
	}
}

// Enum sets an option to what one of its words names. The empty word leaves the default.
func Enum[T scoring.Option](e *Errors, key, word string, option *T) {
	if word != "" && e.OneOf(key, word, scoring.Words[T]()...) {
		*option, _ = scoring.Parse[T](word)
	}
}

// WholeNumber is v as an int, if it is a number without a fraction. 1e3 is one as well, which is a float to YAML.
func WholeNumber(v any) (int, bool) {
	switch n := reflect.ValueOf(v); {
	case n.CanInt():
		return int(n.Int()), true
	case n.CanUint():
		return int(n.Uint()), n.Uint() <= math.MaxInt //nolint:gosec // it says so
	case n.CanFloat():
		x := n.Float()
		return int(x), x == math.Trunc(x) && math.Abs(x) < 1<<53
	}
	return 0, false
}

// JSON is the value at key as JSON, with an error for each value that JSON cannot express. YAML distinguishes integers from floats, and so
// does the result: 1.0 stays 1.0, because some methods compare the two as different. Keys are sorted, because a configuration has lost their
// order.
func (e *Errors) JSON(key string, v any) string {
	text, err := json.Marshal(e.Under(key).exact(v))
	if err == nil {
		_, err = scoring.Decode(string(text)) // which may nest too deep
	}
	e.Unless(err == nil, key, "%v", err)
	return string(text)
}

// exact replaces floats by their digits, which encoding/json would write without a fraction of zero. It adds an error for each value that
// YAML has and JSON does not.
func (e *Errors) exact(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			m[key] = e.Under(key).exact(v[key])
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = e.Under(fmt.Sprintf("[%d]", i)).exact(v[i])
		}
		return list
	case time.Time:
		e.Add("", "is a timestamp to YAML, which forgets how it was written: put it in quotes")
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		mantissa, _, _ := strings.Cut(strings.TrimPrefix(text, "-"), "e")
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			e.Add("", "is %v, which JSON cannot say", v)
			return nil
		case math.Abs(v) > 1<<63 && len(mantissa) > len("1.23456789012345"): // so it was a whole number in YAML
			e.Add("", "is a number of which YAML keeps the first digits only: write the whole value as a text of JSON, '{\"n\": 1}'")
		case !strings.ContainsAny(text, ".e"):
			text += ".0"
		}
		return json.Number(text)
	}
	return v
}
