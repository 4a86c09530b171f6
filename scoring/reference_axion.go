package scoring

import (
	"errors"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
)

// AxionOptions are the options of Axion's ToolCorrectness, under Axion's names.
type AxionOptions struct {
	// CheckParameters compares arguments as well as names.
	CheckParameters bool
	// StrictOrder requires the same tools at the same positions. Scoring then has no effect.
	StrictOrder bool
	// ParameterMatchingStrategy is exact, subset or fuzzy.
	ParameterMatchingStrategy string
	// FuzzyThreshold is the lowest mean similarity of arguments that match under fuzzy. Above 1 none match.
	FuzzyThreshold float64
	// Scoring is recall, precision or f1.
	Scoring string
	// Threshold is the lowest score that passes. Axion treats 0 as "not given", which means 0.5.
	Threshold float64
}

// DefaultAxion returns Axion's defaults.
func DefaultAxion() AxionOptions {
	return AxionOptions{ParameterMatchingStrategy: "exact", FuzzyThreshold: 0.8, Scoring: "recall", Threshold: 0.5}
}

// Axion scores like Axion's ToolCorrectness at commit 8024937, the last change to its rules.
type Axion struct {
	options   AxionOptions
	threshold float64
}

// The words of a configuration, the default first.
var (
	axionStrategies = []string{"exact", "subset", "fuzzy"}
	axionScorings   = []string{"recall", "precision", "f1"}
)

// maxFuzzyThreshold is a little above 1, because Axion users write such a threshold to say "never". A percentage is an error.
const maxFuzzyThreshold = 1.1

// NewAxion checks the options. Its error joins one [Fault] for each wrong option. An unknown strategy is an error; Axion
// itself treats it as exact.
func NewAxion(o AxionOptions) (*Axion, error) {
	var c checker
	c.oneOf("parameter_matching_strategy", o.ParameterMatchingStrategy, axionStrategies)
	c.oneOf("scoring", o.Scoring, axionScorings)
	c.want(0 <= o.FuzzyThreshold && o.FuzzyThreshold <= maxFuzzyThreshold,
		"fuzzy_threshold", "must be from 0 to %v, is %v", maxFuzzyThreshold, o.FuzzyThreshold)
	c.share("threshold", o.Threshold)
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	a := &Axion{options: o, threshold: o.Threshold}
	if a.threshold == 0 {
		a.threshold = 0.5 // Axion computes "threshold or 0.5"
	}
	return a, nil
}

// oneOf checks a word.
func (c *checker) oneOf(path, word string, words []string) {
	c.want(slices.Contains(words, word), path, "must be one of %s, is %q", strings.Join(words, ", "), word)
}

// Name returns "axion".
func (*Axion) Name() string { return "axion" }

// Compares reports that arguments are read if CheckParameters is set, and output never.
func (a *Axion) Compares() (arguments, output bool) { return a.options.CheckParameters, false }

func (*Axion) sealed() {}

// Judge scores the run. Missing lists count as empty.
func (a *Axion) Judge(e *Expectation, calls []Call) Verdict {
	t := axionRun{referenceRun: newReferenceRun(e, calls), options: &a.options, work: difflib.NewBudget()}
	t.align.ComparesArguments = a.options.CheckParameters
	t.align.Arguments, _ = ParseArgumentMode(a.options.ParameterMatchingStrategy) // native has the same words
	if a.options.Scoring != "recall" {
		t.align.Extra = ExtraLowers
	}
	score, f := t.score()
	return t.verdict(score, a.threshold, f)
}

type axionRun struct {
	referenceRun
	options *AxionOptions
	work    difflib.Budget
}

func (t *axionRun) score() (float64, *notScored) {
	switch {
	case len(t.tools) == 0 && len(t.calls) == 0:
		return 1, nil
	case len(t.tools) == 0:
		return 0, nil // under any Scoring, strict or not
	}
	if f := t.overload(t.parts()...); f != nil {
		return 0, f
	}
	if t.options.StrictOrder {
		return t.positional(func(i int) (bool, *notScored) { return t.match(i, i) })
	}
	if f := t.flexible(); f != nil {
		return 0, f
	}
	return t.share(float64(len(t.align.Pairs))), nil
}

func (t *axionRun) parts() []part {
	if t.options.CheckParameters {
		return []part{argumentsPart}
	}
	return nil
}

// flexible gives each tool in turn the first matching call that is left, even if a later tool then has none.
func (t *axionRun) flexible() *notScored {
	taken := make([]bool, len(t.calls))
	for i := range t.tools {
		for j := range t.calls {
			if taken[j] || t.tools[i].Name != t.calls[j].Name {
				continue
			}
			ok, f := t.match(i, j)
			if f != nil {
				return f
			}
			if ok {
				taken[j] = true
				t.pair(i, j, 1)
				break
			}
		}
	}
	return nil
}

// share computes the score from the number of matches. Precision over no calls is 1.
func (t *axionRun) share(matched float64) float64 {
	recall, precision := matched/float64(len(t.tools)), 1.0
	if len(t.calls) > 0 {
		precision = matched / float64(len(t.calls))
	}
	switch t.options.Scoring {
	case "precision":
		return precision
	case "f1":
		if recall == 0 || precision == 0 {
			return 0
		}
		return 2 * precision * recall / (precision + recall)
	}
	return recall
}

// match compares names and, if CheckParameters is set, arguments. If none are expected, subset and fuzzy do not read a call's
// arguments.
func (t *axionRun) match(i, j int) (bool, *notScored) {
	if t.tools[i].Name != t.calls[j].Name {
		return false, nil
	}
	if !t.options.CheckParameters {
		return true, nil
	}
	want, f := t.object(t.expected(i, argumentsPart), "expected arguments", t.tools[i].Name)
	if f != nil {
		return false, f
	}
	if want.Len() == 0 && t.options.ParameterMatchingStrategy != "exact" {
		return true, nil
	}
	got, f := t.object(t.called(j, argumentsPart), "arguments", t.calls[j].Name)
	if f != nil {
		return false, f
	}
	return t.matchArguments(want, got)
}

// object returns the arguments that were read, or {} if none were given.
func (t *axionRun) object(r reading, what, tool string) (Value, *notScored) {
	switch {
	case r.problem != nil:
		return Value{}, r.problem
	case !r.given:
		return emptyObject, nil
	case r.value.Kind() != Object:
		return Value{}, failed("%s of %s are no JSON object, which Axion requires", what, quoted(tool))
	}
	return r.value, nil
}

func (t *axionRun) matchArguments(want, got Value) (bool, *notScored) {
	switch t.options.ParameterMatchingStrategy {
	case "subset":
		return compare.WithinBy(want, got, compare.Python), nil
	case "fuzzy":
		alike := difflib.Reaches(&t.work, t.options.FuzzyThreshold, want, got, compare.Axion)
		if t.work.Spent() {
			return false, notEvaluable("comparing the texts in the arguments takes more than %d steps", difflib.MaxSteps)
		}
		return alike, nil
	}
	return compare.Python(want, got), nil
}
