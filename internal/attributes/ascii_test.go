package attributes

import (
	"strings"
	"testing"
)

// A text of any length is ASCII until one of its bytes, wherever that is, is not.
func TestIsASCII(t *testing.T) {
	const most = 40
	for n := range most {
		text := strings.Repeat("~", n)
		if !IsASCII(text) {
			t.Errorf("%d characters of ASCII are not recognized", n)
		}
		for at := range n {
			if other := text[:at] + "\x80" + text[at+1:]; IsASCII(other) {
				t.Errorf("byte %d of %d is no ASCII, and was not seen", at, n)
			}
		}
	}
}
