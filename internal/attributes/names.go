package attributes

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// DefaultMetric is the name of the metric of a configuration that names none.
const DefaultMetric = "tool_correctness"

// The attributes of the run. They are on every span that represents a run with an expectation.
const (
	Agent       = "tool_correctness.agent"
	Expectation = "tool_correctness.expectation"
	// Case is the key of the dataset's case that the run met.
	Case       = "tool_correctness.case"
	Called     = "tool_correctness.called"
	Expected   = "tool_correctness.expected"
	Missing    = "tool_correctness.missing"
	Unexpected = "tool_correctness.unexpected"
	// Rejected has the tools that models asked for and that nothing executed.
	Rejected = "tool_correctness.rejected"
	Complete = "tool_correctness.complete"
	// IncompleteBecause has the reasons why a run is not complete.
	IncompleteBecause = "tool_correctness.incomplete_because"
	ClosedBy          = "tool_correctness.closed_by"
	Config            = "tool_correctness.config"
)

// RunKeys are all of them.
var RunKeys = []string{
	Agent, Expectation, Case, Called, Expected, Missing, Unexpected, Rejected, Complete, IncompleteBecause, ClosedBy, Config,
}

// OfRun is the name of an attribute of the run, such as [Called], as a processor with a prefix writes it. With another one than
// [DefaultMetric], a second processor of a pipeline leaves the attributes of the first one.
func OfRun(key, prefix string) string {
	if prefix == DefaultMetric { // nearly always
		return key
	}
	return prefix + strings.TrimPrefix(key, DefaultMetric)
}

// Keys are the attributes of one metric. Each is the metric's name and a suffix.
type Keys struct {
	// On the span of the run.
	Score, Passed, Reason, Threshold, Status string
	// Expectation is written if the metric met another expectation than [Expectation] names.
	Expectation string
	// Run is written if the attributes of the run have another prefix than [DefaultMetric]. It is that prefix.
	Run string
	// On the spans of tool calls.
	CallVerdict, CallCredit string
}

// Of are the attributes of the metric with that name.
func Of(metric string) Keys {
	return Keys{
		Score:       metric + ".score",
		Passed:      metric + ".passed",
		Reason:      metric + ".reason",
		Threshold:   metric + ".threshold",
		Status:      metric + ".status",
		Expectation: metric + ".expectation",
		Run:         metric + ".run",
		CallVerdict: metric + ".call.verdict",
		CallCredit:  metric + ".call.credit",
	}
}

// Score reads the score of a verdict for those who show it. Whole numbers may have become integers on their way through JSON. DeepEval
// adds shares in floats, so a score may be a few units in the last place above 1, and is then 1. The second result is false for all
// else that is no number in [0, 1].
func Score(v pcommon.Value) (float64, bool) {
	const rounding = 1e-9
	var x float64
	switch v.Type() {
	case pcommon.ValueTypeDouble:
		x = v.Double()
	case pcommon.ValueTypeInt:
		x = float64(v.Int())
	default:
		return 0, false
	}
	return min(x, 1), 0 <= x && x <= 1+rounding
}

// NameProblem says what is wrong with the name of a metric, which becomes the prefix of attributes. It is empty if nothing
// is.
func NameProblem(metric string) string {
	switch {
	case strings.TrimSpace(metric) == "":
		return "it is empty"
	case strings.HasPrefix(metric, "gen_ai."):
		return "names under gen_ai. belong to the semantic conventions"
	case slices.Contains(RunKeys, metric):
		return "an attribute has that name"
	}
	return ""
}

// EvaluationEvent is the event that a log record of a verdict is. The connector writes it, and the exporter reads it. The names
// are those of the semantic conventions (model/gen-ai/events.yaml).
const EvaluationEvent = "gen_ai.evaluation.result"

// The attributes of the event.
const (
	EvaluationName        = "gen_ai.evaluation.name"
	EvaluationScore       = "gen_ai.evaluation.score.value"
	EvaluationLabel       = "gen_ai.evaluation.score.label"
	EvaluationExplanation = "gen_ai.evaluation.explanation"
	EvaluationTarget      = "gen_ai.evaluation.target"       // of Pydantic Evals
	EvaluatorID           = "gen_ai.evaluation.evaluator.id" // a proposal, as the next two
	EvaluatorVersion      = "gen_ai.evaluation.evaluator.version"
	EvaluatorType         = "gen_ai.evaluation.evaluator.type"
	ErrorType             = "error.type"
	AgentName             = "gen_ai.agent.name"
	ConversationID        = "gen_ai.conversation.id"
	ResponseID            = "gen_ai.response.id"
)

// Reserved has the attributes that only this processor writes on a run's span: those of the run, and those of its
// metrics. A sender may have written them already, and a reader could not distinguish such a verdict from ours. So they are
// removed from every span that is known to be an agent's, whether it will be judged or not.
type Reserved map[string]struct{}

// NewReserved returns the attributes of the run with a prefix, and those of metrics.
func NewReserved(prefix string, metrics []string) Reserved {
	r := Reserved{}
	for _, key := range RunKeys {
		r[OfRun(key, prefix)] = struct{}{}
	}
	for _, metric := range metrics {
		k := Of(metric)
		for _, key := range []string{k.Score, k.Passed, k.Reason, k.Threshold, k.Status, k.Expectation, k.Run} {
			r[key] = struct{}{}
		}
	}
	return r
}

// RemoveFrom removes all reserved keys from m, also a key that occurs twice. Several goroutines may call it at once.
func (r Reserved) RemoveFrom(m pcommon.Map) {
	m.RemoveIf(func(key string, _ pcommon.Value) bool {
		_, reserved := r[key]
		return reserved
	})
}
