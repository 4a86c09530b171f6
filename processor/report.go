package processor

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Report is what became of a run.
type Report struct {
	Run agentrun.Run
	// Matched is false where no expectation was for the run. The fields below are empty then.
	Matched     bool
	Expectation string
	// Expected are the names of the expected tools. Missing are those that nobody called, and Unexpected the names of
	// calls that nobody expected; both by name alone, whatever the metrics compare.
	Expected, Missing, Unexpected []string
	Results                       []Result
}

// Result is what one metric says of a run.
type Result struct {
	Metric  string
	Verdict scoring.Verdict
	// Reason is empty where the metric has none.
	Reason string

	labels *verdictLabels
}
