package report

import (
	"fmt"
	"strconv"
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
	var b strings.Builder
	for _, r := range s { // a byte that is no character is U+FFFD
		if unicode.IsGraphic(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToGraphic(r), "'"))
		}
	}
	return b.String()
}

// EscapeJSON returns JSON, or YAML whose texts with such characters are in double quotes, with escapes for characters that are
// invisible or rearrange others. In a text, \u202e means the same in both languages.
func EscapeJSON(text []byte) []byte {
	escaped := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) { // line ends and tabs are the layout of a document
			escaped = append(escaped, text[:size]...)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				escaped = fmt.Appendf(escaped, `\u%04x`, unit)
			}
		}
		text = text[size:]
	}
	return escaped
}
