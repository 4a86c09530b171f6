package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestPythonLiterals(t *testing.T) {
	for _, tc := range []struct {
		name   string
		text   string
		want   string // as JSON; "" for the text as it is
		reason string // why this is right, for the next reader: required
	}{
		{"a dict", `{'city': 'Oslo', "days": 3, 'exact': None}`, `{"city":"Oslo","days":3,"exact":null}`, "what str() makes of arguments"},
		{"constants", `[True, False, None]`, `[true,false,null]`, "Python's words for JSON's"},
		{"empty", ` [{}, [], (), ''] `, `[{},[],[],""]`, "white space around it does not matter"},
		{"tuples", `{'a': (1,), 'b': (1, 2), 'c': (1, 2, 3)}`, `{"a":[1],"b":[1,2],"c":[1,2,3]}`, "json.dumps makes lists of them"},
		{"a set", `[{1, 'a'}, {'b'}]`, `[[1,"a"],["b"]]`, "JSON has no sets; the order is the writer's"},
		{"integers", `[None, 0, -7, 123456789012345678901234567890]`, `[null,0,-7,123456789012345678901234567890]`, "the value is kept exactly, whatever its size"},
		{"floats", `[None, 1.0, -1.5, 1e-05, 1e+20]`, `[null,1.0,-1.5,1e-05,1e+20]`, "1.0 stays no integer"},
		{"keys", `{1: 'a', True: 'b', None: 'c', -2: 'd'}`, `{"1":"a","true":"b","null":"c","-2":"d"}`, "as json.dumps writes them"},
		{"quotes", `{'a': "it's", 'b': 'say "hi"', 'c': 'both \' and "'}`, `{"a":"it's","b":"say \"hi\"","c":"both ' and \""}`, "repr picks the quotes"},
		{"escapes", `['\n\t\r\\\x41\u00e9\U0001F686']`, `["\u000a\u0009\u000d\\Aé` + "\U0001F686" + `"]`, "those that repr writes"},
		{"bytes", `[b'a\xc3\xa9']`, `["aé"]`, "they are text if they can be"},
		{"nested", `{'a': [{'b': (1, {'c': None})}]}`, `{"a":[{"b":[1,{"c":null}]}]}`, "one in the other"},
		{"line ends", "{'a':\n\t1,\n 'b' : 2}", `{"a":1,"b":2}`, "inside brackets they are white space"},

		{"JSON", `{"a": 1.50, "b": [true, null]}`, `{"a": 1.50, "b": [true, null]}`, "stays as it was written"},
		{"a number", `42`, `42`, "JSON as well"},

		{"a name", `{'a': nan}`, "", "only a constant is a value"},
		{"JSON's words", `{'a': true}`, "", "neither JSON nor Python"},
		{"infinity", `[inf]`, "", "a name, and no number in JSON"},
		{"an object", `{'a': datetime.date(2026, 1, 1)}`, "", "its value is lost"},
		{"a float for a key", `{1.5: 'a'}`, "", "JSON's keys are strings, and how a float is written varies"},
		{"a tuple for a key", `{(1, 2): 'a'}`, "", "JSON has no such key"},
		{"parentheses", `[(1)]`, "", "no tuple, and nothing that repr writes"},
		{"a lone tuple", `(1, 2)`, "", "more likely a remark than a value"},
		{"a lone constant", `None`, "", "who writes it decides what it means"},
		{"a comma too many", `[1,]`, "", "more likely JSON gone wrong"},
		{"a comma too few", `{'a': 1 'b': 2}`, "", "no dict"},
		{"strings side by side", `['a' 'b']`, "", "Python joins them; repr never writes them"},
		{"three quotes", `['''a''']`, "", "repr never writes them"},
		{"a name of a character", `['\N{DASH}']`, "", "needs Unicode's table"},
		{"an octal escape", `['\101']`, "", "repr never writes it"},
		{"half a pair", `['\ud83d']`, "", "no character"},
		{"beyond Unicode", `['\U00110000']`, "", "no character"},
		{"bytes that are no text", `[b'\xff']`, "", "JSON has no bytes"},
		{"a wide character in bytes", `[b'é']`, "", "Python refuses it"},
		{"a format", `[f'{a}']`, "", "an expression"},
		{"leading zeros", `[007]`, "", "Python refuses it"},
		{"complex", `[1j]`, "", "JSON has none"},
		{"a lone point", `[.]`, "", "no number"},
		{"another base", `[0x1F, 1_000]`, "", "repr never writes them"},
		{"a raw string", `[r'\d']`, "", "repr never writes it"},
		{"cut off in an escape", `['a\`, "", "the rest is not known"},
		{"a short code", `['\x4']`, "", "Python refuses it"},
		{"no code", `['\xzz']`, "", "Python refuses it"},
		{"a number cut off", `[12`, "", "the rest is not known"},
		{"a key alone", `{'a': 1, 'b'}`, "", "neither a dict nor a set"},
		{"nothing between", `{'a': 1 , , }`, "", "no dict"},
		{"cut off", `{'a': 'b`, "", "the rest is not known"},
		{"something behind", `{'a': 1} and more`, "", "prose"},
		{"a NUL", "['a'\x00]", "", "no Python"},
		{"a NUL behind", "['a']\x00", "", "no Python"},
		{"a line end in quotes", "['a\nb']", "", "no Python"},
		{"no UTF-8", "['\xff']", "", "no Python"},
		{"prose", `The weather is 'fine'`, "", "does not begin like a value"},
		{"nothing", ``, "", "an empty text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := tc.want
			if want == "" {
				want = string(scoring.Text(tc.text).AppendJSON(nil))
			}
			if got := string(pythonLiteral(tc.text).AppendJSON(nil)); got != want {
				t.Errorf("got %s, want %s: %s", got, want, tc.reason)
			}
		})
	}
}

func TestDeepPythonLiteralsAreText(t *testing.T) {
	for _, tc := range []struct{ name, open, middle, close string }{
		{"lists", "[", "'a'", "]"}, {"tuples", "(", "'a'", ",)"}, {"dicts", "{'a':", "None", "}"},
	} {
		for depth, text := range map[int]bool{attributes.MaxDepth - 1: false, attributes.MaxDepth: true, 1_000_000: true} {
			literalText := "[" + strings.Repeat(tc.open, depth) + tc.middle + strings.Repeat(tc.close, depth) + "]"
			if got := pythonLiteral(literalText); (got == scoring.Text(literalText)) != text {
				t.Errorf("%d levels of %s are read as %v", depth, tc.name, got)
			}
		}
	}
}

func FuzzPythonLiteral(f *testing.F) {
	for _, seed := range []string{
		`{'a': [1, -7, 2.5e3], "b": (True, None), 'c': {1, 2}}`, `{"a": 1}`, `[b'\x00', '\'', '\u00e9', '\U0001F686']`,
		`{1: {None: ()}}`, `{'a': 'b`, `[(1,), (1)]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := pythonLiteral(text)
		if json.Valid([]byte(text)) {
			if got != scoring.JSON(text) {
				t.Errorf("the JSON text %q is read as %v", text, got)
			}
			return
		}
		if got == scoring.Text(text) || got == scoring.JSON(text) {
			return // what is no JSON counts as text
		}
		converted := got.AppendJSON(nil)
		if _, err := scoring.Decode(string(converted)); err != nil || converted[0] != '{' && converted[0] != '[' {
			t.Errorf("%q becomes %s: %v", text, converted, err)
		}
		if again := pythonLiteral(string(converted)); again != got {
			t.Errorf("%q becomes %s, and that something else", text, converted)
		}
	})
}

func TestPythonRepr(t *testing.T) {
	for text, want := range map[string]string{
		`Call(name='x', arguments={'a': 1, 'b': None}, id="i")`: `{"":"Call","name":"x","arguments":{"a":1,"b":null},"id":"i"}`,
		`A(role=<Role.USER: 'user'>, list=[B(), B(c=True)])`:    `{"":"A","role":"<Role.USER: 'user'>","list":[{"":"B"},{"":"B","c":true}]}`,
		`A(text='B(c=1)', d=<x at <y> '>'>)`:                    `{"":"A","text":"B(c=1)","d":"<x at <y> '>'>"}`,
		`A(b=datetime.date(2026, 11, 2), c=Decimal('1'))`:       `{"":"A","b":"datetime.date(2026, 11, 2)","c":"Decimal('1')"}`,
		`A(b=PosixPath('/x'), c=d(1, tzinfo=e.f.utc))`:          `{"":"A","b":"PosixPath('/x')","c":"d(1, tzinfo=e.f.utc)"}`,
		`A(b=frozenset({'y'}), c=B(d=C(1)))`:                    `{"":"A","b":"frozenset({'y'})","c":{"":"B","d":"C(1)"}}`,
		`A(b=[nan, inf, -inf, -1], c=e.f.utc)`:                  `{"":"A","b":["nan","inf","-inf",-1],"c":"e.f.utc"}`,
		`A(b={(1, 'a'): 2, 1: None, None: {}, c(1): {1, 2}})`:   `{"":"A","b":{"(1, 'a')":2,"1":null,"null":{},"c(1)":[1,2]}}`,
		`A(b={'c': {'d'}, 'e': {1: {2}}}, f={B(c=1): 1})`:       `{"":"A","b":{"c":["d"],"e":{"1":[2]}},"f":{"B(c=1)":1}}`,
		`A(b='\ud800', c=b'\xff', d='\udc80e')`:                 `{"":"A","b":"\ufffd","c":"\ufffd","d":"\ufffde"}`,
		`A(b={1, 2: 3})`:                                        "",
		`A(b={1: 2, 3})`:                                        "",
		`A(b={1: 2,})`:                                          "",
		`A(b={1 2})`:                                            "",
		`A(b=c d)`:                                              "",
		`A(b=-)`:                                                "",
		`A(1)`:                                                  "",
		`A(b=1`:                                                 "",
		`A(b=1) c`:                                              "",
		`A(b=<c)`:                                               "",
		`A(=1)`:                                                 "",
		`A(b 1)`:                                                "",
		`[A()]`:                                                 "",
		`'A()'`:                                                 "",
		"":                                                      "",
		strings.Repeat("A(b=", 1000):                            "",
		`A(b=1,)`:                                               "",
		`A(b=1 c=2)`:                                            "",
	} {
		v, ok := pythonRepr(text, len(text))
		if ok != (want != "") {
			t.Errorf("pythonRepr(%q) reports %v", text, ok)
			continue
		}
		if !ok {
			continue
		}
		expected, err := scoring.Decode(want)
		if err != nil || !scoring.Equal(v, expected) {
			t.Errorf("pythonRepr(%q) is not %s", text, want)
		}
	}
}

// A sender may write a list of millions of values in a few bytes each. They are not read, and a long string is one value.
func TestPythonReprReadsNoMoreValuesThanAllowed(t *testing.T) {
	for _, tc := range []struct {
		text   string
		most   int
		ok     bool
		reason string
	}{
		{`A(a=[1, 2])`, 4, true, "the object, the list and two numbers"},
		{`A(a=[1, 2])`, 3, false, "one more than allowed"},
		{`A(a=[1, 2, 3, 4, 5, 6, 7, 8])`, 4, false, "many more"},
		{`A(a='` + strings.Repeat("[1, 2], ", 1000) + `')`, 2, true, "a string is one value, however long it is"},
	} {
		if _, ok := pythonRepr(tc.text, tc.most); ok != tc.ok {
			t.Errorf("pythonRepr(%.40q, %d) reports %v: %s", tc.text, tc.most, ok, tc.reason)
		}
	}
}

// Numbers that only Python's json module writes become texts. Strings keep theirs, and all else stays as it is written.
func TestNumbersThatAreNoJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":NaN}`:                    `{"a":"NaN"}`,
		`[Infinity, -Infinity,-1,NaN]`: `["Infinity", "-Infinity",-1,"NaN"]`,
		`{"NaN":"a \" NaN","b":NaN}`:   `{"NaN":"a \" NaN","b":"NaN"}`,
		`NaN`:                          `"NaN"`,
		`{"a":NaN,"b":"Na`:             `{"a":"NaN","b":"Na`,
		`{"a":"\`:                      "",
		`{"a":"NaN"}`:                  "",
		`{"a":1}`:                      "",
		``:                             "",
	} {
		if got, found := pythonJSON(text); got != want || found != (want != "") {
			t.Errorf("%s is %s", text, got)
		}
	}
}
