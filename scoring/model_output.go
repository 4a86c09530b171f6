package scoring

import "strings"

// An output is what a call returned, or should return, ready to be compared.
type output struct {
	value Value
	// text is the output as it was written, which is not the same as its value: 42 may be a number, or a text of two
	// digits. written: there is such a text.
	text    string
	written bool
	// inner is the result inside content blocks, if the output is such blocks. opened: inner has been looked for.
	inner  *output
	opened bool
}

// outputOf is the output in a payload that was read as v.
func outputOf(p Payload, v Value) output {
	return output{value: v, text: p.text, written: p.form == jsonText}
}

// wantedOutput is an output that an expectation states. If it is a text, the text may be JSON of content blocks.
func wantedOutput(p Payload, v Value) output {
	o := outputOf(p, v)
	if v.Kind() == String && o.mayHoldBlocks() {
		if parsed, err := Decode(v.Text()); err == nil {
			o.open(parsed)
		}
	}
	o.content()
	return o
}

// mayHoldBlocks reports whether the output may be content blocks. It is cheap, and saves most decoding.
func (o *output) mayHoldBlocks() bool {
	return strings.Contains(o.text, "text") || strings.Contains(o.text, "json")
}

// content is the result inside content blocks, or nil if o is none. The text of a call's output is never decoded.
func (o *output) content() *output {
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
func (o *output) open(blocks Value) {
	c, ok := ContentOf(blocks)
	if !ok {
		return
	}
	o.opened = true
	switch len(c.Texts) {
	case 0:
		o.inner = &output{value: c.JSON, opened: true}
	case 1:
		p := JSON(c.Texts[0])
		v, _ := p.Value()
		inner := outputOf(p, v)
		o.inner = &inner
	default:
		o.inner = &output{value: StringValue(strings.Join(c.Texts, "\n")), opened: true}
	}
}

// agrees reports whether a call returned what was expected. equal is how the method compares values.
//
//   - Spans carry text: if a tool returned the text 42, its span reads like a number. So an expected text also equals an
//     output that is written as that text.
//   - Content blocks may be on one side only: some instrumentations write what the tool's server sent, others what the
//     agent received.
func (o *output) agrees(called *output, equal func(e, c Value) bool) bool {
	if o.is(called, equal) {
		return true
	}
	inner, found := o.content(), called.content()
	return inner != nil && inner.is(called, equal) || found != nil && o.is(found, equal) ||
		inner != nil && found != nil && inner.is(found, equal)
}

// is compares without looking into content blocks.
func (o *output) is(called *output, equal func(e, c Value) bool) bool {
	if equal(o.value, called.value) {
		return true
	}
	return called.written && o.value.IsText(called.text)
}
