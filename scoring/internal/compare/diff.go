package compare

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// A Difference is one place at which two values differ.
type Difference struct {
	// Path leads to the place: "currency", "lines[0].sku". It is empty for the value as a whole.
	Path string
	// Expected and Called are the two values at the path. Missing: the called value has none. Extra: the expected one has none.
	Expected, Called jsonvalue.Value
	Missing, Extra   bool
	// Wanted says what a matcher accepts there. It is empty where one value is expected.
	Wanted string
	// If only the called value has the key, Under is the path of its object. The names of such keys may be private, so Alike
	// has their number. The first difference of an object has it, the others have 0.
	Under string
	Alike int
}

// A Rule says which keys of objects do not count: those that only the called value has (IgnoreExtra), or those that it lacks
// (IgnoreMissing).
type Rule struct{ IgnoreExtra, IgnoreMissing bool }

// Differences returns the first differences of two values, at most a number. It compares objects key by key, arrays of the same
// length element by element, and all else as a whole. For the expected value {"lines":[{"sku":"a"}]} and the called one
// {"lines":[{"sku":"b"}],"gift":true} it returns
//
//	lines[0].sku  b instead of a
//	gift          extra: only the called value has it
//
// Inside an array every key counts, under any rule, because modes compare arrays as a whole.
func Differences(expected, called jsonvalue.Value, rule Rule, most int) []Difference {
	w := walker{rule: rule, most: most}
	w.compare(expected, called)
	return w.found
}

// A walker walks two values side by side.
type walker struct {
	rule  Rule
	path  []byte
	most  int
	found []Difference
}

// isFull reports whether there are as many differences as were asked for.
func (w *walker) isFull() bool { return len(w.found) == w.most }

func (w *walker) compare(e, c jsonvalue.Value) {
	switch {
	case w.isFull():
	case e.Kind() == jsonvalue.Object && c.Kind() == jsonvalue.Object:
		w.objects(e, c)
	case e.Kind() == jsonvalue.Array && c.Kind() == jsonvalue.Array && e.Len() == c.Len():
		w.arrays(e, c)
	case !jsonvalue.Equal(e, c):
		w.found = append(w.found, Difference{Path: string(w.path), Expected: e, Called: c})
	}
}

func (w *walker) objects(e, c jsonvalue.Value) {
	extra := c.Len()
	for name, wanted := range e.Members() {
		v, found := c.Member(name)
		if found {
			extra--
		} else if w.rule.IgnoreMissing {
			continue
		}
		at := w.enter(name)
		if found {
			w.compare(wanted, v)
		} else if !w.isFull() {
			w.found = append(w.found, Difference{Path: string(w.path), Expected: wanted, Missing: true})
		}
		w.path = w.path[:at]
	}
	if !w.rule.IgnoreExtra {
		w.extraKeys(e, c, extra)
	}
}

// extraKeys adds differences for the first keys that only the called value has. extra is how many there are.
func (w *walker) extraKeys(e, c jsonvalue.Value, extra int) {
	alike := extra
	for name, value := range c.Members() {
		if extra == 0 || w.isFull() {
			return
		}
		if _, found := e.Member(name); found {
			continue
		}
		under := string(w.path)
		at := w.enter(name)
		w.found = append(w.found, Difference{Path: string(w.path), Called: value, Extra: true, Under: under, Alike: alike})
		w.path = w.path[:at]
		alike = 0
	}
}

// arrays compares elements for full equality, under any rule.
func (w *walker) arrays(e, c jsonvalue.Value) {
	rule, at, i := w.rule, len(w.path), 0
	w.rule = Rule{}
	jsonvalue.SameElements(e, c, func(x, y jsonvalue.Value) bool {
		w.path = append(strconv.AppendInt(append(w.path, '['), int64(i), 10), ']')
		w.compare(x, y)
		w.path = w.path[:at]
		i++
		return !w.isFull()
	})
	w.rule = rule
}

// maxKey bounds the bytes of a key in a path.
const maxKey = 64

// enter adds the step to a member, .name or ["not a name"], and returns the length of the path before.
func (w *walker) enter(name string) (before int) {
	before = len(w.path)
	switch {
	case !isPlain(name):
		w.path = fmt.Appendf(w.path, `["%s"]`, names.Safe(name, maxKey))
		return before
	case before > 0:
		w.path = append(w.path, '.')
	}
	w.path = append(w.path, name...)
	return before
}

// isPlain reports whether a key reads well without quotes.
func isPlain(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return 0 < len(name) && len(name) <= maxKey
}

// Shown returns a value in a few characters: up to limit bytes of a number or text, the size of an array or object.
func Shown(v jsonvalue.Value, limit int) string {
	switch v.Kind() {
	case jsonvalue.Bool:
		return strconv.FormatBool(v.Bool())
	case jsonvalue.Number:
		return names.Safe(v.Lexeme(), limit)
	case jsonvalue.String:
		return `"` + names.Safe(v.Text(), limit) + `"`
	case jsonvalue.Array:
		return fmt.Sprintf("an array of %d", v.Len())
	case jsonvalue.Object:
		return fmt.Sprintf("an object of %d", v.Len())
	}
	return "null"
}

// ShownApart returns two values as [Shown] does. Where texts would look alike, it shows them from the place where they differ, and with
// escapes if the difference is in characters beyond ASCII.
func ShownApart(a, b jsonvalue.Value, limit int) (string, string) {
	x, y := Shown(a, limit), Shown(b, limit)
	if a.Kind() != jsonvalue.String || b.Kind() != jsonvalue.String {
		return x, y
	}
	s, t := a.Text(), b.Text()
	from, most := 0, min(len(s), len(t))
	for from < most && s[from] == t[from] {
		from++
	}
	to := 0
	for to < most-from && s[len(s)-1-to] == t[len(t)-1-to] {
		to++
	}
	const few = 8 // bytes that look like one character or two
	differ := s[from:len(s)-to] + t[from:len(t)-to]
	if from > limit/2 {
		s, t = startingAt(s, from), startingAt(t, from)
	}
	switch {
	case len(differ) <= few && strings.ContainsFunc(differ, func(r rune) bool { return r >= utf8.RuneSelf }):
		return escaped(s, limit), escaped(t, limit)
	case x == y:
		return Shown(jsonvalue.StringValue(s), limit), Shown(jsonvalue.StringValue(t), limit)
	}
	return x, y
}

// escaped quotes about limit bytes of a text, without characters beyond ASCII.
func escaped(text string, limit int) string {
	return strconv.QuoteToASCII(strings.ToValidUTF8(text[:min(len(text), limit)], "\uFFFD"))
}

// startingAt returns a text without what is far before a place.
func startingAt(text string, from int) string {
	const context = 8
	from = max(from-context, 0)
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	return text[from:]
}
