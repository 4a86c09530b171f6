package pyliteral

import (
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestRepr(t *testing.T) {
	for text, want := range map[string]string{
		`Call(name='x', arguments={'a': 1, 'b': None}, id="i")`: `{"":"Call","name":"x","arguments":{"a":1,"b":null},"id":"i"}`,
		`A(role=<Role.USER: 'user'>, list=[B(), B(c=True)])`:    `{"":"A","role":"Role.USER","list":[{"":"B"},{"":"B","c":true}]}`,
		`A(text='B(c=1)', d="<x.Y: '>'>")`:                      `{"":"A","text":"B(c=1)","d":"<x.Y: '>'>"}`,
		`A(b=datetime.date(2026), c=Decimal('1'))`:              `{"":"A","b":{"":"datetime.date","()":2026},"c":{"":"Decimal","()":"1"}}`,
		`A(b=[nan, inf, -1], c=d(1, tzinfo=e.f.utc))`:           `{"":"A","b":["nan","inf",-1],"c":{"":"d","()":1,"tzinfo":"e.f.utc"}}`,
		`A(b='\ud800')`:              "",
		`A(b={(1, 'a'): 2})`:         "",
		`A(b={1, 2: 3})`:             "",
		`A(b={1: 2, 3})`:             "",
		`A(b={'a': 2,})`:             "",
		`A(b={'a' 'b'})`:             "",
		`A(b=c d)`:                   "",
		`A(b=-)`:                     "",
		`A(b=1`:                      "",
		`A(b=1) c`:                   "",
		`A(b=<c)`:                    "",
		`A(b=<c at 0x1>)`:            "",
		`A(b=<c.D: 'e' f>)`:          "",
		`A(b=<: 'e'>)`:               "",
		`A(=1)`:                      "",
		`A(b 1)`:                     "",
		`[A()]`:                      "",
		`'A()'`:                      "",
		"":                           "",
		strings.Repeat("A(b=", 1000): "",
		`A(b=1 c=2)`:                 "",
	} {
		v, ok := Repr(text)
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
