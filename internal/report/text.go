package report

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line is a row in a line, for a terminal that shows runs one by one.
func (r *Row) Line(gate Gate) string {
	line := time.Unix(0, int64(r.Start)).Format(time.TimeOnly)
	if r.Status != NoExpectation {
		line += fmt.Sprintf("  %-10s  %-5s", gate.outcomeOf(r), r.score())
	}
	line += fmt.Sprintf("  %s: %s", cell(r.Agent), names(r.called()))
	if r.Status != NoExpectation {
		line += "  " + cell(r.Reason)
	}
	if !r.Complete {
		line += "  (not complete: " + strings.Join(r.IncompleteBecause, ", ") + ")"
	}
	return line
}

// escape writes control and format characters as Go does, so that text of a span cannot control a terminal or change the
// direction of text.
func escape(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, steers) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case !steers(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// steers reports whether a character has an effect in place of a shape.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// EscapeJSON returns JSON, or YAML whose texts with such characters are in double quotes, with escapes for characters that are
// invisible or rearrange others. In a text, \u202e means the same in both languages. A text without such characters is not copied.
func EscapeJSON(text []byte) []byte {
	var to []byte
	from := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if hidden(r) {
			to = append(to, text[from:at]...)
			for _, unit := range utf16.Encode([]rune{r}) {
				to = fmt.Appendf(to, `\u%04x`, unit)
			}
			from = at + size
		}
		at += size
	}
	if to == nil {
		return text
	}
	return append(to, text[from:]...)
}

// hidden reports whether r has no shape. Line ends and tabs are the layout of a document.
func hidden(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }
