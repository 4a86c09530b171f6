package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"

// A Value is one JSON value as it was written: see [jsonvalue.Value]. The zero value is null.
type Value = jsonvalue.Value

// Kind is the kind of a JSON value.
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

// A Digest is a hash of a value. [Equal] values have the same Digest, all others have different ones.
type Digest = jsonvalue.Digest

// Decode reads one JSON document as RFC 8259 defines it. Only white space may follow it. The error is a [*SyntaxError].
//
// The RFC leaves three questions open. If a key is repeated, its last member counts. Invalid UTF-8 in strings is kept. More
// than 1,000 levels of nesting are an error.
func Decode(text string) (Value, error) { return jsonvalue.Decode(text) }

// StringValue returns the string s as a value.
func StringValue(s string) Value { return jsonvalue.StringValue(s) }

// Equal is the native method's equality.
//
//   - Numbers compare by their exact mathematical value: 1, 1.0 and 10e-1 are equal, and so are 0 and -0. 9007199254740993
//     and 9007199254740992.0 are not.
//   - Text compares by code point, without normalisation. true is not 1, and "1" is not 1.
//   - Arrays compare in order, objects irrespective of it.
func Equal(a, b Value) bool { return jsonvalue.Equal(a, b) }
