package wrapped

import (
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

	// The compiler inlines the iterators of a value in a package that imports theirs. It need not do so for an alias. Without inlining,
	// each loop over a value allocates.
	_ "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// AppendValue writes v as JSON text again, numbers as they were written.
func AppendValue(b []byte, v scoring.Value) []byte {
	switch v.Kind() {
	case scoring.Bool:
		return strconv.AppendBool(b, v.Bool())
	case scoring.Number:
		return append(b, v.Lexeme()...)
	case scoring.String:
		return attributes.AppendString(b, v.Text())
	case scoring.Array:
		b = append(b, '[')
		first := true
		for e := range v.Elements() {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = AppendValue(b, e)
		}
		return append(b, ']')
	case scoring.Object:
		b = append(b, '{')
		first := true
		for key, m := range v.Members() {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(attributes.AppendString(b, key), ':')
			b = AppendValue(b, m)
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// PayloadOf is the payload of a value in a larger document. A string is read as JSON text, because frameworks encode results
// before they put them into a text field. A string that is no JSON stays a text.
func PayloadOf(v scoring.Value) scoring.Payload {
	if v.Kind() == scoring.String {
		return scoring.JSON(v.Text())
	}
	return scoring.JSON(string(AppendValue(nil, v)))
}
