package scoring

import (
	"cmp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// namesAlone compares by names.
var namesAlone = Native{NativeOptions{Arguments: ArgumentsIgnore}}

// NameDiff compares a run with an expectation by names alone. It returns the expected names that were not called, and the
// called names that were not expected, both in order and with repetitions. It respects alternatives, globs, counts and
// optional tools. If there are several lists of tools, it takes the one with the fewest missing names, then the one with
// the fewest unexpected names. It reads the first 10,000 calls of a run. If the work exceeds the bound of [Native], it
// returns all names, or those of the lists that it could compare.
func NameDiff(e *Expectation, calls []Call) (missing, unexpected []string) {
	if e != nil && e.turns != nil {
		return diffTurns(e, calls, NameDiff)
	}
	required := e.lists()[0].required
	same := len(required) == len(calls)
	for i := 0; same && i < len(calls); i++ { // calls are large, and are compared where they are
		same = len(required[i].Names) == 0 && required[i].Name == calls[i].Name
	}
	if same {
		return nil, nil // most runs are like this
	}
	w := newNativeRun(&namesAlone, calls[:min(len(calls), maxCalls)])
	defer w.release()
	w.namesOnly = true
	return nearest(e.lists(), func(p *plan) (missing, unexpected []string, ok bool) {
		_, why := w.pair(p)
		taken := make([]bool, len(p.shape.Rows))
		for j, r := range w.pairs.RowOf {
			if r >= 0 {
				taken[r] = true
			} else {
				unexpected = append(unexpected, w.calls[j].Name)
			}
		}
		for r, row := range p.shape.Rows {
			if row.Need == match.Required && !taken[r] {
				missing = append(missing, p.tools[r].label())
			}
		}
		return missing, unexpected, why == ""
	})
}

// NameDiffOfSets is [NameDiff] for [UniqueRepeats]: it treats both lists as sets of names. Each result lists a name at most
// once. An expected tool is missing if no call has one of its names. A call is unexpected if no expected tool has its name.
func NameDiffOfSets(e *Expectation, calls []Call) (missing, unexpected []string) {
	if e != nil && e.turns != nil {
		return diffTurns(e, calls, NameDiffOfSets)
	}
	var called []string
	seen := map[string]bool{}
	for _, c := range calls[:min(len(calls), maxCalls)] {
		if !seen[c.Name] {
			called, seen[c.Name] = append(called, c.Name), true
		}
	}
	work := names.Budget(maxWork)
	var memory []int32
	return nearest(e.lists(), func(p *plan) (missing, unexpected []string, ok bool) {
		has := make([]bool, len(p.classes))
		for _, name := range called {
			work.Spend(perCall)
			classes := p.index.Of(name, &memory, &work)
			for _, k := range classes {
				has[k] = true
			}
			if len(classes) == 0 {
				unexpected = append(unexpected, name)
			}
		}
		listed := map[string]bool{}
		for r, row := range p.shape.Rows {
			label := p.tools[r].label()
			if row.Need == match.Required && !has[row.Class] && !listed[label] {
				missing, listed[label] = append(missing, label), true
			}
		}
		return missing, unexpected, !work.Spent()
	})
}

// nearest returns the names that a run and a list of tools do not share, for the list with the fewest. diff compares the run with a
// list. If it is not ok, no further list is compared.
func nearest(lists []plan, diff func(p *plan) (missing, unexpected []string, ok bool)) (missing, unexpected []string) {
	for i := range lists {
		less, more, ok := diff(&lists[i])
		if i == 0 || ok && cmp.Or(cmp.Compare(len(less), len(missing)), cmp.Compare(len(more), len(unexpected))) < 0 {
			missing, unexpected = less, more
		}
		if !ok {
			break
		}
	}
	return missing, unexpected
}
