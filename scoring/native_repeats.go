package scoring

// countOnce keeps the calls that count under the option repeats, and returns the indices of the others. Forbidden calls count.
func (w *nativeRun) countOnce(e *Expectation) []int {
	var repeats func(i int) bool
	switch w.options.Repeats {
	case CollapseRepeats:
		repeats = func(i int) bool { return i > 0 && w.same(&w.run[i-1], &w.run[i]) }
	case UniqueRepeats:
		repeats = w.repeatsAny(w.comparesArguments(e))
	default:
		return nil
	}
	var left []int
	var counted []Call
	for i := range w.run {
		if repeats(i) && !w.isForbidden(i) {
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
func (w *nativeRun) comparesArguments(e *Expectation) bool {
	arguments, _ := e.Compares()
	return arguments || w.options.Arguments != ArgumentsIgnore
}

// A callKey is the same for all calls that are equal.
type callKey struct {
	name      string
	captured  bool
	arguments Digest
}

// repeatsAny returns a function that reports whether call i has the name of an earlier call and, if arguments is set, equal
// arguments. Arguments that were not captured equal each other. Arguments that are too large equal none.
func (w *nativeRun) repeatsAny(arguments bool) func(i int) bool {
	seen := make(map[callKey]bool, len(w.run))
	return func(i int) bool {
		c := &w.run[i]
		key := callKey{name: c.Name}
		if arguments && c.Arguments != (Payload{}) {
			if !c.Arguments.Captured() {
				return false
			}
			w.arguments.unread = true
			v, _ := w.arguments.read(argumentsPart, "", c.Arguments)
			key.captured, key.arguments = true, orEmptyObject(v).Digest()
		}
		again := seen[key]
		seen[key] = true
		return again
	}
}

// same reports whether two calls have the same name and arguments. If neither's arguments were captured, the names decide.
// Arguments that are too large are never the same, because they may differ.
func (w *nativeRun) same(a, b *Call) bool {
	if a.Name != b.Name {
		return false
	}
	if !a.Arguments.Captured() || !b.Arguments.Captured() {
		return a.Arguments == Payload{} && b.Arguments == Payload{}
	}
	if a.Arguments == b.Arguments {
		return true
	}
	w.previous.unread, w.arguments.unread = true, true
	x, _ := w.previous.read(argumentsPart, "", a.Arguments)
	y, _ := w.arguments.read(argumentsPart, "", b.Arguments)
	return Equal(orEmptyObject(x), orEmptyObject(y))
}

// inRun returns the index in the run of a call that counts.
func (w *nativeRun) inRun(call int) int {
	if len(w.kept) == 0 {
		return call
	}
	return int(w.kept[call])
}

// plansOf returns the plans to score with. With unique repeats, equal tools of a list are expected once.
func (w *nativeRun) plansOf(e *Expectation) []plan {
	if w.options.Repeats != UniqueRepeats || e.sets == nil {
		return e.plans
	}
	return e.sets.plans(e, w.comparesArguments(e))
}

// plans returns the plans of the sets of tools. It compiles them on first use.
func (s *setPlans) plans(e *Expectation, arguments bool) []plan {
	of := &s.byName
	if arguments {
		of = &s.byArguments
	}
	of.once.Do(func() {
		for _, list := range e.settings.lists() {
			of.made = append(of.made, compile(setOf(list, arguments)))
		}
	})
	return of.made
}

// A setKey is equal for tools that a set has once.
type setKey struct {
	class     classKey
	stated    bool
	arguments Digest
	optional  bool
}

// setOf returns the list without tools that equal an earlier one. If arguments is false, tools with equal names are equal.
func setOf(list []Tool, arguments bool) []Tool {
	var set []Tool
	seen := make(map[setKey]bool, len(list))
	for _, t := range list {
		t.Count.Min = min(t.Count.Min, 1)
		key := setKey{class: classKeyOf(&t), stated: arguments && t.Arguments != Payload{}, optional: t.Optional}
		key.class.arguments = Payload{} // it may be written in another way
		if key.stated {
			v, _ := t.Arguments.Value()
			key.arguments = orEmptyObject(v).Digest()
		}
		if !arguments {
			key.class.match = ArgumentsUnset
		}
		if !seen[key] {
			seen[key] = true
			set = append(set, t)
		}
	}
	return set
}
