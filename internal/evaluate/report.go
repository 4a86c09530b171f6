package evaluate

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Report is what became of a run.
type Report struct {
	Run agentrun.Run
	// Span is the run's own span with its verdicts. Only a dry run has it, and only until the report was taken. The zero value
	// says that the span never came.
	Span ptrace.Span
	// Matched is false where no metric met an expectation. The fields below are empty then.
	Matched bool
	// Expectation and Names are those of one metric where several met different expectations: of the one called
	// tool_correctness if it has a result, else of the first.
	Expectation string
	Names
	// Results has the metrics that met an expectation, in the order of the settings.
	Results []Result
}

// Names compares a run with an expectation by name alone, whatever the metrics compare.
type Names struct {
	// Expected are the names of the expected tools. Missing are those that nobody called, and Unexpected the names of
	// calls that nobody expected.
	Expected, Missing, Unexpected []string
}

// Result is what one metric says of a run.
type Result struct {
	// Metric is the metric's name, and Index its place in the settings.
	Metric string
	Index  int
	// Expectation is the name of the one that the metric met.
	Expectation string
	// Names are those of that expectation. Only a dry run has them.
	Names
	Verdict scoring.Verdict
	// Reason is empty where the metric has none.
	Reason string

	keys *metricKeys
}
