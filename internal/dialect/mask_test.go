package dialect

import "testing"

func TestMaskIsKnownByItsForm(t *testing.T) {
	for text, want := range map[string]bool{
		"***": true, "********": true, "###": true, "__REDACTED__": true, "<redacted>": true, "[REDACTED]": true, `"[Filtered]"`: true,
		"[Scrubbed due to 'password']": true, "(hidden)": true, "[REDACTED:email]": true, "**masked**": true,
		"": false, "{}": false, "[]": false, `["redacted"]`: false, `{"redacted":true}`: false, "redacted": false, "hidden": false,
		"<b>": false, "[x]": false, "Oslo": false, "[redactedness]": false, "null": false, "<hidden": false, "_": false, `""`: false, `"""`: false,
		"[[Redacted]]": true, `[{"id":"A-100"}]`: false, "[hiddenly]": false, "[masked": false, "[]]": false, "(***)": false, "[ redacted]": false,
	} {
		if got := isMask(text); got != want {
			t.Errorf("isMask(%q) = %v", text, got)
		}
	}
}
