package processor

import (
	"context"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scoreforms"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Settings are what the processor runs on. The root package makes them from a valid configuration; nothing in them
// is checked again.
type Settings struct {
	// Run says what a run is, how long it stays open, and what is kept of it.
	Run agentrun.Settings
	// IgnoreFailed leaves out calls that ended in an error.
	IgnoreFailed bool
	// Exclude leaves out calls of tools with these names, or names that these globs match.
	Exclude []string
	// ConversationAttributes are the attributes that name a span's conversation. The first that is there counts; where
	// none is, the dialect's own.
	ConversationAttributes []string
	Limits                 Limits
	Metrics                []Metric
	// Expectations are those of a configuration without files. Fingerprint is its hash, and Warnings are about it. With a
	// Source, the set that it reads replaces all three.
	Expectations []Expectation
	Fingerprint  string
	Warnings     []string
	// Source reads expectations from files, every ReloadInterval if that is above 0. Nil: there are none.
	Source         Source
	ReloadInterval time.Duration
	// Storage is the extension in which open runs survive a crash, nil for none. ID is the processor's own, by which the
	// storage knows it.
	Storage *component.ID
	ID      component.ID
	// AnnotateCalls has every span of a tool call wait for its run, and say what became of its call.
	AnnotateCalls bool
	// ErrorMode says what happens if a condition fails.
	ErrorMode ErrorMode
	// QuoteValues lets reasons quote argument values, which are private otherwise.
	QuoteValues bool
	// Forms are further forms of verdicts on spans of runs, beside our own attributes.
	Forms scoreforms.Form
	// AgentNames is how many names of agents the metrics of verdicts tell apart. 0: they have no names.
	AgentNames int
}

// Limits bound what the processor holds. Reaching one closes the run that has been idle longest.
type Limits struct {
	OpenRuns int
	Bytes    int64
}

// Metric is a named way to score.
type Metric struct {
	// Name is the prefix of the metric's attributes.
	Name   string
	Method scoring.Method
	// Threshold is the method's, for runs that never get to it.
	Threshold float64
	// Reason says whether a reason is written, Verbose whether the steps are logged.
	Reason, Verbose bool
}

// Expectation says which runs it is for, which tools they are expected to call, and how they are scored.
type Expectation struct {
	// Name is written on judged spans. No two expectations have the same.
	Name string
	// When is nil where the expectation is for every run. Text is When as it was written, for the log.
	When Condition
	Text string
	// Required are equalities without which When is false and does not fail: see [condition.Required]. They spare asking
	// it. None says nothing.
	Required []condition.Equality
	// Expected is what every run is measured against. It is nil where FromAttribute names the attribute of the anchor
	// that holds the expected tools.
	Expected      *scoring.Expectation
	FromAttribute string
	// Parse reads the attribute where it is more than a list of names, arguments and outputs. Its error has no value. Nil:
	// it is no more.
	Parse func(text string) (*scoring.Expectation, error)
	// Cases is nil unless the expected tools stand in a dataset. Then Expected is nil.
	Cases *Cases
	// Metrics are those of the settings that the expectation is for. Each meets the first one that is for it.
	Metrics []Metric
}

// Condition is an OTTL condition in the span context.
type Condition interface {
	Eval(context.Context, *ottlspan.TransformContext) (bool, error)
}

// Compares says which payloads anyone reads for the sake of x.
func (x *Expectation) Compares() (arguments, output bool) {
	if x.Expected != nil {
		arguments, output = x.Expected.Compares()
	}
	if x.Cases != nil {
		arguments, output = x.Cases.Arguments, x.Cases.Output
	}
	for _, m := range x.Metrics {
		a, o := m.Method.Compares()
		arguments, output = arguments || a, output || o
	}
	return arguments, output
}
