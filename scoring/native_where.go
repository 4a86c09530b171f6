package scoring

import (
	"fmt"
	"slices"
)

// A Condition is what a tool demands of a call besides its name and payloads, as where. This package does not know its
// language: [Conditions] evaluate it.
type Condition interface {
	// String is the condition as it was written. Two conditions with the same text are the same.
	String() string
	// Reads says which payloads of a call the condition may read.
	Reads() (arguments, output bool)
}

// Conditions evaluate conditions on the calls of one run.
type Conditions interface {
	// Evaluate evaluates a condition on a call, which is an index into the calls of the run.
	Evaluate(c Condition, call int) ConditionResult
}

// ConditionResult is what a condition says of a call.
type ConditionResult uint8

const (
	ConditionUnmet       ConditionResult = iota // it does not hold
	ConditionMet                                // it holds
	ConditionFailed                             // it could not be evaluated, as if it did not hold
	ConditionNoArguments                        // it reads arguments that were not captured, or are too large
	ConditionNoOutput                           // the same for the output
	ConditionNoAnchor                           // it reads the span of the run, which has none
	ConditionTooLong                            // the conditions of the run would read too much
)

// With returns the expectation for one run, whose calls the conditions know. An expectation with conditions that are not
// given this way scores no run that they decide. Without conditions in its tools it returns e.
func (e *Expectation) With(c Conditions) *Expectation {
	if !e.HasConditions() {
		return e
	}
	with := *e
	with.conditions = c
	return &with
}

// HasConditions reports whether some tool has a condition.
func (e *Expectation) HasConditions() bool {
	return e.forbidden.conditional || slices.ContainsFunc(e.plans, func(p plan) bool { return p.conditional })
}

// Forbids reports whether c is the condition of a forbidden tool.
func (e *Expectation) Forbids(c Condition) bool {
	return slices.ContainsFunc(e.settings.Forbidden, func(t Tool) bool { return t.Where == c })
}

func (t *Tool) whereText() string {
	if t.Where == nil {
		return ""
	}
	return t.Where.String()
}

// maxUnmet is how many calls an alignment lists that did not fulfil a condition. No reason has room for more.
const maxUnmet = 1024

// fulfils reports whether call j fulfils the condition of a tool. If it cannot be known, it returns why, else "".
func (w *nativeRun) fulfils(t *Tool, j int) (met bool, why string) {
	if t.Where == nil {
		return true, ""
	}
	if w.conditions == nil {
		return false, "conditions on calls cannot be evaluated here"
	}
	result := w.conditions.Evaluate(t.Where, w.inRun(j))
	switch call := &w.calls[j]; result {
	case ConditionMet:
		return true, ""
	case ConditionNoArguments:
		return false, missingPayload("arguments", call.Name, call.Arguments)
	case ConditionNoOutput:
		return false, missingPayload("output", call.Name, call.Output)
	case ConditionNoAnchor:
		return false, fmt.Sprintf("the condition of %s reads the span of the run, which did not arrive", quoted(t.label()))
	case ConditionTooLong:
		return false, "the conditions of the expected tools would read too much of this run"
	}
	if len(w.unmet) < maxUnmet {
		w.unmet = append(w.unmet, Unmet{t, w.inRun(j), result == ConditionFailed})
	}
	return false, ""
}

// failedConditions says, tool by tool, on how many calls a condition could not be evaluated.
func (w *nativeRun) failedConditions() (notes []string) {
	if len(w.unmet) == 0 {
		return nil
	}
	var tools []string
	counts := map[string]int{}
	for _, u := range w.unmet {
		if u.Failed {
			label := clean(u.Tool.label())
			if counts[label]++; counts[label] == 1 {
				tools = append(tools, label)
			}
		}
	}
	for _, label := range tools[:min(len(tools), maxItems)] {
		notes = append(notes, fmt.Sprintf("the condition of %s could not be evaluated on %s", label, calls(counts[label])))
	}
	return notes
}

func calls(n int) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

// isUnmet reports whether a call is listed for the condition of a tool.
func (a *Alignment) isUnmet(t *Tool, called int) bool {
	return t.Where != nil && slices.ContainsFunc(a.Unmet, func(u Unmet) bool {
		return u.Called == called && u.Tool.whereText() == t.whereText()
	})
}
