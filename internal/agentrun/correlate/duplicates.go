package correlate

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// duplicateRuns returns for each run the one that it duplicates: itself, or one before it. Two instrumentations of one
// process recorded one run if both have a call of the same ID, name and time. A sub-agent's call may count for its caller
// too. So if several runs share the call, the one with the most common time is the duplicate. Runs of one instrumentation are
// never duplicates, even if all have the same call IDs: those may come from a cache.
func duplicateRuns(runs []agentrun.Run, w *compare.Work) []int {
	t := duplicateFinder{
		runs: runs, sharing: make(map[agentrun.ProcessCallID][]sharedID), sameAs: make([]int, len(runs)), scopes: make([][]agentrun.Scope, len(runs)), work: w,
	}
	for i := range runs {
		t.sameAs[i], t.scopes[i] = i, []agentrun.Scope{runs[i].Anchors[0].Scope}
		for c := range runs[i].Calls {
			id := runs[i].CallID(c)
			if agentrun.IsUniqueCallID(id.ID) && len(t.sharing[id]) < maxSharing {
				t.sharing[id] = append(t.sharing[id], sharedID{place: place{i, c}})
			}
		}
	}
	for i := range runs {
		if best := t.nearest(i); best >= 0 {
			a, b := rootOf(t.sameAs, i, w), rootOf(t.sameAs, best, w)
			first, second := min(a, b), max(a, b)
			t.sameAs[second] = first
			t.scopes[first] = append(t.scopes[first], t.scopes[second]...)
		}
	}
	for i := range t.sameAs {
		t.sameAs[i] = rootOf(t.sameAs, i, w)
	}
	return t.sameAs
}

// duplicateFinder finds duplicate runs.
type duplicateFinder struct {
	runs    []agentrun.Run
	sharing map[agentrun.ProcessCallID][]sharedID
	// sameAs has for each run one that it duplicates, or itself. scopes has the instrumentations of all duplicates of a run.
	sameAs []int
	scopes [][]agentrun.Scope
	work   *compare.Work
}

// maxSharing bounds how many runs are compared for one call id, and how many are one.
const maxSharing = 16

// sharedID is a call that shares its id with others.
type sharedID struct {
	place
	name compare.Name
}

// rootOf halves the way for the next one, so that no way stays long.
func rootOf(of []int, i int, w *compare.Work) int {
	for of[i] != i {
		*w++
		of[i] = of[of[i]]
		i = of[i]
	}
	return i
}

// nearest returns the run that shares a call with runs[i] and the most time, at least half; or -1. An instrumentation that
// has recorded a run once is not asked again.
func (t *duplicateFinder) nearest(i int) int {
	best, most := -1, 0.5
	for c := range t.runs[i].Calls {
		mine := &t.runs[i].Calls[c]
		var called compare.Name
		others := t.sharing[t.runs[i].CallID(c)]
		for o := range others {
			*t.work++
			other := &others[o]
			theirs := &t.runs[other.run].Calls[other.call]
			if other.run == i || !mine.Matches(theirs) || other.name.Folded(theirs.Name, t.work) != called.Folded(mine.Name, t.work) ||
				t.cannotBeOne(i, other.run) {
				continue
			}
			if common := agentrun.CommonTime(t.runs[i].Span(), t.runs[other.run].Span()); common >= most && (best < 0 || common > most || other.run < best) {
				best, most = other.run, common
			}
		}
	}
	return best
}

// cannotBeOne reports whether one instrumentation, or another process, has a part in both runs, or more instrumentations than
// there are.
func (t *duplicateFinder) cannotBeOne(i, j int) bool {
	a, b := rootOf(t.sameAs, i, t.work), rootOf(t.sameAs, j, t.work)
	if a == b || len(t.scopes[a])+len(t.scopes[b]) > maxSharing || t.runs[i].Anchors[0].Process.DiffersFrom(t.runs[j].Anchors[0].Process) {
		return true
	}
	return slices.ContainsFunc(t.scopes[a], func(s agentrun.Scope) bool {
		return slices.ContainsFunc(t.scopes[b], func(o agentrun.Scope) bool { return !s.MayDiffer(o) })
	})
}
