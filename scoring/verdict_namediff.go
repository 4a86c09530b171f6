package scoring

import (
	"cmp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/steps"
)

// namesAlone compares by names.
var namesAlone = Native{NativeOptions{Arguments: ArgumentsIgnore}}

// NameDiff compares a run with an expectation by names alone. It returns the expected names that were not called, and the
// called names that were not expected, both in order and with repetitions. It respects alternatives, globs, counts and
// optional tools. If there are several lists of tools, it takes the one with the fewest missing names, then the one with
// the fewest unexpected names. It reads the first 50,000 calls of a run. If the work exceeds the bound of [Native], it
// returns all names, or those of the lists that it could compare.
func NameDiff(e *Expectation, calls []Call) (missing, unexpected []string) {
	if e != nil && len(e.plans) > 0 && e.plans[0].isExactly(calls) {
		return nil, nil // most runs are like this
	}
	w := newNativeRun(&namesAlone, calls[:min(len(calls), maxCalls)])
	defer w.release()
	w.namesOnly = true
	p := w.nearest(e)
	less, more := w.pairs.Unpaired(&p.shape)
	if less > 0 {
		missing = make([]string, 0, less)
		w.byRow(p)
		for r, head := range w.heads {
			if head < 0 && p.shape.Rows[r].Need == required {
				missing = append(missing, p.labels[p.requiredAt[r]])
			}
		}
	}
	if more > 0 {
		unexpected = make([]string, 0, more)
		for j, r := range w.pairs.RowOf {
			if r < 0 {
				unexpected = append(unexpected, w.calls[j].Name)
			}
		}
	}
	return missing, unexpected
}

// NameDiffOfSets is [NameDiff] for [UniqueRepeats]: it treats both lists as sets of names. Each result lists a name at most
// once. An expected tool is missing if no call has one of its names. A call is unexpected if no expected tool has its name.
func NameDiffOfSets(e *Expectation, calls []Call) (missing, unexpected []string) {
	if e == nil {
		e = &Expectation{}
	}
	called := namesOf(calls[:min(len(calls), maxCalls)])
	lists := e.settings.lists()
	if len(lists) == 0 {
		return nil, called
	}
	work := steps.Of(maxWork)
	missing, unexpected = setDiff(lists[0], called, &work)
	for _, list := range lists[1:] {
		if !work.Spend(4 * perCall * len(called)) {
			break
		}
		less, more := setDiff(list, called, &work)
		if cmp.Or(cmp.Compare(len(less), len(missing)), cmp.Compare(len(more), len(unexpected))) < 0 {
			missing, unexpected = less, more
		}
	}
	return missing, unexpected
}

// namesOf returns the names of calls, each once, in order.
func namesOf(calls []Call) (names []string) {
	seen := make(map[string]bool, len(calls))
	for i := range calls {
		if name := calls[i].Name; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// setDiff compares a list of tools with names, which are all different.
func setDiff(list []Tool, called []string, work *steps.Budget) (missing, unexpected []string) {
	wanted := make([]names.Wanted, len(list))
	for i := range list {
		t := &list[i]
		wanted[i] = names.Wanted{Names: t.alternatives(), Label: t.label(), Optional: t.needs().Least <= 0}
	}
	return names.Diff(wanted, called, work)
}

// nearest pairs the run with the list of tools that differs least from it by names.
func (w *nativeRun) nearest(e *Expectation) *plan {
	if e == nil || len(e.plans) == 0 {
		w.pair(&nothing)
		return &nothing
	}
	best := &e.plans[0]
	w.pair(best)
	missing, unexpected := w.pairs.Unpaired(&best.shape)
	for i := range e.plans[1:] {
		p, rowOf := &e.plans[i+1], w.pairs.RowOf
		w.pairs.RowOf = nil // rowOf is still needed
		if _, why := w.pair(p); why != "" {
			w.pairs.RowOf = rowOf
			return best
		}
		less, more := w.pairs.Unpaired(&p.shape)
		if cmp.Or(cmp.Compare(less, missing), cmp.Compare(more, unexpected)) < 0 {
			best, missing, unexpected = p, less, more
		} else {
			w.pairs.RowOf = rowOf
		}
	}
	return best
}
