package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
)

// NoExpectation is the status of a row whose run no expectation is for. Each other status is that of a verdict.
const NoExpectation = "no_expectation"

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
	// Case is the key of the dataset's case that the run met; empty if there is none.
	Case string `json:"case"`
	// Started is when the run began, by the clock of its sender; empty if that is unknown.
	Started string `json:"started,omitempty"`
	// Rejected are the names of tools that models asked for and nothing executed.
	Rejected []string `json:"rejected,omitempty"`

	// Service is the name of the run's service; empty if no span has it.
	Service string `json:"-"`
	// Fault says in a few words, which many runs share, what went wrong first: "Missing call". FaultOf is the tool, if it is one.
	Fault   string `json:"-"`
	FaultOf string `json:"-"`
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

// A Step is one line of an alignment: an expected tool, its call, and how well that agrees.
type Step struct {
	// Tool is the expected tool; empty if a call has none.
	Tool string
	// Call is an index into the row's calls; -1 for an expected tool that was not called.
	Call int
	// Class is the class of the call, as the processor writes it on its span (matched, mismatched, unexpected, ...), or
	// [Missing].
	Class string
	// Credit is how much of the call agreed, from 0 to 1.
	Credit float64
	// Faults say what is wrong with the call, as far as it may be shown: the rule that it breaks, and where it differs.
	Faults []string
	// Arguments are the expected ones as JSON. They are empty without any, or if they must not be shown.
	Arguments json.RawMessage
}

// Missing is the class of an expected tool that was not called.
const Missing = "missing"

// Sort puts runs into the order of the input: traces as they came, and the runs of a trace as they began.
func Sort(rows []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(a.Position, b.Position),
			cmp.Compare(a.Start, b.Start),
			cmp.Compare(a.SpanID, b.SpanID),
			cmp.Compare(a.Run, b.Run),
		)
	})
}

// where is the name of the run's file, and the beginnings of its ids, as git shows ids.
func (r *Row) where() string {
	return strings.TrimSuffix(fmt.Sprintf("%s %.8s/%.4s", escape(filepath.Base(r.File)), r.TraceID, r.SpanID), "/")
}

// runs yields the rows of each run. The rows of a run must be neighbours.
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
