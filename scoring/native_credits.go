package scoring

import (
	"fmt"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/objects"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
)

// full is the credit of a pair that agrees completely.
const full = match.Full

// These bound the comparisons of a verdict, because their number grows with the product of lists. A span may write one of
// the lists. A run that needs more is not scored.
const (
	// maxWork bounds the steps of comparing names with patterns, and calls with lists of tools. A step is about a byte.
	maxWork = 1 << 28
	// perCall is the number of steps that a call takes for each list of tools.
	perCall = 64
)

const tooMuchWork = "comparing the calls with the expected tools takes too many steps"

// compare computes the credits of a plan. If a credit cannot be computed, it returns why, else "".
//
// The outer loop is over calls, the inner one over the classes of the call's name. So each call is decoded at most once,
// and only one decoded call is in memory. Expected values were decoded with the plan.
func (w *nativeRun) compare(p *plan) string {
	w.edges.Reset()
	if why := w.consider(len(p.classes)); why != "" {
		return why
	}
	w.search.Begin(&p.index, len(w.calls), &w.work)
	for j := range w.calls {
		if len(w.forbidden) > 0 && w.isForbidden(w.inRun(j)) {
			continue
		}
		call := &w.calls[j]
		candidates := w.search.Of(call.Name)
		if w.work.Spent() {
			return tooMuchWork
		}
		w.arguments.unread, w.output.unread, w.rewritten.by = true, true, nil
		for _, k := range candidates {
			credit, why := w.credit(k, &p.classes[k], j)
			if why != "" {
				return why
			}
			if credit > 0 {
				w.edges.Add(k, int32(j), credit)
			}
		}
	}
	return ""
}

// consider counts the cells of a list of tools before it is compared with the calls. If they are too many, it returns why, else "".
func (w *nativeRun) consider(classes int) string {
	if w.cells += classes * len(w.calls); w.cells > maxCells {
		return tooManyCells
	}
	if w.work.Spent() {
		return tooMuchWork
	}
	return ""
}

// credit returns the credit of call j, which has the right name, in a class, or why there is none. If the score is already
// 0, a payload that was not captured counts as equal, so that the alignment shows the other faults.
func (w *nativeRun) credit(class int32, k *toolClass, j int) (int64, string) {
	credit, call := int64(full), &w.calls[j]
	if w.namesOnly {
		return credit, ""
	}
	mode := w.argumentMode(k.tool)
	if k.tool.Arguments != (Payload{}) && !nothingToCompare(mode, k.arguments) {
		called, why := w.arguments.read(argumentsPart, call.Name, call.Arguments)
		if why == "" {
			credit, why = w.agreed(mode, class, k, call, orEmptyObject(called))
		}
		if why != "" {
			if !w.decided {
				return 0, why
			}
			credit, w.guessed = full, true
		}
	}
	if k.tool.Output != (Payload{}) && w.options.Output != OutputIgnore && credit > 0 {
		called, why := w.output.read(outputPart, call.Name, call.Output)
		if why == "" && !w.work.Spend(k.tool.Output.Size()+call.Output.Size()) {
			why = tooMuchWork
		}
		if why != "" && !w.decided {
			return 0, why
		} else if why == "" && !k.output.Agrees(w.output.asOutput(call.Output, called), w.options.Output.equal()) {
			return 0, ""
		}
		w.guessed = w.guessed || why != ""
	}
	if k.tool.Where == nil || credit == 0 {
		return credit, ""
	}
	result, why := w.fulfils(k.tool, j)
	if why != "" && w.decided {
		w.guessed = true
		return credit, ""
	}
	if result != ConditionMet {
		credit = 0
	}
	return credit, why
}

// agreed returns the credit of a call's arguments in a class, or why there is none. It spends a step for each byte.
func (w *nativeRun) agreed(m ArgumentMode, class int32, k *toolClass, c *Call, called Value) (int64, string) {
	w.work.Spend(k.tool.Arguments.Size() + c.Arguments.Size())
	if called = w.tolerate(class, k, called); w.work.Spent() {
		return 0, tooMuchWork
	}
	credit := w.options.compareArguments(m, k.expected(m), called, &w.texts)
	if w.texts.Spent() {
		return 0, fmt.Sprintf("the texts in the arguments of %s take too long to compare", quoted(c.Name))
	}
	return credit, ""
}

func (w *nativeRun) argumentMode(t *Tool) ArgumentMode {
	if t.Match != ArgumentsUnset {
		return t.Match
	}
	return w.options.Arguments
}

// equal returns the comparison of the mode.
func (m OutputMode) equal() func(expected, called Value) bool {
	if m == OutputSubset {
		return objects.Within
	}
	return Equal
}

// nothingToCompare reports whether all arguments agree with the expected ones, even if they were not captured.
func nothingToCompare(m ArgumentMode, expected Value) bool {
	switch m {
	case ArgumentsIgnore, ArgumentsUnset:
		return true
	case ArgumentsSubset, ArgumentsFuzzy:
		return expected.Kind() == Object && expected.Len() == 0
	}
	return false
}
