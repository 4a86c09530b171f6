package outputs

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// An Output is what a call returned, or should return, ready to be compared. The zero Output is null.
type Output struct {
	value jsonvalue.Value
	// text is the output as it was written, which is not the same as its value: 42 may be a number, or a text of two
	// digits. written: there is such a text.
	text    string
	written bool
	// inner is the result inside content blocks, if the output is such blocks. opened: inner has been looked for.
	inner  *Output
	opened bool
}

// Called is an output that was written as a text and read as v. written says that the text is JSON: else it is the value
// itself.
func Called(text string, written bool, v jsonvalue.Value) Output {
	return Output{value: v, text: text, written: written}
}

// Wanted is like [Called] for an output that an expectation states. If the value is a text, that text may be JSON of content
// blocks. A wanted output may be used by several goroutines.
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

// Result is the value, or if that is content blocks the result inside.
func (o *Output) Result() jsonvalue.Value {
	if inner := o.content(); inner != nil {
		return inner.value
	}
	return o.value
}

// mayHoldBlocks reports whether the output may be content blocks. It is cheap, and saves most decoding.
func (o *Output) mayHoldBlocks() bool {
	return strings.Contains(o.text, "text") || strings.Contains(o.text, "json")
}

// content is the result inside content blocks, or nil if o is none. The text of a call's output is never decoded.
func (o *Output) content() *Output {
	if o.opened {
		return o.inner // that of an expectation is shared and no longer written
	}
	if o.mayHoldBlocks() {
		o.open(o.value)
	}
	o.opened = true
	return o.inner
}

// open takes the result out of content blocks.
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
//   - Spans carry text: if a tool returned the text 42, its span reads like a number. So an expected text also equals an
//     output that is written as that text.
//   - Content blocks may be on one side only: some instrumentations write what the tool's server sent, others what the
//     agent received.
func (o *Output) Agrees(called *Output, equal func(e, c jsonvalue.Value) bool) bool {
	if o.is(called, equal) {
		return true
	}
	inner, found := o.content(), called.content()
	return inner != nil && inner.is(called, equal) || found != nil && o.is(found, equal) ||
		inner != nil && found != nil && inner.is(found, equal)
}

// is compares without looking into content blocks.
func (o *Output) is(called *Output, equal func(e, c jsonvalue.Value) bool) bool {
	if equal(o.value, called.value) {
		return true
	}
	return called.written && o.value.IsText(called.text)
}
