package scoring

import (
	"cmp"
	"slices"
	"sync"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// A nativeRun scores one run. Its memory is reused, so that a verdict allocates little more than its own parts.
type nativeRun struct {
	options *NativeOptions
	// run holds all calls, and calls those that count. kept has their indices in run. It is empty if all of them count.
	run, calls []Call
	kept       []int32
	// forbidden holds the indices of forbidden calls in run. They are in no pair.
	forbidden []int
	// namesOnly: payloads are not compared, even if tools state some.
	namesOnly bool
	// decided: the score is 0 already, whatever was not captured.
	decided bool

	// edges holds the credits of calls in classes, and pairs the rows of calls. found is memory for the classes of a name, and for numbers of
	// rows.
	edges match.Edges
	pairs match.Pairs
	found []int32
	// a is the alignment with the list of tools that is being tried.
	a Alignment
	// e is the expectation that the run is compared with.
	e *Expectation
	// tolerated has the last arguments that a tolerance changed, and rules are those of the tolerance.
	arguments, output, tolerated reader
	rules                        string

	assigner match.Assigner
	ordered  match.InOrder
	// The budgets are what is left for comparing, for comparing texts, for pairs without an order, and for orders of calls.
	work, texts, assignWork, concurrentWork names.Budget
}

var nativeRuns = sync.Pool{New: func() any { return new(nativeRun) }}

func newNativeRun(n *Native, calls []Call) *nativeRun {
	w := nativeRuns.Get().(*nativeRun)
	w.options, w.run, w.calls = &n.options, calls, calls
	w.work, w.texts, w.assignWork, w.concurrentWork = maxWork, compare.MaxSteps, match.MaxSteps, maxConcurrentWork
	return w
}

// release returns the memory to the pool, without any text of a call. The garbage collector gets memory that only a large
// run needs.
func (w *nativeRun) release() {
	const modest = 1 << 16
	if w.ordered.Retained()+cap(w.edges.All)+cap(w.pairs.RowOf) > modest {
		return
	}
	w.arguments.forget()
	w.output.forget()
	w.tolerated.forget()
	w.options, w.run, w.calls, w.a, w.kept = nil, nil, nil, Alignment{}, w.kept[:0]
	w.forbidden, w.e, w.rules = nil, nil, ""
	w.namesOnly, w.decided = false, false
	nativeRuns.Put(w)
}

// nothing is the plans of the zero [Expectation].
var nothing = []plan{compile(nil)}

// lists returns the plans of the lists of tools, one or more.
func (e *Expectation) lists() []plan {
	if e == nil || len(e.plans) == 0 {
		return nothing
	}
	return e.plans
}

// judge fills the verdict of the run, which has a threshold.
func (w *nativeRun) judge(v *Verdict, e *Expectation) {
	if e == nil {
		e = &Expectation{}
	}
	w.e = e
	doubt := w.findForbidden(&e.forbidden) // in all calls: a repeat may have another output
	failed := w.failedConditions()
	tooMany, unknown := w.tooManyRepeats()
	doubt = cmp.Or(doubt, unknown)
	repeats := w.countOnce()
	tooMany = append(tooMany, w.brokenLimits()...)
	if w.work.Spent() {
		doubt = tooMuchWork
	}
	w.decided = len(w.forbidden) > 0 || len(tooMany) > 0
	score, why := w.best(w.plans())
	if why == "" && !w.decided && score != 0 {
		why = doubt
	}
	v.Alignment = w.a
	a := &v.Alignment
	a.Forbidden, a.Repeats, a.Notes = w.forbidden, repeats, append(failed, a.Notes...)
	a.Guessed = a.Guessed || doubt != ""
	switch {
	case why != "" && !w.decided:
		v.Status, v.Why = NotEvaluable, why
		return
	case why != "":
		a.Notes, a.Guessed = append(a.Notes, why), true
	}
	if w.decided {
		score = 0
	}
	a.Broken = append(a.Broken, tooMany...)
	v.Score, v.Passed = score, score >= v.Threshold
}

// best scores all plans, and keeps the alignment of the first one with the greatest score. If a plan cannot be evaluated, why
// says so, and only a full score of another plan is certainly the greatest. A guess never has too low a score, so a greater
// score beats it.
func (w *nativeRun) best(plans []plan) (score float64, why string) {
	score, why = w.try(&plans[0])
	for i := 1; i < len(plans) && (why != "" || score != 1) && !w.work.Spent(); i++ {
		best := w.a
		s, doubt := w.try(&plans[i])
		full := doubt == "" && s == 1
		if full || why == "" && (doubt != "" || s > score) {
			score, why, w.a.List = s, doubt, i
		} else {
			w.a = best
		}
	}
	return score, why
}

// try aligns the calls with a plan, and scores the alignment. If the plan cannot be evaluated, why says so.
func (w *nativeRun) try(p *plan) (score float64, why string) {
	fits, why := w.pair(p)
	if why != "" {
		w.unpair(p)
		return 0, why
	}
	w.alignPairs(p)
	score = w.score(p)
	if !fits {
		score = 0
	}
	if p.after && !slices.Contains(w.a.Notes, reordered) && slices.ContainsFunc(w.a.Pairs, w.startedEarly) {
		w.a.Notes = append(w.a.Notes, reordered)
	}
	w.a.Notes = append(w.a.Notes, w.failedConditions()...)
	return score, ""
}

// pair computes the credits and pairs calls with rows. fits is false if the required order is impossible. If there is no
// pairing, why says why.
func (w *nativeRun) pair(p *plan) (fits bool, why string) {
	w.unpair(p)
	w.pairs.Reset(len(w.calls))
	if why = w.compare(p); why != "" {
		return false, why
	}
	return w.align(p)
}

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
