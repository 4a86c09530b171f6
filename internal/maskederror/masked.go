package maskederror

import (
	"regexp"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
)

// A maskedSpan has the types of another span and none of its values, so that errors about it can be logged. It keeps the
// values and keys that the condition itself spells out, so that the condition is evaluated in the same way.
type maskedSpan struct {
	literals map[string]bool
	text     string
	number   int64
	truth    bool
}

// masked replaces a text. It has no letters, so that it is no word of a message, and nothing that is escaped in quotes.
const masked = "***"

// maskings are tried in order, because whether a condition fails may depend on values. They are a text of no other type, an
// empty one, and texts that are JSON.
var maskings = []maskedSpan{
	{text: masked, truth: true}, {text: masked}, {text: "", number: 1, truth: true}, {text: "{}", number: -1}, {text: "[]", number: 1},
}

// maxMasked is how deep the values of a masked copy nest.
const maxMasked = 32

// SpanID is the ID of every masked span. By it a condition under test knows that it is asked for the sake of an error.
var SpanID = pcommon.SpanID{1}

// literal is a text or a number in a condition.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?`)

// literals are the texts and numbers that a condition spells out, in order.
func literals(when string) (all []string) {
	for _, found := range literal.FindAllString(when, -1) {
		if text, err := strconv.Unquote(found); err == nil {
			found = text
		}
		all = append(all, found)
	}
	return all
}

// of makes the masked copy of an anchor. The copy has no events and no links.
func (s *maskedSpan) of(anchor *condition.Place) *condition.Place {
	rs := ptrace.NewResourceSpans()
	ss := rs.ScopeSpans().AppendEmpty()
	to := &condition.Place{Resource: rs, Scope: ss, Span: ss.Spans().AppendEmpty()}
	s.attributes(anchor.Resource.Resource().Attributes(), rs.Resource().Attributes())
	ss.Scope().SetName(s.string(anchor.Scope.Scope().Name()))
	ss.Scope().SetVersion(s.string(anchor.Scope.Scope().Version()))
	s.attributes(anchor.Scope.Scope().Attributes(), ss.Scope().Attributes())
	s.span(anchor.Span, to.Span)
	return to
}

func (s *maskedSpan) span(from, to ptrace.Span) {
	to.SetName(s.string(from.Name()))
	to.SetKind(from.Kind())
	to.SetTraceID(pcommon.TraceID{1})
	to.SetSpanID(SpanID)
	if !from.ParentSpanID().IsEmpty() {
		to.SetParentSpanID(pcommon.SpanID{2})
	}
	to.SetStartTimestamp(1)
	to.SetEndTimestamp(2)
	to.Status().SetCode(from.Status().Code())
	to.Status().SetMessage(s.string(from.Status().Message()))
	s.attributes(from.Attributes(), to.Attributes())
}

func (s *maskedSpan) attributes(from, to pcommon.Map) { s.object(from, to, maxMasked) }

// object keeps the keys that the condition spells out. The others are numbered.
func (s *maskedSpan) object(from, to pcommon.Map, depth int) {
	to.EnsureCapacity(from.Len())
	n := 0
	for key, value := range from.All() {
		n++
		if !s.literals[key] {
			key = masked + strconv.Itoa(n)
		}
		s.value(value, to.PutEmpty(key), depth-1)
	}
}

func (s *maskedSpan) value(from, to pcommon.Value, depth int) {
	if depth < 0 {
		return
	}
	switch from.Type() {
	case pcommon.ValueTypeStr:
		to.SetStr(s.string(from.Str()))
	case pcommon.ValueTypeInt:
		to.SetInt(s.number)
		if s.literals[strconv.FormatInt(from.Int(), 10)] {
			to.SetInt(from.Int())
		}
	case pcommon.ValueTypeDouble:
		to.SetDouble(float64(s.number))
		if s.literals[strconv.FormatFloat(from.Double(), 'f', -1, 64)] {
			to.SetDouble(from.Double())
		}
	case pcommon.ValueTypeBool:
		to.SetBool(s.truth)
	case pcommon.ValueTypeBytes:
		to.SetEmptyBytes().FromRaw([]byte(s.text))
	case pcommon.ValueTypeMap:
		s.object(from.Map(), to.SetEmptyMap(), depth)
	case pcommon.ValueTypeSlice:
		list := to.SetEmptySlice()
		for _, element := range from.Slice().All() {
			s.value(element, list.AppendEmpty(), depth-1)
		}
	}
}

// string keeps what the condition spells out.
func (s *maskedSpan) string(text string) string {
	if s.literals[text] {
		return text
	}
	return s.text
}
