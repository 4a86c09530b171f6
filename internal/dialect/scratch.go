package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Scratch is working memory in which a ModelResponse is read. The next ModelResponse uses the memory again, and none of them
// refers to it. The zero value is ready to use, for one ModelResponse at a time.
type Scratch struct {
	want  Want
	given given // what the model was given, if loops are wanted
	// source is the span. It stands here because its address goes to the readers of messages.
	source source
	// decoders decode the first documents of a ModelResponse. Most have no more. used is how many were used.
	decoders [4]scoring.Decoder
	used     int
	fields   flatMessages
	names    offered
	// toolSpans says of the scope that was asked for last whether its instrumentation writes tool spans.
	toolSpans struct {
		scope   string
		written bool
	}
	// unread: a text that may have requests or results could not be read.
	unread bool
	// cut: a length limit ended the response within the arguments of a request, so nobody ran it.
	cut bool
}

// spareItems bounds the memory that a Scratch keeps after a long ModelResponse.
const spareItems = 1 << 10

// leave clears the memory after a ModelResponse, so that the scratch keeps no span alive.
func (d *Scratch) leave() {
	for i := range d.decoders {
		d.decoders[i].Forget()
	}
	d.used, d.source = 0, source{scope: d.source.scope}
	d.fields, d.names = emptied(d.fields), emptied(d.names)
}

// emptied is list without elements, and without what they point to.
func emptied[S ~[]E, E any](list S) S {
	if cap(list) > spareItems {
		return nil
	}
	clear(list)
	return list[:0]
}

// document decodes the attribute key, which is JSON text or a structured value. Decoding a long text is expensive and most
// texts request no call, so one of the words must be in it. What cannot be decoded yields null, and the response is unread.
func (s *source) document(key string, markers words.List) scoring.Value {
	v, ok := s.attributes.Get(key)
	if !ok {
		return scoring.Value{}
	}
	return s.documentIn(v, markers)
}

func (s *source) documentIn(v pcommon.Value, markers words.List) scoring.Value {
	document, read := s.scratch.documentOf(v, markers)
	s.scratch.unread = s.scratch.unread || !read
	return document
}

// hint decodes an attribute without which the response can be read.
func (s *source) hint(key string, markers words.List) scoring.Value {
	unread := s.scratch.unread
	document := s.document(key, markers)
	s.scratch.unread = unread
	return document
}

// documentOf reports false if v may have the words and cannot be decoded.
func (d *Scratch) documentOf(v pcommon.Value, markers words.List) (document scoring.Value, read bool) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return d.decoded(v.Str(), markers)
	case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		if text, ok := attributes.AppendJSON(make([]byte, 0, onStack), v); ok {
			return d.decoded(string(text), markers)
		}
		return scoring.Value{}, false
	}
	return scoring.Value{}, true
}

// decoded is the value of a JSON text, or null if it is none or has none of the words. It is valid until the ModelResponse
// is done. It reports false if the text may have the words and cannot be decoded. Prose has none.
func (d *Scratch) decoded(text string, markers words.List) (v scoring.Value, read bool) {
	if !markers.In(text) {
		return scoring.Value{}, !words.IsCut(text)
	}
	decode := scoring.Decode
	if d.used < len(d.decoders) {
		decode = d.decoders[d.used].Decode
		d.used++
	}
	v, err := decode(text)
	if err == nil {
		return v, true
	}
	if python, ok := pyliteral.JSON(text); ok {
		v, err = scoring.Decode(python)
		return v, err == nil
	}
	return scoring.Value{}, !words.IsDocument(text)
}

// opened decodes a string that is itself JSON, an object or an array. Anything else stays as it is.
func (d *Scratch) opened(v scoring.Value) scoring.Value {
	text := strings.TrimSpace(v.Text())
	if text == "" || text[0] != '{' && text[0] != '[' {
		return v
	}
	if inner, _ := d.decoded(text, nil); inner.Kind() != scoring.Null {
		return inner
	}
	return v
}

// arguments and output are the value of the first of keys that v has, if they are wanted.
func (d *Scratch) arguments(v scoring.Value, keys ...string) (p scoring.Payload) {
	if d.want.Arguments {
		p = encoded(v, keys...)
	}
	return p
}

func (d *Scratch) output(v scoring.Value, keys ...string) (p scoring.Payload) {
	if d.want.Outputs {
		p = encoded(v, keys...)
	}
	return p
}
