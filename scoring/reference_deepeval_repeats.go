package scoring

// An exclusion says whether a call is excluded because an identical one was paired.
type exclusion uint8

const (
	stillIn exclusion = iota
	out
	// maybeOut: the telemetry is not enough to decide.
	maybeOut
)

// take excludes call j and all calls that are identical to it: the type may differ. If no later tool has its name,
// identical calls make no difference, and it reads no payload.
func (t *deepEvalRun) take(j int, toCome []Tool) {
	t.ruledOut[j] = out
	if !hasName(toCome, t.calls[j].Name) {
		return
	}
	for k := range t.calls {
		if t.ruledOut[k] != out && t.calls[k].Name == t.calls[j].Name {
			t.ruledOut[k] = max(t.ruledOut[k], t.identical(j, k))
		}
	}
}

func hasName(tools []Tool, name string) bool {
	for i := range tools {
		if tools[i].Name == name {
			return true
		}
	}
	return false
}

// identical compares the arguments and the output of two calls of one name, whatever the metric evaluates.
func (t *deepEvalRun) identical(j, k int) exclusion {
	arguments := t.identicalPart(j, k, argumentsPart)
	if arguments == stillIn {
		return stillIn
	}
	output := t.identicalPart(j, k, outputPart)
	if output == stillIn {
		return stillIn
	}
	return max(arguments, output)
}

func (t *deepEvalRun) identicalPart(j, k int, p part) exclusion {
	x, y := t.payload(j, p), t.payload(k, p)
	switch {
	case !x.Captured() || !y.Captured():
		return maybeOut
	case x == y || equalInPython(t.called(j, p).value, t.called(k, p).value):
		return out
	}
	return stillIn
}

// indistinct is the problem that call j may repeat a paired call, or may not.
func (t *deepEvalRun) indistinct(j int) *notScored {
	for _, p := range [...]part{argumentsPart, outputPart} {
		for k := range t.calls {
			r := t.called(k, p).problem
			if r != nil && t.calls[k].Name == t.calls[j].Name {
				return notEvaluable("%s, and identical calls count once", r.why)
			}
		}
	}
	return notEvaluable("calls of %s cannot be told apart, and identical calls count once", quoted(t.calls[j].Name))
}
