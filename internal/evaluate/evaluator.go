package evaluate

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/langwatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// An Evaluator judges one run after another. Only [Evaluator.Clean] may be called by several goroutines at once.
type Evaluator struct {
	set       Settings
	keys      []*metricKeys // in the order of the metrics
	run       attributes.RunKeys
	reserved  attributes.Reserved
	langwatch *langwatch.Writer // nil: verdicts have only our own form
	keep      bool              // whether the caller keeps reports
	rules     *Rules
	sizes     sizes
}

// Clean removes the attributes that only this processor writes from an agent's span, also those that a sender wrote. Several goroutines
// may call it at once.
func (e *Evaluator) Clean(span ptrace.Span) {
	e.reserved.RemoveFrom(span.Attributes())
	e.langwatch.Clean(span)
}

// Use sets the rules for the next runs.
func (e *Evaluator) Use(rules *Rules) {
	e.rules = rules
	e.sizes = e.sizesOf(&rules.ExpectationSet)
}

// KeepReports makes every result of a report name its expectation. The caller may keep a report if it uses each [Evaluation]
// once.
func (e *Evaluator) KeepReports() { e.keep = true }

// An Evaluation has the results of one run, and the memory for them. The zero value is ready. It can be used for one run
// after another; its results are valid until the next run.
type Evaluation struct {
	Report Report
	// Failures counts how often a condition or the key of a dataset failed. The caller should log Problems.
	Failures int64
	Problems []Problem

	anchor  conditions.Place // of the held span
	named   bool             // conditions read the agent's name from an attribute that was not there
	calls   []scoring.Call
	results []Result
	matches matches
	where   callConditions
	writer  xpdata.MapBuilder // unlike a Map it does not search for each key
}

// Forget drops what v has of a run and of the rules. It keeps memory for the next run if that is little.
func (v *Evaluation) Forget() {
	*v = Evaluation{
		Problems: emptied(v.Problems), calls: emptied(v.calls), results: emptied(v.results),
		matches: matches{list: emptied(v.matches.list), of: emptied(v.matches.of)},
	}
}

// emptied returns list without elements and references. It is nil if the list has room for many.
func emptied[T any](list []T) []T {
	const many = 256
	if cap(list) > many {
		return nil
	}
	clear(list[:cap(list)])
	return list[:0]
}
