package scoring

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
)

// findForbidden fills w.forbidden, while all calls count. If a call cannot be checked, it returns why, else "".
func (w *nativeRun) findForbidden(forbidden *plan) (doubt string) {
	if len(forbidden.classes) == 0 {
		return ""
	}
	for j := range w.calls {
		for _, k := range forbidden.index.Of(w.calls[j].Name, &w.found, &w.work) {
			w.work.Spend(perCall)
			banned, why := w.banned(&forbidden.classes[k], j)
			if w.work.Spent() {
				break
			}
			if banned {
				w.forbidden = append(w.forbidden, j)
				break
			}
			doubt = cmp.Or(doubt, why)
		}
		if w.work.Spent() {
			return tooMuchWork
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
		doubt = argumentsPart.lost(call.Name, "without their names")
	}
	if credit, why := w.agreed(mode, k, call, true); credit < full || why != "" {
		return false, cmp.Or(why, doubt)
	}
	if k.tool.Output != (Payload{}) {
		agrees, why := w.outputAgrees(k, call, compare.Within)
		if out := outputOf(call.Output, w.output.value); why == "" && !agrees && k.output.MayBe(&out) {
			why = outputPart.lost(call.Name, "no JSON")
		}
		if !agrees || why != "" {
			return false, why
		}
	}
	result, why := w.fulfils(k.tool, j)
	switch result {
	case ConditionFailed:
		why = fmt.Sprintf("the condition of the forbidden %s could not be evaluated on a call", quoted(k.tool.label()))
	case ConditionUnmet:
		if arguments, _ := k.tool.whereReads(); arguments {
			why = cmp.Or(why, doubt)
		}
	}
	return result == ConditionMet, why
}

// A CallLimit bounds the calls of the tools with a name, in which a * matches any characters.
type CallLimit struct {
	Name string
	Max  int
}

// brokenLimits returns the limits that the run exceeds. If the work is spent, it may lack some.
func (w *nativeRun) brokenLimits() (broken []BrokenRule) {
	s := &w.e.settings
	if s.MaxCalls != nil && len(w.calls) > *s.MaxCalls {
		broken = append(broken, BrokenRule{callsMade(len(w.calls)) + ", " + atMost(*s.MaxCalls), w.inRun(*s.MaxCalls)})
	}
	for _, limit := range s.MaxCallsOf {
		made, first := 0, -1
		for i := 0; i < len(w.calls) && !w.work.Spent(); i++ {
			if !w.work.Match(limit.Name, w.calls[i].Name) {
				continue
			}
			if made++; made == limit.Max+1 {
				first = w.inRun(i)
			}
		}
		if made > limit.Max && len(broken) < maxItems {
			broken = append(broken, BrokenRule{fmt.Sprintf("%s of %s, %s", calls(made), clean(limit.Name), atMost(limit.Max)), first})
		}
	}
	return broken
}

// tooManyRepeats returns a rule for each tool of which a call was made more often than allowed with the same arguments, in the order of
// the first calls. If arguments that were not captured leave open whether there is one, doubt says so.
func (w *nativeRun) tooManyRepeats() (broken []BrokenRule, doubt string) {
	allowed := w.e.settings.MaxRepeats
	if allowed == 0 {
		return nil, ""
	}
	made := make(map[callKey]int, len(w.run))
	// Of a tool: how often the most frequent call was made, the first call that is too many, and how many calls have unknown arguments.
	type repeats struct{ most, first, unknown int }
	of := map[string]*repeats{}
	for i := range w.run {
		c := &w.run[i]
		r := of[c.Name]
		if r == nil {
			r = &repeats{}
			of[c.Name] = r
		}
		if !c.Arguments.Captured() {
			r.unknown++
			continue
		}
		if !w.work.Spend(c.Arguments.Size()) {
			return broken, tooMuchWork
		}
		key, _ := w.keyOf(i, true)
		if made[key]++; made[key] > r.most {
			if r.most = made[key]; r.most == allowed+1 {
				r.first = i
			}
		}
	}
	for i := range w.run {
		c := &w.run[i]
		switch r := of[c.Name]; {
		case r.most > allowed && len(broken) < maxItems:
			broken = append(broken, BrokenRule{fmt.Sprintf("%d identical calls of %s, %s", r.most, clean(c.Name), atMost(allowed)), r.first})
			r.most = 0
		case !c.Arguments.Captured() && r.most+r.unknown > allowed:
			doubt = missingPayload(argumentsPart, c.Name, c.Arguments)
		}
	}
	return broken, doubt
}

// countOnce keeps the calls that count under the option repeats, and returns the indices of the others. Forbidden calls count.
func (w *nativeRun) countOnce() []int {
	if w.options.Repeats == CountRepeats {
		return nil
	}
	collapse := w.options.Repeats == CollapseRepeats
	arguments := collapse || w.comparesArguments()
	var before callKey // of the call before, if it is known
	known, seen := false, map[callKey]bool{}
	var left []int
	counted := make([]Call, 0, len(w.run))
	for i := range w.run {
		key, ok := w.keyOf(i, arguments)
		again := ok && (known && key == before || seen[key])
		if collapse {
			before, known = key, ok
		} else if ok {
			seen[key] = true
		}
		if again && !w.isForbidden(i) {
			left = append(left, i)
			continue
		}
		w.kept = append(w.kept, int32(i))
		counted = append(counted, w.run[i])
	}
	w.calls = counted
	return left
}

// comparesArguments reports whether the arguments of any tool are compared.
func (w *nativeRun) comparesArguments() bool {
	arguments, _ := w.e.Compares()
	return arguments || w.options.Arguments != ArgumentsIgnore
}

// A callKey is the same for all calls that are equal.
type callKey struct {
	name      string
	captured  bool
	arguments Digest
}

// keyOf returns the key of call i: its name and, if arguments is set, its arguments. Arguments that were not captured equal each
// other. A call whose arguments are too large has no key, because they may differ.
func (w *nativeRun) keyOf(i int, arguments bool) (key callKey, ok bool) {
	c := &w.run[i]
	key.name = c.Name
	if !arguments || c.Arguments == (Payload{}) {
		return key, true
	}
	if !c.Arguments.Captured() {
		return key, false
	}
	v, _ := w.arguments.read(argumentsPart, "", c.Arguments)
	key.captured, key.arguments = true, orEmptyObject(v).Digest()
	return key, true
}

// inRun returns the index in the run of a call that counts.
func (w *nativeRun) inRun(call int) int {
	if len(w.kept) == 0 {
		return call
	}
	return int(w.kept[call])
}

// plans returns the plans to score with. With unique repeats, equal tools of a list are expected once.
func (w *nativeRun) plans() []plan {
	switch e := w.e; {
	case w.options.Repeats != UniqueRepeats || e.sets.ofNames == nil:
		return e.lists()
	case w.comparesArguments():
		return e.sets.ofCalls()
	default:
		return e.sets.ofNames()
	}
}

// compileSets returns the plans of the lists as sets: of names with arguments, or of names alone.
func (e *Expectation) compileSets(arguments bool) (plans []plan) {
	for _, list := range e.settings.lists() {
		plans = append(plans, compile(setOf(list, arguments)))
	}
	return plans
}

// setOf returns the list without tools that equal an earlier one. If arguments is false, tools with equal names are equal.
func setOf(list []Tool, arguments bool) []Tool {
	type setKey struct {
		classKey
		optional bool
	}
	var set []Tool
	seen := make(map[setKey]bool, len(list))
	for _, t := range list {
		t.Count.Min = min(t.Count.Min, 1)
		key := setKey{classKeyOf(&t), t.Optional}
		switch {
		case !arguments:
			key.arguments, key.match = Payload{}, ArgumentsUnset
		case t.Arguments != Payload{}: // equal arguments may be written in several ways
			v, _ := t.Arguments.Value()
			digest := orEmptyObject(v).Digest()
			key.arguments = Text(string(digest[:]))
		}
		if !seen[key] {
			seen[key] = true
			set = append(set, t)
		}
	}
	return set
}
