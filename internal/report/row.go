package report

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
)

// Scored is the status of a row whose metric gave a score. NoExpectation is the status of a row whose run no expectation
// is for. Each other status says why there is no score.
const (
	Scored        = "scored"
	NoExpectation = "no_expectation"
)

// A Row is what one metric says of one run. A run that no expectation is for has one row, with the status
// [NoExpectation]. The JSON of a row is a contract: new fields come last.
type Row struct {
	TraceID string `json:"trace_id"` // 32 hexadecimal digits
	// SpanID is the id of the span that represents the run, 16 hexadecimal digits. It is empty if that span never arrived.
	SpanID       string   `json:"span_id"`
	Agent        string   `json:"agent"`
	Conversation string   `json:"conversation"`
	Expectation  string   `json:"expectation"`
	Metric       string   `json:"metric"`
	Status       string   `json:"status"`
	Score        *float64 `json:"score"` // from 0 to 1; nil if there is none
	Passed       bool     `json:"passed"`
	Threshold    float64  `json:"threshold"`
	Reason       string   `json:"reason"`
	Complete     bool     `json:"complete"`
	ClosedBy     string   `json:"closed_by"`
	Expected     []string `json:"expected"`
	Missing      []string `json:"missing"`
	Unexpected   []string `json:"unexpected"`
	Calls        []Call   `json:"calls"`
	// File is the input that the run's trace begins in, as the user named it; "-" is standard input.
	File string `json:"file"`
	// Change says how the verdict compares with that of an earlier report. It is empty if there is none.
	Change Change `json:"change,omitempty"`
	// IncompleteBecause has the reasons why the run is not complete.
	IncompleteBecause []string `json:"incomplete_because"`

	// Steps are the alignment of what was expected and what was called. They are empty if there is no score.
	Steps []Step `json:"-"`
	// Run numbers runs: rows have the same number if and only if they are of one run.
	Run int `json:"-"`
	// Position is the place of the run's trace in the input: traces that came first have lower numbers.
	Position int `json:"-"`
	// Start and End are when the run began and ended, in nanoseconds since 1970.
	Start uint64 `json:"-"`
	End   uint64 `json:"-"`
}

// A Call is one call of a tool. Arguments and Output are JSON: null if they were not captured, and empty if they are not
// to be printed.
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Output    json.RawMessage `json:"output,omitempty"`
	Status    string          `json:"status"`
	SpanID    string          `json:"span_id"`
	// Verdict is what the row's metric made of the call (matched, unexpected, ...); empty if it said nothing.
	Verdict string `json:"verdict"`
	// Start and End are as those of the run.
	Start uint64 `json:"-"`
	End   uint64 `json:"-"`
}

// Sort puts rows into the order of the input, and the rows of a run into that of their metrics' names. It changes rows.
func Sort(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Or(place(&a, &b), cmp.Compare(a.Metric, b.Metric)) })
}

// place compares the places of two runs in the input: traces as they came, and the runs of a trace as they began.
func place(a, b *Row) int {
	return cmp.Or(
		cmp.Compare(a.Position, b.Position),
		cmp.Compare(a.Start, b.Start),
		cmp.Compare(a.TraceID, b.TraceID),
		cmp.Compare(a.SpanID, b.SpanID),
		cmp.Compare(a.Run, b.Run),
	)
}

// Rows are sorted rows that can be read over and over.
type Rows interface {
	// Each calls f with the rows of one run after the other. It returns the first error: of f, or of reading. The rows are
	// valid until f returns, and f must not change them.
	Each(f func(run []Row) error) error
}

// A List holds rows in memory. The rows of a run must be neighbours.
type List []Row

// Each calls f with the rows of one run after the other, until f returns an error.
func (l List) Each(f func(run []Row) error) error {
	for run := range runs(l) {
		if err := f(run); err != nil {
			return err
		}
	}
	return nil
}

// each calls f with one row after the other.
func each(rows Rows, f func(*Row)) error {
	return rows.Each(func(run []Row) error {
		for i := range run {
			f(&run[i])
		}
		return nil
	})
}

// runs yields the rows of each run. Rows must be sorted.
func runs(rows []Row) iter.Seq[[]Row] {
	return func(yield func([]Row) bool) {
		for begin, end := 0, 0; begin < len(rows); begin = end {
			for end < len(rows) && rows[end].Run == rows[begin].Run {
				end++
			}
			if !yield(rows[begin:end]) {
				return
			}
		}
	}
}
