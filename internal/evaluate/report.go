package evaluate

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Report has the results of one run.
type Report struct {
	Run runs.Run
	// Span is the run's own span with its verdicts, once they are written. It is valid until the span leaves. The zero value
	// says that the span never arrived.
	Span ptrace.Span
	// Results has the metrics that met an expectation, in the order of the settings.
	Results []Result
}

// Names compares a run with an expectation by name alone, whatever the metrics compare.
type Names struct {
	// Expected has the names of the expected tools. Missing has those that were not called, and Unexpected the names of
	// calls that were not expected.
	Expected, Missing, Unexpected []string
}

// Result is what one metric says of a run.
type Result struct {
	// Metric is the metric's name, and Index its place in the settings.
	Metric string
	Index  int
	// Expectation is the name of the expectation that the metric met, and Case the key of its case, as it is shown.
	Expectation, Case string
	// Names are the names of that expectation. Only the leading metric has them, and all in a dry run.
	Names
	Verdict scoring.Verdict
	// Reason is empty if the metric gives none.
	Reason string
}
