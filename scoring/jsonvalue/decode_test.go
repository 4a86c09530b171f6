package jsonvalue

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDecodeRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		offset     int
		reason     string
	}{
		{"nothing", "", 0, "an empty text is no JSON document"},
		{"two values", "1 2", 2, "a document is one value"},
		{"a trailing comma", "[1,]", 3, "RFC 8259 has none"},
		{"a bare word", "nil", 0, "there are three words, and this is none"},
		{"a cut word", "tru", 0, "words stand whole"},
		{"a leading zero", "01", 1, "the 0 is a number, then something follows"},
		{"a point without digits", "1.", 2, "frac has at least one digit"},
		{"an exponent without digits", "1e+", 3, "exp has at least one digit"},
		{"a plus sign", "+1", 0, "only minus may stand in front"},
		{"a lonely minus", "-", 1, "int has at least one digit"},
		{"a string without end", `"abc`, 4, "the closing quote is missing"},
		{"a string that ends in a backslash", `"abc\`, 4, "the escape is cut"},
		{"an unknown escape", `"\x"`, 1, "x is no escape in JSON"},
		{"a short code point", `"\u12"`, 1, "four digits are needed"},
		{"a line feed in a string", "\"a\nb\"", 2, "control characters must be escaped"},
		{"a tab far into a string", "\"a string of several words\tand more\"", 26, "eight bytes at a time, none is missed"},
		{"a NUL in a string", "\"\x00\"", 1, "control characters must be escaped"},
		{"a NUL as value", "\x00", 0, "not to be taken for the end"},
		{"a key that is no string", "{1:2}", 1, "keys are strings"},
		{"a missing colon", `{"a" 1}`, 5, "key and value are parted by a colon"},
		{"an open object", `{"a":1`, 6, "the brace is missing"},
		{"an open array", `[1`, 2, "the bracket is missing"},
		{"a vertical tab", "\v1", 0, "no white space in JSON"},
		{"1,001 levels", strings.Repeat("[", 1001), 1000, "the 1,001st level is one too many"},
		{"a million levels", strings.Repeat(`{"a":`, 1_000_000), 5000, "hostile depth ends early and without overflow"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Decode(tc.text)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("Decode gave %v, want a SyntaxError: %s", err, tc.reason)
			}
			if syntax.Offset != tc.offset {
				t.Errorf("offset is %d, want %d: %s (%v)", syntax.Offset, tc.offset, tc.reason, err)
			}
		})
	}
}

func TestDecodeKeeps(t *testing.T) {
	for _, tc := range []struct{ name, text, want, reason string }{
		{"number lexemes", `[1,1.0,1e3,-0,9007199254740993]`, `[1,1.0,1e3,-0,9007199254740993]`, "nothing is converted"},
		{"key order", `{"b":1,"a":2}`, `{"b":1,"a":2}`, "EvalSharp compares it"},
		{"the last of a repeated key", `{"a":1,"b":2,"a":3}`, `{"b":2,"a":3}`, "it comes once, where it was written last"},
		{"the last of a key escaped and plain", `{"\u0061":1,"a":2}`, `{"a":2}`, "keys are compared unescaped"},
		{"both empty keys", `{"":1,"":2}`, `{"":2}`, "the empty key is a key"},
		{"a pair of surrogates", `"\ud83d\ude00"`, `"😀"`, "two escapes, one code point"},
		{"a lone high surrogate", `"\ud83dx"`, `"` + "\uFFFD" + `x"`, "it represents no character"},
		{"two high surrogates", `"\ud83d\ud83d"`, `"` + "\uFFFD\uFFFD" + `"`, "neither finds its half"},
		{"a lone low surrogate", `"\ude00"`, `"` + "\uFFFD" + `"`, "it represents no character"},
		{"all escapes", `"\"\\\/\b\f\n\r\t\u00e9"`, `"\"\\/\b\f\n\r\té"`, "RFC 8259 section 7"},
		{"white space", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n", `{"a":[1,2]}`, "all four kinds, anywhere between tokens"},
		{"1,000 levels", strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
			strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "as deep as is allowed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := Decode(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := written(v); got != tc.want {
				t.Errorf("got %s, want %s: %s", got, tc.want, tc.reason)
			}
		})
	}
}

func TestDecodeKeepsBytesThatAreNoUTF8(t *testing.T) {
	v, err := Decode("\"a\xffb\"")
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Text(); got != "a\xffb" {
		t.Errorf("text is %q: bytes stay as they are", got)
	}
}

// Objects of many members take another path than those of few; both must agree.
func TestDecodeManyMembers(t *testing.T) {
	for _, n := range []int{1, indexFrom - 1, indexFrom, 3 * indexFrom} {
		var text strings.Builder
		for i := range n {
			text.WriteString(`"k` + strings.Repeat("x", i) + `":0,"k` + strings.Repeat("x", i) + `":` + strings.Repeat("1", i+1) + `,`)
		}
		v, err := Decode("{" + strings.TrimSuffix(text.String(), ",") + "}")
		if err != nil {
			t.Fatal(err)
		}
		if v.Len() != n {
			t.Errorf("%d members, want %d: each key was written twice", v.Len(), n)
		}
		for i := range n {
			m, ok := v.Member("k" + strings.Repeat("x", i))
			if !ok || m.Lexeme() != strings.Repeat("1", i+1) {
				t.Fatalf("of %d members, number %d is %q, %v: the last one wins", n, i, m.Lexeme(), ok)
			}
		}
		if _, ok := v.Member("absent"); ok {
			t.Errorf("found a key that is not there among %d", n)
		}
	}
}

// written is v as JSON text, by way of the exported API only.
func written(v Value) string {
	var b bytes.Buffer
	write(&b, v)
	return b.String()
}

func write(b *bytes.Buffer, v Value) {
	separate := func(first *bool) {
		if !*first {
			b.WriteByte(',')
		}
		*first = false
	}
	first := true
	switch v.Kind() {
	case Null:
		b.WriteString("null")
	case Bool:
		b.WriteString(map[bool]string{true: "true", false: "false"}[v.Bool()])
	case Number:
		b.WriteString(v.Lexeme())
	case String:
		quote(b, v.Text())
	case Array:
		b.WriteByte('[')
		for e := range v.Elements() {
			separate(&first)
			write(b, e)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for k, m := range v.Members() {
			separate(&first)
			quote(b, k)
			b.WriteByte(':')
			write(b, m)
		}
		b.WriteByte('}')
	}
}

func quote(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	b.Truncate(b.Len() - 1)
}

// FuzzDecode holds Decode against encoding/json, which differs in two documented ways: it goes deeper than 1,000
// levels, and it replaces bytes that are no UTF-8.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"order":"A-1","amount":129.95,"notify":true,"lines":[{"sku":"KX-200","quantity":2}]}`, `{"a":1,"a":2,"\u0061":3}`, `"\ud83d\ude00\ud83d"`, `[1,-0,1e5,0.1E-7]`, `{"":{"":[]}}`, " null ", "\"\xff\"",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Decode(text)
		if valid := json.Valid([]byte(text)); valid != (err == nil) {
			if valid && strings.Count(text, "[")+strings.Count(text, "{") > maxDepth {
				return
			}
			t.Fatalf("json.Valid is %v, Decode gave %v", valid, err)
		}
		if err != nil || !utf8.ValidString(text) {
			return
		}
		if got, want := canonical(t, written(v)), canonical(t, text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if !Equal(v, v) {
			t.Error("a value is not equal to itself")
		}
	})
}

// canonical is JSON as encoding/json reads and writes it, numbers as written.
func canonical(t *testing.T, text string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A string is read in steps of eight bytes. Whatever the step's edge falls on, each byte is seen as what it is.
func TestSpecialBytes(t *testing.T) {
	for c := range 256 {
		for _, around := range []byte{'a', 0x20, 0x21, 0x23, 0x5b, 0x5d, 0x7f, 0x80, 0xa0, 0xa2, 0xdc, 0xff} {
			for at := range 20 {
				text := make([]byte, 24)
				for i := range text {
					text[i] = around
				}
				text[at] = byte(c)
				want := len(text)
				if c == '"' || c == '\\' || c < 0x20 {
					want = at
				}
				p := Decoder{document: document{text: string(text)}}
				got := p.string(0) - 1
				if got < 0 {
					got = p.failure.Offset
				}
				if got != want {
					t.Fatalf("the string stops at %d of %q, want %d", got, text, want)
				}
			}
		}
	}
}

// A Decoder says what Decode says, whatever it decoded before, and lets go of nothing that was taken from it.
func TestDecoder(t *testing.T) {
	texts := []string{
		`{"a":[1,{"b":"\u00e9x\\y\"z"}],"a":2}`, `[`, `"text"`, `{"a":`, `[[],{},"",null,true]`,
		`{` + strings.Repeat(`"k":1,`, 2*indexFrom) + `"l":2}`, `[` + strings.Repeat("0,", 2*maxSpare) + `0]`, `{"k":"v"}`,
	}
	var d Decoder
	for range 2 {
		for _, text := range texts {
			want, wantErr := Decode(text)
			got, err := d.Decode(text)
			if (err == nil) != (wantErr == nil) || written(got) != written(want) {
				t.Errorf("Decoder and Decode differ on %.40q: %v and %v", text, err, wantErr)
			}
			if d.Forget(); d.text != "" || cap(d.nodes) > maxSpare {
				t.Errorf("after %.40q a text of %d bytes and %d nodes are kept", text, len(d.text), cap(d.nodes))
			}
		}
	}
	v, _ := d.Decode(`{"name":"search"}`)
	name, _ := v.Member("name")
	kept := name.Text()
	if _, err := d.Decode(`{"eman":"hcraes"}`); err != nil || kept != "search" {
		t.Errorf("a string taken from a Decoder became %q (%v)", kept, err)
	}
}
