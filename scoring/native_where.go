package scoring

import (
	"fmt"
	"slices"
	"strings"
)

// A Condition is the where of a tool: a condition on a call besides name and payloads. This package does not know its
// language; [Conditions] evaluate it.
type Condition interface {
	// String returns the condition as it was written. Conditions with equal texts are equal.
	String() string
	// Reads reports which payloads of a call the condition may read.
	Reads() (arguments, output bool)
}

// Conditions evaluate conditions on the calls of one run.
type Conditions interface {
	// Evaluate evaluates a condition on a call. call is an index into the calls of the run.
	Evaluate(c Condition, call int) ConditionResult
	// Sides returns what a condition that does not hold reads of a call, as a reason with values says it: "amount is 250". It is empty if
	// values must not be quoted.
	Sides(c Condition, call int) string
}

// ConditionResult is the outcome of a condition on a call.
type ConditionResult uint8

const (
	ConditionUnmet       ConditionResult = iota // it does not hold
	ConditionMet                                // it holds
	ConditionFailed                             // it could not be evaluated: an expected tool then does not match
	ConditionNoArguments                        // it reads arguments that were not captured, or are too large
	ConditionNoOutput                           // the same for the output
	ConditionNoEarlier                          // it reads the output of an earlier call, which was not captured, or is too large
	ConditionNoAnchor                           // it reads the span of the run, which has none
	ConditionTooLong                            // the conditions of the run would read too much
)

// With returns a copy of e that evaluates its conditions with c, for one run. Without With, a run whose score depends on a
// condition is not evaluable.
func (e *Expectation) With(c Conditions) *Expectation {
	with := *e
	with.conditions = c
	return &with
}

// HasConditions reports whether any tool has a condition.
func (e *Expectation) HasConditions() bool {
	states := func(p plan) bool { return p.where }
	return states(e.forbidden) || slices.ContainsFunc(e.plans, states) || slices.ContainsFunc(e.turns, (*Expectation).HasConditions)
}

func (t *Tool) whereText() string {
	if t.Where == nil {
		return ""
	}
	return t.Where.String()
}

// whereReads reports which payloads the condition of the tool reads.
func (t *Tool) whereReads() (arguments, output bool) {
	if t.Where == nil {
		return false, false
	}
	return t.Where.Reads()
}

// maxUnmet bounds the calls in Alignment.Unmet. A reason has no room for more.
const maxUnmet = 1024

// fulfils evaluates the condition of a tool on call j. If it cannot be evaluated for lack of data, why says so.
func (w *nativeRun) fulfils(t *Tool, j int) (result ConditionResult, why string) {
	u := Unmet{Tool: t, Called: w.inRun(j), Early: len(t.After) > 0 && !w.isAfter(t, j)}
	switch {
	case u.Early:
	case t.Where == nil:
		return ConditionMet, ""
	case w.e.conditions == nil:
		return ConditionNoAnchor, "conditions on calls cannot be evaluated here"
	default:
		result = w.e.conditions.Evaluate(t.Where, w.e.first+u.Called)
		u.Failed = result == ConditionFailed
	}
	switch call := &w.calls[j]; result {
	case ConditionMet:
		return result, ""
	case ConditionNoArguments:
		return result, missingPayload(argumentsPart, call.Name, call.Arguments)
	case ConditionNoOutput:
		return result, missingPayload(outputPart, call.Name, call.Output)
	case ConditionNoEarlier:
		return result, fmt.Sprintf("the condition of %s reads the output of an earlier call, which was not captured or is too large", quoted(t.label()))
	case ConditionNoAnchor:
		return result, fmt.Sprintf("the condition of %s reads the span of the run, which did not arrive", quoted(t.label()))
	case ConditionTooLong:
		return result, "the conditions of the expected tools would read too much of this run"
	}
	if len(w.a.Unmet) < maxUnmet {
		if !u.Early && len(w.a.Unmet) < maxItems {
			u.Sides = w.e.conditions.Sides(t.Where, w.e.first+u.Called)
		}
		w.a.Unmet = append(w.a.Unmet, u)
	}
	return result, ""
}

// isAfter reports whether call j came after a call of each tool that t names in After, whatever that call's arguments. Calls without an
// order among each other (see [ConcurrentAnyOrder]) may have either order, so both came after the other.
func (w *nativeRun) isAfter(t *Tool, j int) bool {
	at := w.inRun(j)
	for _, pattern := range t.After {
		first := w.firstOf(pattern, at)
		if first < 0 || first > at && !w.mayBeBefore(first, at) {
			return false
		}
	}
	return true
}

// startedEarly reports whether the call of a pair began before a call that it must come after. Both then ran at the same time.
func (w *nativeRun) startedEarly(p Pair) bool {
	return slices.ContainsFunc(w.a.Expected[p.Expected].After, func(pattern string) bool { return w.firstOf(pattern, p.Called) > p.Called })
}

// firstOf returns the first call of the run that a pattern names, other than one, or -1.
func (w *nativeRun) firstOf(pattern string, other int) int {
	for i := range w.run {
		if i != other && w.work.Match(pattern, w.run[i].Name) {
			return i
		}
	}
	return -1
}

// mayBeBefore reports whether a call may come before one that began earlier, because both ran at the same time.
func (w *nativeRun) mayBeBefore(call, earlier int) bool {
	a, b, unknown := w.run[call].Time, w.run[earlier].Time, Interval{}
	return w.options.Concurrent == ConcurrentAnyOrder && a != unknown && b != unknown && !b.Before(a)
}

// failedConditions returns a note for each tool whose condition could not be evaluated on some call.
func (w *nativeRun) failedConditions() (notes []string) {
	if len(w.a.Unmet) == 0 {
		return nil
	}
	var tools []string
	counts := map[string]int{}
	for _, u := range w.a.Unmet {
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

func calls(n int) string { return plural(n, "call", "calls") }

// unmet returns what Unmet says of a call for a tool, or nil.
func (a *Alignment) unmet(t *Tool, called int) *Unmet {
	i := slices.IndexFunc(a.Unmet, func(u Unmet) bool {
		return u.Called == called && u.Tool.whereText() == t.whereText() && slices.Equal(u.Tool.After, t.After)
	})
	if i < 0 {
		return nil
	}
	return &a.Unmet[i]
}

// fault returns the kind of fault that an unmet condition is, and the rule with what its sides are if that is known:
// "needs amount <= 100; amount is 250", or "must come after search".
func (u *Unmet) fault() (kind FindingKind, rule string) {
	if u.Early {
		return OutOfOrder, "must come after " + clean(strings.Join(u.Tool.After, ", "))
	}
	rule = "needs " + SafeName(u.Tool.whereText(), maxPath)
	if u.Sides != "" {
		rule += "; " + u.Sides
	}
	return UnmetCondition, rule
}
