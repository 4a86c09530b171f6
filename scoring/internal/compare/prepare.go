package compare

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// Changes say how [Rewrite] changes a value.
type Changes struct {
	// Ignore are patterns of the paths of keys that are left out.
	Ignore []string
	// Defaults has values for missing keys.
	Defaults jsonvalue.Value
	// Matchers replace the values that they accept. A value that is not accepted becomes one that differs from Expected in its kind, or
	// stays as it is if KeepRejected is true.
	Matchers     []Matcher
	KeepRejected bool
}

// Rewrite writes a value with changes:
//
//	ignore     meta.*
//	defaults   {"limit": 10}
//	matchers   query: one of x, y; expected is x
//	value      {"query": "y", "meta": {"id": 7}}
//	written    {"query": "x", "meta": {}, "limit": 10}
//
// A pattern is matched with the path of a key, such as meta.id or lines[0].sku. Numbers and strings are kept byte by byte. work is
// what comparing paths with patterns may take. If it is spent, what is written lacks keys.
func Rewrite(v jsonvalue.Value, changes *Changes, work *names.Budget) string {
	w := writer{Changes: changes, work: work}
	w.value(v, changes.Defaults)
	return string(w.text)
}

type writer struct {
	*Changes

	work       *names.Budget
	path, text []byte
}

func (t *writer) value(v, defaults jsonvalue.Value) {
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

func (t *writer) object(v, defaults jsonvalue.Value) {
	t.text = append(t.text, '{')
	for name, member := range v.Members() {
		d, _ := defaults.Member(name)
		t.member(name, member, d)
	}
	for name, member := range defaults.Members() {
		if _, has := v.Member(name); !has {
			t.member(name, member, jsonvalue.Value{})
		}
	}
	t.text = append(t.text, '}')
}

// member writes a key and its value, unless the key is ignored.
func (t *writer) member(name string, v, defaults jsonvalue.Value) {
	n := len(t.path)
	if n > 0 {
		t.path = append(t.path, '.')
	}
	t.path = append(t.path, name...)
	if len(t.Ignore) == 0 || !t.ignores() {
		if t.text[len(t.text)-1] != '{' {
			t.text = append(t.text, ',')
		}
		t.quote(name)
		t.text = append(t.text, ':')
		t.value(t.matched(v), defaults)
	}
	t.path = t.path[:n]
}

// matched returns the value at the path as the matcher of the path leaves it.
func (t *writer) matched(v jsonvalue.Value) jsonvalue.Value {
	if len(t.Matchers) == 0 {
		return v
	}
	t.work.Spend(len(t.Matchers) + len(t.path))
	for i := range t.Matchers {
		m := &t.Matchers[i]
		switch {
		case m.Path != string(t.path):
			continue
		case m.Accepts(v):
			return m.Expected
		case t.KeepRejected:
			return v
		case m.Expected.Kind() == jsonvalue.Null:
			return jsonvalue.StringValue("")
		}
		return jsonvalue.Value{}
	}
	return v
}

// ignores reports whether a pattern matches the path.
func (t *writer) ignores() bool {
	if !t.work.Spend(len(t.path)) {
		return true
	}
	path := string(t.path)
	return slices.ContainsFunc(t.Ignore, func(pattern string) bool { return t.work.Match(pattern, path) }) || t.work.Spent()
}

// quote writes a string so that the decoder reads the same bytes, even invalid UTF-8.
func (t *writer) quote(s string) {
	t.text = append(t.text, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			t.text = append(t.text, '\\', c)
		case c < ' ':
			t.text = fmt.Appendf(t.text, `\u%04x`, c)
		default:
			t.text = append(t.text, c)
		}
	}
	t.text = append(t.text, '"')
}

// A Matcher accepts several values of a key. [Rewrite] replaces those by Expected, so that any comparison with Expected finds them equal.
type Matcher struct {
	// Path is the path of the key, such as city or address.city.
	Path     string
	Expected jsonvalue.Value
	Accepts  func(jsonvalue.Value) bool
}

// OneOf accepts the elements of a list.
func OneOf(list jsonvalue.Value) func(jsonvalue.Value) bool {
	digests := digestsOf(list)
	return func(v jsonvalue.Value) bool { return digests[v.Digest()] > 0 }
}

// AnyOrder accepts lists that have the elements of a list, each as often, in any order.
func AnyOrder(list jsonvalue.Value) func(jsonvalue.Value) bool {
	digests := digestsOf(list)
	return func(v jsonvalue.Value) bool { return v.Kind() == jsonvalue.Array && maps.Equal(digestsOf(v), digests) }
}

func digestsOf(list jsonvalue.Value) map[jsonvalue.Digest]int {
	digests := make(map[jsonvalue.Digest]int, list.Len())
	for element := range list.Elements() {
		digests[element.Digest()]++
	}
	return digests
}

// Near accepts numbers from number-within to number+within. within is a number, or a share of number such as 5%. The second result is
// false if one of them is no number, or within is negative.
func Near(number, within string) (accepts func(jsonvalue.Value) bool, ok bool) {
	share, relative := strings.CutSuffix(within, "%")
	middle, isNumber := decimal(number)
	distance, isDistance := decimal(share)
	if !isNumber || !isDistance || distance.Sign() < 0 {
		return nil, false
	}
	if relative {
		distance.Mul(distance, new(big.Rat).Abs(middle)).Quo(distance, big.NewRat(100, 1))
	}
	// The bounds are rounded once, and so is a number that is compared with them. Rounding keeps the order of numbers.
	low, _ := new(big.Rat).Sub(middle, distance).Float64()
	high, _ := new(big.Rat).Add(middle, distance).Float64()
	return func(v jsonvalue.Value) bool {
		if v.Kind() != jsonvalue.Number {
			return false
		}
		x := parseFloat(v.Lexeme())
		return low <= x && x <= high
	}, true
}

// decimal returns the number that a text has, up to the digits of a float64. The second result is false if it has none.
func decimal(text string) (*big.Rat, bool) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	return new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64)) // not that of the text, which may have any exponent
}

// Loosely accepts texts that differ from a text in case, spaces and punctuation alone.
func Loosely(text string) func(jsonvalue.Value) bool {
	plain := Plain(text)
	return func(v jsonvalue.Value) bool { return v.Kind() == jsonvalue.String && Plain(v.Text()) == plain }
}

// Plain returns a text in lower case, without spaces and punctuation. Between two digits they count as one space, so 1.5 is not 15.
func Plain(text string) string {
	var b strings.Builder
	apart, afterDigit := false, false
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsPunct(r) {
			apart = true
			continue
		}
		digit := unicode.IsDigit(r)
		if apart && afterDigit && digit {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		apart, afterDigit = false, digit
	}
	return b.String()
}

// An Output is what a call returned, or should return, prepared for comparison. The zero Output is null.
//
// Telemetry has an output as text, and often inside an envelope. So equal outputs can look different in two ways:
//
//   - A text that looks like JSON. A tool that returned the text 42 leaves 42 on its span, which reads like a number. The expected
//     text "42" agrees with it. The expected number 42 does not agree with the text "42".
//   - Content blocks, as the Model Context Protocol, Strands and model providers write them: see [ContentOf]. Only one side may
//     have them: some instrumentations record what the tool's server sent, others what the agent received.
type Output struct {
	value jsonvalue.Value
	// text is the output as it was written: 42 may be a number, or a text of two digits. written: there is such a text.
	text    string
	written bool
	// inner is the result inside content blocks, or nil if the output is none. opened: it was looked for.
	inner  *Output
	opened bool
}

// Called returns the output of a call, written as text and decoded as v. If written is false, v is the text itself as a
// string.
func Called(text string, written bool, v jsonvalue.Value) Output {
	return Output{value: v, text: text, written: written}
}

// Wanted is like [Called] for an output that an expectation states. If v is a string, it may be JSON of content blocks.
// Several goroutines may use a wanted output.
func Wanted(text string, written bool, v jsonvalue.Value) Output {
	o := Called(text, written, v)
	if o.content(); v.Kind() == jsonvalue.String && o.mayHoldBlocks() {
		blocks, _ := jsonvalue.Decode(v.Text())
		o.inner = inside(blocks)
	}
	return o
}

// Result returns the value, or the result inside if the value is content blocks.
func (o *Output) Result() jsonvalue.Value {
	if inner := o.content(); inner != nil {
		return inner.value
	}
	return o.value
}

// MayBe reports whether called, which is no o, may be one that could not be read or was encoded twice. Then o is an object or a
// list. The result of called is a text that begins like one, or like JSON of a text.
func (o *Output) MayBe(called *Output) bool {
	result := called.Result()
	if kind := o.Result().Kind(); kind != jsonvalue.Object && kind != jsonvalue.Array || result.Kind() != jsonvalue.String {
		return false
	}
	text := strings.TrimSpace(result.Text())
	return text != "" && strings.ContainsRune(`{["`, rune(text[0]))
}

// mayHoldBlocks reports whether the output may be content blocks. It is cheap and avoids most decoding.
func (o *Output) mayHoldBlocks() bool {
	return strings.Contains(o.text, "text") || strings.Contains(o.text, "json")
}

// content returns the result inside content blocks, or nil if o is none. It never decodes the text of a call's output. It looks for blocks
// once: [Wanted] does it before o is shared.
func (o *Output) content() *Output {
	if !o.opened {
		o.opened = true
		if o.mayHoldBlocks() {
			o.inner = inside(o.value)
		}
	}
	return o.inner
}

// inside returns the result inside content blocks, or nil.
func inside(blocks jsonvalue.Value) *Output {
	c, ok := ContentOf(blocks)
	switch {
	case !ok:
		return nil
	case len(c.Texts) == 0:
		return &Output{value: c.JSON}
	case len(c.Texts) > 1:
		return &Output{value: jsonvalue.StringValue(strings.Join(c.Texts, "\n"))}
	}
	v, err := jsonvalue.Decode(c.Texts[0])
	if err != nil {
		v = jsonvalue.StringValue(c.Texts[0])
	}
	return &Output{value: v, text: c.Texts[0], written: true}
}

// Agrees reports whether a call returned what was expected.
func (o *Output) Agrees(called *Output, equal Equality) bool {
	if o.is(called, equal) {
		return true
	}
	inner, found := o.content(), called.content()
	return inner != nil && inner.is(called, equal) || found != nil && o.is(found, equal) ||
		inner != nil && found != nil && inner.is(found, equal)
}

// is compares without opening content blocks.
func (o *Output) is(called *Output, equal Equality) bool {
	if equal(o.value, called.value) {
		return true
	}
	return called.written && o.value.Kind() == jsonvalue.String && o.value.Text() == called.text
}

// Content is the result in a list of content blocks.
type Content struct {
	// Texts are the texts of the blocks, in order. A block with JSON instead of a text adds none.
	Texts []string
	// JSON is the value of the only block with JSON. It is set only if there are no texts.
	JSON jsonvalue.Value
}

// ContentOf extracts the result from content blocks as MCP, Strands and model providers write them. It knows [{"type":
// "text", "text": ...}], [{"json": ...}], MCP's CallToolResult around such a list, and a single block. It returns false for
// anything else, such as a list with an image.
func ContentOf(v jsonvalue.Value) (Content, bool) {
	if v.HasOnly("type", "text", "annotations", "_meta", "meta") && textAt(v, "type") == "text" {
		text, ok := blockText(v) // the OpenAI Agents SDK writes a single block of an MCP server like this
		return Content{Texts: []string{text}}, ok
	}
	list, ok := blockList(v)
	if !ok || list.Len() == 0 {
		return Content{}, false
	}
	var c Content
	for block := range list.Elements() {
		if inner, ok := block.Member("json"); ok && block.Len() == 1 && list.Len() == 1 {
			return Content{JSON: inner}, true
		}
		text, ok := blockText(block)
		if !ok {
			return Content{}, false
		}
		c.Texts = append(c.Texts, text)
	}
	return c, len(c.Texts) > 0
}

// blockList returns v, or the list in MCP's CallToolResult. An object with any other key is the tool's own result.
func blockList(v jsonvalue.Value) (jsonvalue.Value, bool) {
	if v.Kind() == jsonvalue.Array {
		return v, true
	}
	if !v.HasOnly("content", "isError", "is_error", "structuredContent", "structured_content", "_meta", "meta") &&
		!v.HasOnly("content", "state", "id", "metadata", "stream", "is_last", "is_interrupted") { // AgentScope
		return jsonvalue.Value{}, false
	}
	return v.Member("content")
}

// blockText returns the text of {"type": "text", "text": ...}, or of Strands' {"text": ...}, which has no type.
func blockText(block jsonvalue.Value) (string, bool) {
	text, ok := block.Member("text")
	if !ok || text.Kind() != jsonvalue.String {
		return "", false
	}
	return text.Text(), block.Len() == 1 || textAt(block, "type") == "text"
}

// textAt returns the text under a key of an object, or "".
func textAt(v jsonvalue.Value, key string) string {
	m, _ := v.Member(key)
	return m.Text()
}
