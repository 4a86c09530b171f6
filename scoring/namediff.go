package scoring

import "cmp"

// namesAlone are the options of a comparison by names.
var namesAlone = NativeOptions{Arguments: ArgumentsIgnore}

// NameDiff compares a run with an expectation by names alone: the expected names that nobody called, and the called
// names that nobody expected, both in order and as often as they are. Alternatives, globs, counts and optional tools
// are respected. Of several lists of tools it takes the one of which least is missing, and of those the one that
// leaves least unexpected. Of a run with more than 50,000 calls it sees the first 50,000.
func NameDiff(e *Expectation, calls []Call) (missing, unexpected []string) {
	a := nearest(e, calls)
	paired := make([]bool, len(a.Expected)+len(a.Called))
	called := paired[len(a.Expected):]
	for _, p := range a.Pairs {
		paired[p.Expected], called[p.Called] = true, true
	}
	for i, t := range a.Expected {
		if !paired[i] {
			missing = append(missing, t.label())
		}
	}
	for j := range a.Called {
		if !called[j] {
			unexpected = append(unexpected, a.Called[j].Name)
		}
	}
	return missing, unexpected
}

// nearest aligns the run with the list of tools that it differs from least, by names.
func nearest(e *Expectation, calls []Call) Alignment {
	w := newWork(&Native{namesAlone}, calls[:min(len(calls), maxCalls)])
	defer w.release()
	w.namesOnly = true
	if e == nil || len(e.plans) == 0 {
		return w.try(&nothing).alignment
	}
	best := w.try(&e.plans[0]).alignment
	for i := range e.plans[1:] {
		a := w.try(&e.plans[i+1]).alignment
		missing := cmp.Compare(a.missing(), best.missing())
		if cmp.Or(missing, cmp.Compare(a.unexpected(), best.unexpected())) < 0 {
			best = a
		}
	}
	return best
}

func (a *Alignment) missing() int    { return len(a.Expected) - len(a.Pairs) }
func (a *Alignment) unexpected() int { return len(a.Called) - len(a.Pairs) }
