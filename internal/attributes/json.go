package attributes

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// MaxDepth bounds how deep a value may nest. Real arguments nest a few levels. A hostile message could nest as deep as its
// size allows, and every level takes stack in every decoder.
const MaxDepth = 100

// AppendJSON appends v as JSON text, or reports false if v nests deeper than [MaxDepth]. The text is deterministic. Map keys
// stay in their order, and a double keeps looking like one (1.0, not 1). NaN and the infinities, which JSON cannot write as
// numbers, become strings. Bytes become strings in base64.
func AppendJSON(b []byte, v pcommon.Value) ([]byte, bool) { return appendJSON(b, v, 0) }

// AppendMap is [AppendJSON] of the attributes themselves, as one object.
func AppendMap(b []byte, m pcommon.Map) ([]byte, bool) { return appendMap(b, m, 1) }

func appendJSON(b []byte, v pcommon.Value, depth int) ([]byte, bool) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return AppendString(b, v.Str()), true
	case pcommon.ValueTypeInt:
		return strconv.AppendInt(b, v.Int(), 10), true
	case pcommon.ValueTypeDouble:
		return appendDouble(b, v.Double()), true
	case pcommon.ValueTypeBool:
		return strconv.AppendBool(b, v.Bool()), true
	case pcommon.ValueTypeBytes:
		b = append(b, '"')
		b = base64.StdEncoding.AppendEncode(b, v.Bytes().AsRaw())
		return append(b, '"'), true
	case pcommon.ValueTypeSlice:
		return appendSlice(b, v.Slice(), depth+1)
	case pcommon.ValueTypeMap:
		return appendMap(b, v.Map(), depth+1)
	}
	return append(b, "null"...), true
}

// Text is what a value says: a string as it is, all else as JSON. It is false for a value that nests deeper than any real
// one does, which pdata's own AsString would follow until the stack ends.
func Text(v pcommon.Value) (string, bool) {
	if v.Type() == pcommon.ValueTypeStr {
		return v.Str(), true
	}
	text, ok := appendJSON(make([]byte, 0, 128), v, 0)
	return string(text), ok
}

// Errors of [TextWithin].
var (
	ErrTooLong = errors.New("it is too long")
	ErrTooDeep = errors.New("it nests too deep")
)

// TextWithin is [Text] of a value whose text is no longer than limit, in bytes. If the text is longer, TextWithin writes
// nothing and reads at most limit bytes.
func TextWithin(v pcommon.Value, limit int) (string, error) {
	if sizeOf(v, limit+1) > limit+1 {
		return "", ErrTooLong
	}
	text, ok := Text(v)
	switch {
	case !ok:
		return "", ErrTooDeep
	case len(text) > limit: // escapes make it longer
		return "", ErrTooLong
	}
	return text, nil
}

// Size returns roughly how many bytes a value has that OTTL reads. Those of a map or a list are those of its texts and keys, and one for
// each value. It stops beyond most, so that it takes little time for any value, and deep ones end as well.
func Size(v any, most int) (size int) {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	case pcommon.Map:
		for key, member := range v.All() {
			if size += len(key); size > most {
				break
			}
			size += sizeOf(member, most-size)
		}
	case pcommon.Slice:
		for i := 0; i < v.Len() && size <= most; i++ {
			size += sizeOf(v.At(i), most-size)
		}
	}
	return size
}

// sizeOf is [Size] of a value in a map or a list.
func sizeOf(v pcommon.Value, most int) int {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return 1 + len(v.Str())
	case pcommon.ValueTypeBytes:
		return 1 + v.Bytes().Len()
	case pcommon.ValueTypeMap:
		return 1 + Size(v.Map(), most-1)
	case pcommon.ValueTypeSlice:
		return 1 + Size(v.Slice(), most-1)
	}
	return 1
}

func appendSlice(b []byte, elements pcommon.Slice, depth int) ([]byte, bool) {
	if depth > MaxDepth {
		return b, false
	}
	b = append(b, '[')
	for i := range elements.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		var ok bool
		if b, ok = appendJSON(b, elements.At(i), depth); !ok {
			return b, false
		}
	}
	return append(b, ']'), true
}

func appendMap(b []byte, members pcommon.Map, depth int) ([]byte, bool) {
	if depth > MaxDepth {
		return b, false
	}
	b = append(b, '{')
	for key, value := range members.All() {
		if b[len(b)-1] != '{' { // no value ends so
			b = append(b, ',')
		}
		b = append(AppendString(b, key), ':')
		var ok bool
		if b, ok = appendJSON(b, value, depth); !ok {
			return b, false
		}
	}
	return append(b, '}'), true
}

// appendDouble writes f with the fewest digits that still are f, as plain decimals where those stay short.
func appendDouble(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	case f == math.Trunc(f) && math.Abs(f) < 1e16:
		return strconv.AppendFloat(b, f, 'f', 1, 64)
	case math.Abs(f) < 1e-4 || math.Abs(f) >= 1e16:
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// AppendString quotes s. What is no UTF-8 becomes U+FFFD, so the text is always valid JSON. What needs no escape, mostly
// all of it, is copied at once.
func AppendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; ' ' <= c && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
		i += n
		start = i
	}
	return append(append(b, s[start:]...), '"')
}
