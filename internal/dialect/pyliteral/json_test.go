package pyliteral

import "testing"

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
		if got, found := JSON(text); got != want || found != (want != "") {
			t.Errorf("%s is %s", text, got)
		}
	}
}
