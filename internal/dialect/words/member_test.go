package words

import (
	"strings"
	"testing"
)

func TestMemberIsThatOfTheObject(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	for _, tc := range []struct{ object, want, reason string }{
		{`{"x":1}`, `1`, "the only member"},
		{`{"y":2, "x" : "a,\"}" ,"z":3}`, `"a,\"}"`, "a text has commas, quotes and brackets"},
		{`{"y":` + deep + `,"x":{"a":[1,{}]}}`, `{"a":[1,{}]}`, "the member before it is deep"},
		{`{"y":{"x":1}}`, "", "it is a member of another object"},
		{`{"y":"x","z":"\"x\":5"}`, "", "texts are no names"},
		{`{"y":{"x":1},"x":2}`, "2", "the one of the object itself"},
		{`[{"x":1}]`, "", "a list has no members"},
		{`{"x":{"a":1`, "", "the text was cut off"},
		{`{"x":"abc`, "", "a string was cut off"},
		{`{"x`, "", "a name was cut off"},
		{`{"x\`, "", "an escape was cut off"},
		{`}{"x":1}`, "", "it is no JSON"},
		{``, "", "there is nothing"},
	} {
		if got := Member(tc.object, "x"); got != tc.want {
			t.Errorf("Member(%.60q) = %q, want %q: %s", tc.object, got, tc.want, tc.reason)
		}
	}
}
