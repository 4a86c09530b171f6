package scoring

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/objects"
)

// findForbidden fills w.forbidden, while all calls count. If a call cannot be checked, it returns why, else "".
func (w *nativeRun) findForbidden(forbidden *plan) (doubt string) {
	if len(forbidden.classes) == 0 {
		return ""
	}
	if why := w.consider(len(forbidden.classes)); why != "" {
		return why
	}
	w.search.Begin(&forbidden.index, len(w.calls), &w.work)
	for j := range w.calls {
		call := &w.calls[j]
		w.arguments.unread, w.output.unread, w.rewritten.by = true, true, nil
		candidates := w.search.Of(call.Name)
		if w.work.Spent() {
			return tooMuchWork
		}
		for _, k := range candidates {
			banned, why := w.banned(&forbidden.classes[k], j)
			if banned {
				w.forbidden = append(w.forbidden, j)
				break
			}
			doubt = cmp.Or(doubt, why)
		}
	}
	return doubt
}

// isForbidden reports whether call i of the run is forbidden.
func (w *nativeRun) isForbidden(i int) bool {
	_, found := slices.BinarySearch(w.forbidden, i)
	return found
}

// banned reports whether call j, which has the right name, agrees with a forbidden tool. The default mode is subset, not
// the metric's mode: ignore would forbid every call of the name, even if the tool states arguments. If it is not known
// whether the call agrees, banned returns why. A call must not escape because its arguments cannot be read.
func (w *nativeRun) banned(k *toolClass, j int) (bool, string) {
	mode, call := cmp.Or(k.tool.Match, ArgumentsSubset), &w.calls[j]
	doubt := ""
	if call.Unnamed {
		doubt = argumentsPart.lost(call.Name, "without their names").why
	}
	if k.tool.Arguments != (Payload{}) && !nothingToCompare(mode, k.arguments) {
		called, why := w.arguments.read(argumentsPart, call.Name, call.Arguments)
		if why == "" && k.arguments.Kind() == Object {
			called, why = w.arguments.object(call, called)
		}
		if why != "" {
			return false, why
		}
		if credit, why := w.agreed(mode, -1, k, call, orEmptyObject(called)); credit < full {
			return false, cmp.Or(why, doubt)
		}
	}
	if k.tool.Output != (Payload{}) {
		called, why := w.output.read(outputPart, call.Name, call.Output)
		if spent := !w.work.Spend(k.tool.Output.Size() + call.Output.Size()); why != "" || spent {
			return false, cmp.Or(why, tooMuchWork)
		}
		if result := w.output.asOutput(call.Output, called); !k.output.Agrees(result, objects.Within) {
			if k.output.MayBe(result) {
				why = outputPart.lost(call.Name, "no JSON").why
			}
			return false, why
		}
	}
	result, why := w.fulfils(k.tool, j)
	switch result {
	case ConditionFailed:
		why = fmt.Sprintf("the condition of the forbidden %s could not be evaluated on a call", quoted(k.tool.label()))
	case ConditionUnmet:
		if arguments, _ := k.tool.Where.Reads(); arguments {
			why = cmp.Or(why, doubt)
		}
	}
	return result == ConditionMet, why
}
