package pyliteral

import (
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestRepr(t *testing.T) {
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
		v, ok := Repr(text, len(text))
		if ok != (want != "") {
			t.Errorf("Repr(%q) reports %v", text, ok)
			continue
		}
		if !ok {
			continue
		}
		expected, err := scoring.Decode(want)
		if err != nil || !scoring.Equal(v, expected) {
			t.Errorf("Repr(%q) is not %s", text, want)
		}
	}
}

// A sender may write a list of millions of values in a few bytes each. They are not read, and a long string is one value.
func TestReprReadsNoMoreValuesThanAllowed(t *testing.T) {
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
		if _, ok := Repr(tc.text, tc.most); ok != tc.ok {
			t.Errorf("Repr(%.40q, %d) reports %v: %s", tc.text, tc.most, ok, tc.reason)
		}
	}
}
