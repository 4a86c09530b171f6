package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"

// A Value is one JSON value, read but not converted: numbers keep their written form, objects their key order.
// It is immutable. The zero value is null.
type Value = jsonvalue.Value

// Kind is what a JSON value is.
type Kind = jsonvalue.Kind

const (
	Null   = jsonvalue.Null
	Bool   = jsonvalue.Bool
	Number = jsonvalue.Number
	String = jsonvalue.String
	Array  = jsonvalue.Array
	Object = jsonvalue.Object
)

// A Decoder decodes one text after another into memory that it uses again. The zero value is ready to use, by one
// goroutine at a time.
type Decoder = jsonvalue.Decoder

// A SyntaxError says where a text stops being JSON.
type SyntaxError = jsonvalue.SyntaxError

// A Digest stands for a value: two values have the same Digest if they are [Equal], and else different ones. So one value
// is compared with many others at the cost of reading each of them once.
type Digest = jsonvalue.Digest

// Decode reads one JSON document as RFC 8259 has it, and nothing behind it but white space.
//
// Three things the RFC leaves open: a key that is written twice counts as written last, bytes in strings that are
// no UTF-8 are kept as they are, and more than 1,000 levels of nesting are an error.
func Decode(text string) (Value, error) { return jsonvalue.Decode(text) }

// StringValue is the string s.
func StringValue(s string) Value { return jsonvalue.StringValue(s) }

// Equal is the native method's equality.
//
//   - Numbers compare by their exact mathematical value: 1, 1.0 and 10e-1 are equal, and so are 0 and -0, but
//     9007199254740993 and 9007199254740992.0 are not.
//   - Text compares by code point, without normalisation. true is not 1, and "1" is not 1.
//   - Arrays compare in order, objects irrespective of it.
func Equal(a, b Value) bool { return jsonvalue.Equal(a, b) }
