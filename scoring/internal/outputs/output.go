package outputs

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// An Output is what a call returned, or should return, prepared for comparison. The zero Output is null.
type Output struct {
	value jsonvalue.Value
	// text is the output as it was written: 42 may be a number, or a text of two digits. written: there is such a text.
	text    string
	written bool
	// inner is the result inside content blocks, or nil if the output is none. opened: inner is set.
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
	if v.Kind() == jsonvalue.String && o.mayHoldBlocks() {
		if parsed, err := jsonvalue.Decode(v.Text()); err == nil {
			o.open(parsed)
		}
	}
	o.content()
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

// content returns the result inside content blocks, or nil if o is none. It never decodes the text of a call's output.
func (o *Output) content() *Output {
	if o.opened {
		return o.inner // [Wanted] set it before sharing
	}
	if o.mayHoldBlocks() {
		o.open(o.value)
	}
	o.opened = true
	return o.inner
}

// open sets inner to the result inside content blocks.
func (o *Output) open(blocks jsonvalue.Value) {
	c, ok := ContentOf(blocks)
	if !ok {
		return
	}
	o.opened = true
	switch len(c.Texts) {
	case 0:
		o.inner = &Output{value: c.JSON, opened: true}
	case 1:
		v, err := jsonvalue.Decode(c.Texts[0])
		if err != nil {
			v = jsonvalue.StringValue(c.Texts[0])
		}
		o.inner = &Output{value: v, text: c.Texts[0], written: true}
	default:
		o.inner = &Output{value: jsonvalue.StringValue(strings.Join(c.Texts, "\n")), opened: true}
	}
}

// Agrees reports whether a call returned what was expected. equal is how the method compares values.
//
//   - If a tool returned the text 42, its span looks like a number. So an expected text also equals an output that is written
//     as that text.
//   - Only one side may be content blocks: some instrumentations record what the tool's server sent, others what the agent
//     received.
func (o *Output) Agrees(called *Output, equal func(e, c jsonvalue.Value) bool) bool {
	if o.is(called, equal) {
		return true
	}
	inner, found := o.content(), called.content()
	return inner != nil && inner.is(called, equal) || found != nil && o.is(found, equal) ||
		inner != nil && found != nil && inner.is(found, equal)
}

// is compares without opening content blocks.
func (o *Output) is(called *Output, equal func(e, c jsonvalue.Value) bool) bool {
	if equal(o.value, called.value) {
		return true
	}
	return called.written && o.value.IsText(called.text)
}
