package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

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
	// Paths are the keys whose values differ, as far as they may be shown.
	Paths []string
	// Arguments and Output are the expected ones as JSON. They are empty without any, or if they must not be shown.
	Arguments, Output json.RawMessage
}

// Missing is the class of an expected tool that was not called. Uncertain is its class if the telemetry does not show that.
const (
	Missing   = "missing"
	Uncertain = "uncertain"
)

// classMarks show the classes of calls in plain text, so that an alignment can be read at a glance.
var classMarks = map[string]string{
	"matched": "=", "partly_matched": "~", "mismatched": "x", "out_of_order": "x", Missing: "-", "unexpected": "+",
	"forbidden": "!", "repeated": "+", Uncertain: "?",
}

// alignment draws the steps of a row in plain text, a step a line: a mark, what was expected, and what was called.
func (r *Row) alignment() string {
	var b strings.Builder
	for _, s := range r.Steps {
		tool, call := "(nothing)", "(no call)"
		if s.Tool != "" {
			tool = escape(s.Tool)
		}
		if s.Call >= 0 && s.Call < len(r.Calls) {
			call = escape(r.Calls[s.Call].Name) + " [call " + strconv.Itoa(s.Call+1) + "]"
		}
		fmt.Fprintf(&b, "%s expected %s, called %s: %s", classMarks[s.Class], tool, call, strings.ReplaceAll(s.Class, "_", " "))
		if s.Class == "partly_matched" {
			fmt.Fprintf(&b, ", %.0f%%", 100*s.Credit)
		}
		if len(s.Paths) > 0 {
			fmt.Fprintf(&b, " (%s)", escape(strings.Join(s.Paths, ", ")))
		}
		b.WriteString("\n")
	}
	return b.String()
}
