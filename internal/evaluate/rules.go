package evaluate

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

// An ExpectationSet is what runs are judged by. It never changes: a reload makes a new one.
type ExpectationSet struct {
	Expectations []Expectation
	// Fingerprint is a short hash of the configuration and of its files, written on every judged span.
	Fingerprint string
	// Warnings name what is allowed and was probably not meant.
	Warnings []string
	// Arguments and Output say which payloads the set compares.
	Arguments, Output bool
}

// Rules are an expectation set, what is derived from it, and how its conditions were used. One [Evaluator] uses them.
type Rules struct {
	ExpectationSet
	conditions conditionIndex
	// statuses: conditions on calls may ask for the status of a call.
	statuses bool
	// failures has, by expectation, how often its condition failed, and keyFailures how often the key of its dataset failed.
	failures, keyFailures []conditionErrors
	// uses says how conditions on calls were used.
	uses     map[*conditions.CallCondition]*conditionUse
	caseUses map[*Expectation]*conditionUse // for the conditions of datasets
}

// NewRules prepares a set of expectations for these metrics.
func NewRules(metrics []Metric, set ExpectationSet) *Rules {
	return &Rules{
		ExpectationSet: set, conditions: newConditionIndex(metrics, set.Expectations),
		failures: make([]conditionErrors, len(set.Expectations)), keyFailures: make([]conditionErrors, len(set.Expectations)),
		statuses: slices.ContainsFunc(set.Expectations, func(x Expectation) bool { return x.Expected == nil || x.Expected.HasConditions() }),
		uses:     map[*conditions.CallCondition]*conditionUse{}, caseUses: map[*Expectation]*conditionUse{},
	}
}
