package report

import (
	"encoding/json"
	"io"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/yamldoc"
)

// Options say how rows are printed.
type Options struct {
	// Gate counts the runs.
	Gate Gate
	// Width is that of the terminal, in columns. 0 is no terminal: a line is as long as it has to be.
	Width int
	// Color says whether the output may have colors.
	Color bool
	// Compared says what changed since an earlier report. It is nil if there is none.
	Compared *Comparison
	// TraceURL is a link to a trace in a backend, with {trace} and {span} in the place of ids; empty: there is none.
	TraceURL string
}

// A Format is a way to print sorted rows.
type Format struct {
	Name  string
	Print func(io.Writer, Rows, Options) error
}

// Formats are all ways to print, the default first.
var Formats = []Format{{"table", Table}, {"json", JSON}, {"junit", JUnit}, {"markdown", Markdown}, {"html", HTML}}

// JSON prints a row a line. Characters that are invisible or rearrange others are escaped.
func JSON(w io.Writer, rows Rows, _ Options) error {
	e := json.NewEncoder(yamldoc.Escaping(w))
	e.SetEscapeHTML(false)
	return rows.Each(func(run []Row) (err error) {
		for i := 0; i < len(run) && err == nil; i++ {
			err = e.Encode(&run[i])
		}
		return err
	})
}
