package scoring

import (
	"errors"
	"strings"
)

// DeepEvalOptions are the options of DeepEval's ToolCorrectnessMetric, under DeepEval's names.
type DeepEvalOptions struct {
	// EvaluationParams says what is compared besides names: input_parameters, output. tool has no effect.
	EvaluationParams []string
	// ShouldExactMatch requires the same calls at the same positions. It overrides ShouldConsiderOrdering.
	ShouldExactMatch bool
	// ShouldConsiderOrdering scores the longest common subsequence.
	ShouldConsiderOrdering bool
	// StrictMode sets every score below 1 to 0, and the threshold to 1.
	StrictMode bool
	// Threshold is the lowest score that passes.
	Threshold float64
	// Uncaptured says how payloads that were not captured count. DeepEval has no such option.
	Uncaptured Uncaptured
}

// DefaultDeepEval returns DeepEval's defaults; the multimodal metric has the same.
func DefaultDeepEval() DeepEvalOptions { return DeepEvalOptions{Threshold: 0.5} }

// DeepEval scores like one of DeepEval's tool correctness metrics. It has no part that needs a language model.
//
// A score is a sum of floats in DeepEval's order. With input_parameters, rounding may take it a few units in the last place
// above 1.
type DeepEval struct {
	rules             *deepEvalRules
	options           DeepEvalOptions
	arguments, output bool
}

// NewDeepEval makes the ToolCorrectnessMetric of DeepEval 4.1.9 to 4.3.1. Its error joins one [Fault] for each wrong option.
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

// evaluationParams parses what to compare besides names. It also accepts the spelling of DeepEval's and EvalSharp's
// enumerations: INPUT_PARAMETERS.
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

// Compares reports which payloads are read. Without order both always are, because identical calls count once.
func (d *DeepEval) Compares() (arguments, output bool) {
	if !d.options.ShouldExactMatch && !d.options.ShouldConsiderOrdering {
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
