package scoring

import "slices"

// findForbidden fills forbidden, and returns why it is uncertain whether there are more.
func (w *nativeRun) findForbidden(forbidden *plan) (doubt string) {
	if len(forbidden.classes) == 0 {
		return ""
	}
	for j := range w.calls {
		call := &w.calls[j]
		w.arguments.unread, w.output.unread = true, true
		for _, k := range w.credits.named(forbidden, call.Name) {
			banned, why := w.banned(&forbidden.classes[k], call)
			if banned {
				w.forbidden = append(w.forbidden, w.inRun(j))
				break
			}
			if doubt == "" {
				doubt = why
			}
		}
	}
	return doubt
}

func (w *nativeRun) isForbidden(call int) bool {
	if len(w.forbidden) == 0 {
		return false
	}
	_, found := slices.BinarySearch(w.forbidden, w.inRun(call))
	return found
}

// banned reports whether a call of the right name is what a forbidden tool describes. A description that is not
// to be compared at all would forbid every call of the name, which is never what was meant; so the default is
// subset, not the metric's mode.
func (w *nativeRun) banned(k *toolClass, call *Call) (bool, string) {
	mode := k.tool.Match
	if mode == ArgumentsUnset {
		mode = ArgumentsSubset
	}
	if k.tool.Arguments != (Payload{}) && !nothingToCompare(mode, k.arguments) {
		called, why := w.arguments.read("arguments", call.Name, call.Arguments)
		if why != "" {
			return false, why
		}
		credit := w.options.compareArguments(mode, k.arguments, orEmptyObject(called), &w.texts)
		if w.texts.Spent() {
			return false, textsTooLong(call)
		}
		if credit < full {
			return false, ""
		}
	}
	if k.tool.Output != (Payload{}) {
		called, why := w.output.read("output", call.Name, call.Output)
		return why == "" && k.output.agrees(w.output.asOutput(call.Output, called), within), why
	}
	return true, ""
}
