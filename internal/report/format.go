package report

import (
	"bytes"
	"encoding/json"
	"io"
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
