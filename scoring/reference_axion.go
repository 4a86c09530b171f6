package scoring

import (
	"cmp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
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

// The words of a configuration, the default first.
var (
	axionStrategies = []string{"exact", "subset", "fuzzy"}
	axionScorings   = []string{"recall", "precision", "f1"}
)

// maxFuzzyThreshold is a little above 1, because Axion users write such a threshold to say "never". A percentage is an error.
const maxFuzzyThreshold = 1.1

// NewAxion makes Axion's ToolCorrectness at commit 8024937, the last change to its rules. Missing lists count as empty. Its error
// joins one [Fault] for each wrong option. An unknown strategy is an error; Axion itself treats it as exact.
func NewAxion(o AxionOptions) (Method, error) {
	var c checker
	c.oneOf("parameter_matching_strategy", o.ParameterMatchingStrategy, axionStrategies)
	c.oneOf("scoring", o.Scoring, axionScorings)
	c.want(0 <= o.FuzzyThreshold && o.FuzzyThreshold <= maxFuzzyThreshold,
		"fuzzy_threshold", "must be from 0 to %v, is %v", maxFuzzyThreshold, o.FuzzyThreshold)
	c.share("threshold", o.Threshold)
	m := reference{
		name: "axion", system: axion, mode: firstCall, arguments: o.CheckParameters, emptyScore: 1, axion: o,
		threshold: cmp.Or(o.Threshold, 0.5), // Axion computes "threshold or 0.5"
	}
	m.argumentMode, _ = Parse[ArgumentMode](o.ParameterMatchingStrategy) // native has the same words
	if o.StrictOrder {
		m.mode = positions
	}
	if o.Scoring != "recall" {
		m.extra = ExtraLowers
	}
	return c.method(m)
}

// creditInAxion compares arguments: 1 or 0. If none are expected, subset and fuzzy do not read a call's arguments.
func (t *referenceRun) creditInAxion(i, j int) (float64, *notScored) {
	want, f := t.object(t.expected(i, argumentsPart), "expected arguments", t.tools[i].Name)
	if f != nil {
		return 0, f
	}
	if want.Len() == 0 && t.argumentMode != ArgumentsExact {
		return 1, nil
	}
	got, f := t.object(t.called(j, argumentsPart), "arguments", t.calls[j].Name)
	if f != nil {
		return 0, f
	}
	switch t.argumentMode {
	case ArgumentsSubset:
		return oneIf(compare.WithinBy(want, got, compare.Python)), nil
	case ArgumentsFuzzy:
		alike := compare.Axion(want, got, &t.texts) >= t.axion.FuzzyThreshold
		if t.texts.Spent() {
			return 0, notEvaluable("comparing the texts in the arguments takes more than %d steps", compare.MaxSteps)
		}
		return oneIf(alike), nil
	}
	return oneIf(compare.Python(want, got)), nil
}
