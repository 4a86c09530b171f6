package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Options say how rows are printed.
type Options struct {
	// Gate counts the runs.
	Gate Gate
	// TraceURL is a link to a trace in a backend, with {trace} and {span} in the place of ids; empty: there is none.
	TraceURL string
	// Live is for a page that shows runs as they close; nil: it stays as it is.
	Live *Live
}

// Live says how many runs had closed when a page was made, and the address of the server to ask for more.
type Live struct {
	Runs    int
	Address string
}

// A Format is a way to print sorted rows.
type Format struct {
	Name  string
	Print func(io.Writer, []Row, Options) error
}

// Formats are all ways to print, the default first.
var Formats = []Format{{"table", Table}, {"json", JSON}, {"junit", JUnit}, {"markdown", Markdown}, {"html", HTML}}

// JSON prints a row a line.
func JSON(w io.Writer, rows []Row, _ Options) error { return Lines(w, rows) }

// Lines writes values as JSON, one a line. Characters that are invisible or rearrange others are escaped.
func Lines[T any](w io.Writer, values []T) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	for i := range values {
		line.Reset()
		if err := e.Encode(&values[i]); err != nil {
			return err
		}
		if _, err := w.Write(EscapeJSON(line.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

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
	return scoring.SafeName(string([]rune(s)), math.MaxInt) // a byte that is no character is U+FFFD
}

// EscapeJSON returns JSON, or YAML whose texts with such characters are in double quotes, with escapes for characters that are
// invisible or rearrange others. In a text, \u202e means the same in both languages.
func EscapeJSON(text []byte) []byte {
	escaped := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) { // line ends and tabs are the layout of a document
			escaped = utf8.AppendRune(escaped, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			escaped = fmt.Appendf(escaped, `\u%04x`, unit)
		}
	}
	return escaped
}
