package scoring

import (
	"errors"
	"strings"
)

// DeepEvalOptions are the options of DeepEval's ToolCorrectnessMetric, under DeepEval's names.
type DeepEvalOptions struct {
	// EvaluationParams says what is compared besides names: input_parameters, output. tool has no effect.
	EvaluationParams []string
	// ShouldExactMatch asks for the same calls at the same positions. It wins over ShouldConsiderOrdering.
	ShouldExactMatch bool
	// ShouldConsiderOrdering scores the longest common subsequence.
	ShouldConsiderOrdering bool
	// StrictMode makes every score below 1 a 0, and 1 the threshold.
	StrictMode bool
	// Threshold is the score from which a run passes.
	Threshold float64
	// Uncaptured is what arguments and outputs count as that were not captured. DeepEval has no such option.
	Uncaptured Uncaptured
}

// DefaultDeepEval returns DeepEval's defaults; the multimodal metric has the same.
func DefaultDeepEval() DeepEvalOptions { return DeepEvalOptions{Threshold: 0.5} }

// DeepEval scores like one of DeepEval's tool correctness metrics. Only what is computed without a language model
// is here.
//
// A score is a sum of floats, added up in DeepEval's order; with input_parameters it may round to a few units in the
// last place more than 1.
type DeepEval struct {
	rules             *deepEvalRules
	options           DeepEvalOptions
	arguments, output bool
}

// NewDeepEval makes the ToolCorrectnessMetric of DeepEval 4.1.9 to 4.3.1. Its error joins one [Fault] for each option that
// is wrong.
func NewDeepEval(o DeepEvalOptions) (*DeepEval, error) { return newDeepEval(&deepEval4110, o) }

// NewDeepEvalMultimodal makes the MultimodalToolCorrectnessMetric as it was from 2.4.6 until its end in 3.7.4.
func NewDeepEvalMultimodal(o DeepEvalOptions) (*DeepEval, error) {
	return newDeepEval(&deepEvalMultimodal, o)
}

func newDeepEval(rules *deepEvalRules, o DeepEvalOptions) (*DeepEval, error) {
	var c checker
	d := &DeepEval{rules: rules, options: o}
	d.arguments, d.output = c.evaluationParams(o.EvaluationParams)
	c.share("threshold", o.Threshold)
	c.want(known(uncapturedWords, o.Uncaptured), "uncaptured", "is unknown")
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	if o.StrictMode {
		d.options.Threshold = 1
	}
	return d, nil
}

// evaluationParams reads what to compare besides names. Words may be written as the enumerations of DeepEval and
// EvalSharp are: INPUT_PARAMETERS.
func (c *checker) evaluationParams(words []string) (arguments, output bool) {
	for _, word := range words {
		switch word {
		case "input_parameters", "INPUT_PARAMETERS":
			arguments = true
		case "output", "OUTPUT":
			output = true
		case "tool", "TOOL": // names are always compared
		default:
			c.add("evaluation_params", "may hold %s, holds %q",
				strings.Join([]string{"tool", "input_parameters", "output"}, ", "), word)
		}
	}
	return arguments, output
}

// Name returns "deepeval" or "deepeval_multimodal".
func (d *DeepEval) Name() string { return d.rules.name }

// Compares says which payloads are read. Without order both always are: identical calls count once, and it takes
// the payloads to know which are identical.
func (d *DeepEval) Compares() (arguments, output bool) {
	if d.rules.repeatsCountOnce && !d.options.ShouldExactMatch && !d.options.ShouldConsiderOrdering {
		return true, true
	}
	return d.arguments, d.output
}

func (*DeepEval) sealed() {}

// Judge scores the run. A list that is nil is Python's None, on which DeepEval raises an error.
func (d *DeepEval) Judge(e *Expectation, calls []Call) Verdict {
	t := deepEvalRun{referenceRun: newReferenceRun(e, calls), metric: d, rules: d.rules}
	t.uncaptured = d.options.Uncaptured
	t.align.ComparesArguments, t.align.ComparesOutput, t.align.ComparesType = d.arguments, d.output, d.rules.comparesType
	if !d.options.ShouldExactMatch {
		t.align.Arguments = ArgumentsPartial
	}
	score, f := t.score()
	if d.options.StrictMode && score < 1 {
		if score > 0 {
			t.note("strict_mode makes every score below 1 a 0")
		}
		score = 0
	}
	return t.verdict(score, d.options.Threshold, f)
}
