package scoring

import (
	"cmp"
	"errors"
)

// EvalLibOptions are the options of eval_lib's ToolCorrectnessMetric, under eval_lib's names.
type EvalLibOptions struct {
	// ExactMatch requires the same names at the same positions. It overrides CheckOrdering.
	ExactMatch bool
	// CheckOrdering scores the longest common subsequence.
	CheckOrdering bool
	// Threshold is the lowest score that passes.
	Threshold float64
	// Version is "0.7" for the rules up to 0.7.27, or "0.8" for those since 0.7.28. Empty means "0.8". They differ if no
	// tools are expected and ExactMatch is off: for any calls, the score is 0 under "0.7" and 1 under "0.8".
	Version string
}

// evalLibVersions has the names of the versions in a configuration, the default first.
var evalLibVersions = []string{"0.8", "0.7"}

// DefaultEvalLib returns eval_lib's defaults, and the rules of its newest version.
func DefaultEvalLib() EvalLibOptions {
	return EvalLibOptions{Threshold: 0.5, Version: evalLibVersions[0]}
}

// EvalLib scores like the ToolCorrectnessMetric of eval_lib (Eval-ai-library), which compares names only.
type EvalLib struct{ options EvalLibOptions }

// NewEvalLib checks the options. Its error joins one [Fault] for each wrong option.
func NewEvalLib(o EvalLibOptions) (*EvalLib, error) {
	o.Version = cmp.Or(o.Version, evalLibVersions[0])
	var c checker
	c.oneOf("version", o.Version, evalLibVersions)
	c.share("threshold", o.Threshold)
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	return &EvalLib{o}, nil
}

// Name returns "eval_lib".
func (*EvalLib) Name() string { return "eval_lib" }

// Compares reports that no payload is read.
func (*EvalLib) Compares() (arguments, output bool) { return false, false }

func (*EvalLib) sealed() {}

// Judge scores the run. Missing lists count as empty.
func (l *EvalLib) Judge(e *Expectation, calls []Call) Verdict {
	t := evalLibRun{newReferenceRun(e, calls)}
	score, f := t.score(&l.options)
	return t.verdict(score, l.options.Threshold, f)
}

type evalLibRun struct{ referenceRun }

func (t *evalLibRun) score(o *EvalLibOptions) (float64, *notScored) {
	if f := t.overload(); f != nil {
		return 0, f
	}
	switch {
	case o.ExactMatch:
		return t.positional(func(i int) (bool, *notScored) { return t.named(i, i), nil })
	case o.CheckOrdering:
		_, total, f := t.inOrder(func(i, j int) (float64, *notScored) {
			if t.named(i, j) {
				return 1, nil
			}
			return 0, nil
		})
		return t.share(total, o), f
	}
	return t.share(t.unordered(), o), nil
}

func (t *evalLibRun) named(i, j int) bool { return t.tools[i].Name == t.calls[j].Name }

// unordered gives each tool in turn the first call of its name.
func (t *evalLibRun) unordered() float64 {
	taken := make([]bool, len(t.calls))
	for i := range t.tools {
		for j := range t.calls {
			if !taken[j] && t.named(i, j) {
				taken[j] = true
				t.pair(i, j, 1)
				break
			}
		}
	}
	return float64(len(t.align.Pairs))
}

// share divides by the number of expected tools. If that is 0, the score depends on the version, not on the calls.
func (t *evalLibRun) share(matched float64, o *EvalLibOptions) float64 {
	switch {
	case len(t.tools) > 0:
		return matched / float64(len(t.tools))
	case o.Version == "0.7":
		t.note("eval_lib 0.7 scores 0 where no tools are expected")
		return 0
	}
	return 1
}
