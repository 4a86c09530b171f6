package correlate

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// correlate joins the runs of one bundle as far as they belong together.
func (s *Correlator) correlate(runs []agentrun.Run) agentrun.ClosedBatch {
	slices.SortFunc(runs, compareRuns)
	j := correlation{at: make(callIndexes[place]), compare: compare.NewCalls(&s.work), work: &s.work}
	var withAgentSpan, modelOnly []agentrun.Run
	for _, r := range runs {
		if r.HasAgentSpan() {
			withAgentSpan = append(withAgentSpan, r)
		} else {
			modelOnly = append(modelOnly, r)
		}
	}
	j.addWithAgentSpan(withAgentSpan)
	for i := range modelOnly {
		j.removeKnown(&modelOnly[i])
	}
	for i := range j.runs {
		slices.SortStableFunc(j.runs[i].Calls, compareCalls) // absorbed calls were appended
		s.summarize(&j.runs[i])
	}
	for _, steps := range chains(modelOnly, &s.work) {
		whole := j.join(steps)
		if !whole.Contradicted && s.summaries.Has(&whole, steps) {
			j.Duplicates += len(whole.Calls)
			j.drop(&whole)
			continue
		}
		j.runs = append(j.runs, whole)
	}
	j.dropEmpty()
	if s.set.Conversations {
		j.joinConversations()
	}
	j.Runs = j.runs
	return j.ClosedBatch
}

// dropEmpty drops runs of a model that was shown calls that are judged elsewhere. None of them represents a conversation, but
// what is not known of them is not known of the conversation either.
func (j *correlation) dropEmpty() {
	dropped := make(map[string]*agentrun.Run) // by conversation
	runs := j.runs[:0]
	for i := range j.runs {
		r := j.runs[i]
		if !r.Step && !r.Emptied || len(r.Calls) > 0 {
			runs = append(runs, r)
			continue
		}
		j.drop(&r)
		if known := dropped[r.Conversation]; known != nil {
			known.Doubt(&r)
		} else if r.Conversation != "" {
			dropped[r.Conversation] = &r
		}
	}
	clear(j.runs[len(runs):])
	j.runs = runs
	for i := range j.runs {
		if known := dropped[j.runs[i].Conversation]; known != nil {
			j.runs[i].Doubt(known)
		}
	}
}

// drop releases the spans of a run without a verdict.
func (j *correlation) drop(r *agentrun.Run) {
	j.Passthrough = append(append(j.Passthrough, r.Anchors...), r.Companions...)
	j.Checkpoints = append(j.Checkpoints, r.Checkpoints...)
}

// correlation joins runs. runs has the runs that remain, and at the places of their calls.
type correlation struct {
	agentrun.ClosedBatch
	runs    []agentrun.Run
	at      callIndexes[place]
	compare compare.Calls
	work    *compare.Work
}

type place struct{ run, call int }

// callIndexes has an index for each process, because a process says nothing about the calls of another.
type callIndexes[P any] map[agentrun.Process]*compare.CallIndex[P]

func (x callIndexes[P]) of(p agentrun.Process) *compare.CallIndex[P] {
	if x[p] == nil {
		x[p] = new(compare.CallIndex[P])
	}
	return x[p]
}

// addWithAgentSpan adds the runs that agents' spans represent, which are in order. The first one of duplicate runs stays.
func (j *correlation) addWithAgentSpan(runs []agentrun.Run) {
	of := duplicateRuns(runs, j.work)
	stands := make([]int, len(runs)) // by run: its place in j.runs
	for i := range runs {
		r := &runs[i]
		if of[i] != i {
			continue
		}
		stands[i] = len(j.runs)
		for c := range r.Calls {
			call := &r.Calls[c]
			if !call.Process.DiffersFrom(r.Process()) {
				j.at.of(call.Process).FindOrAdd(call.CallID, call.Name, place{len(j.runs), c})
			}
		}
		j.runs = append(j.runs, *r)
	}
	indexes := make(map[int]*compare.CallIndex[int]) // of the runs that have duplicate runs
	for i := range runs {
		if of[i] == i {
			continue
		}
		run := stands[of[i]]
		if indexes[run] == nil {
			indexes[run] = compare.IndexOf(j.runs[run].Calls)
		}
		j.absorb(run, indexes[run], &runs[i])
	}
}

// areOne reports whether the call c of r and the call k of o are one, which have one ID and one tool. A model may give a call
// the ID of another one. So calls with other arguments, or of another time, are two, and nothing says whose ID it is.
func (j *correlation) areOne(r *agentrun.Run, c *agentrun.Call, o *agentrun.Run, k *agentrun.Call) bool {
	if r.SameTime(c, o, k) && j.compare.MayBeOne(c, k) {
		return true
	}
	r.Contradicted, o.Contradicted = true, true
	return false
}

// absorb adds a duplicate run to the run that represents both. It completes the calls that both have, and adds those that
// only the duplicate's instrumentation recorded. The run is complete only if both are, because calls may be missing that
// only one of them would have recorded.
func (j *correlation) absorb(run int, index *compare.CallIndex[int], duplicate *agentrun.Run) {
	whole := &j.runs[run]
	for _, c := range duplicate.Calls {
		if at, known := index.FindOrAdd(c.CallID, c.Name, len(whole.Calls)); known && j.areOne(duplicate, &c, whole, &whole.Calls[at]) {
			whole.Calls[at].FillIn(&c)
			j.Duplicates++
		} else if agentrun.IsUniqueCallID(c.CallID) {
			j.at.of(c.Process).FindOrAdd(c.CallID, c.Name, place{run, len(whole.Calls)})
			whole.Calls = append(whole.Calls, c)
		}
	}
	whole.Size += duplicate.Size
	whole.Conversation = cmp.Or(whole.Conversation, duplicate.Conversation)
	whole.Doubt(duplicate)
	whole.Checkpoints = append(whole.Checkpoints, duplicate.Checkpoints...)
	whole.Companions = append(append(whole.Companions, duplicate.Anchors...), duplicate.Companions...)
}

// removeKnown removes the calls from a run of model calls that another instrumentation recorded in a run with an agent span.
func (j *correlation) removeKnown(modelOnly *agentrun.Run) {
	before := len(modelOnly.Calls)
	modelOnly.Calls = slices.DeleteFunc(modelOnly.Calls, func(c agentrun.Call) bool {
		at, ok := j.at.of(c.Process).Find(c.CallID, c.Name)
		if !ok {
			return false
		}
		whole := &j.runs[at.run]
		known := &whole.Calls[at.call]
		if !c.Scope.MayDiffer(known.Scope) || !j.areOne(modelOnly, &c, whole, known) {
			return false
		}
		known.FillIn(&c)
		whole.Complete = whole.Complete && modelOnly.ClosedBy != agentrun.ByLimit // its other calls may be of both
		return true
	})
	j.Duplicates += before - len(modelOnly.Calls)
	modelOnly.Emptied = before > 0 && len(modelOnly.Calls) == 0
}

// chains divides runs of model calls, which are in order, into chains. Each step of a chain was shown results of calls that
// an earlier step requested; it may follow several steps at once.
func chains(runs []agentrun.Run, w *compare.Work) [][]agentrun.Run {
	of := make([]int, len(runs))
	at := make(map[agentrun.ProcessCallID]int)
	for i := range runs {
		of[i] = i
		link := func(id agentrun.ProcessCallID) {
			if !agentrun.IsUniqueCallID(id.ID) {
				return
			}
			first, known := at[id]
			if !known {
				at[id] = i
				return
			}
			a, b := rootOf(of, first, w), rootOf(of, i, w)
			of[max(a, b)] = min(a, b)
		}
		for _, id := range runs[i].AnsweredIDs {
			link(agentrun.ProcessCallID{Process: runs[i].Process(), ID: id})
		}
		for c := range runs[i].Calls {
			link(runs[i].CallID(c))
		}
	}
	chain := make(map[int]int)
	var all [][]agentrun.Run
	for i := range runs {
		root := rootOf(of, i, w)
		n, known := chain[root]
		if !known {
			n = len(all)
			chain[root] = n
			all = append(all, nil)
		}
		all[n] = append(all[n], runs[i])
	}
	return all
}

// join makes one run of several, which are in order. The last anchor represents all of them, and the calls are in order.
func (j *correlation) join(runs []agentrun.Run) agentrun.Run {
	if len(runs) == 1 {
		return runs[0]
	}
	last := 0
	for i := range runs {
		if len(runs[last].Anchors) == 0 || len(runs[i].Anchors) > 0 && compareEnds(runs[last].Span(), runs[i].Span()) < 0 {
			last = i
		}
	}
	whole := runs[last]
	whole.Companions = nil
	whole.Calls, whole.Size, whole.AnsweredIDs, whole.Checkpoints = nil, 0, nil, nil
	at := make(callIndexes[place]) // the run of a call, and its place in the whole
	for i := range runs {
		whole.Size += runs[i].Size
		whole.NoMessages = whole.NoMessages || runs[i].NoMessages
		for _, c := range runs[i].Calls {
			first, known := at.of(c.Process).FindOrAdd(c.CallID, c.Name, place{i, len(whole.Calls)})
			if known {
				k := &whole.Calls[first.call]
				if c.IsSameSpan(k) || c.Scope.MayDiffer(k.Scope) && j.areOne(&runs[i], &c, &runs[first.run], k) {
					k.FillIn(&c)
					j.Duplicates++
					continue
				}
			}
			whole.Calls = append(whole.Calls, c)
		}
		whole.Doubt(&runs[i])
		whole.Checkpoints = append(whole.Checkpoints, runs[i].Checkpoints...)
		if i != last {
			whole.Companions = append(whole.Companions, runs[i].Anchors...)
		}
		whole.Companions = append(whole.Companions, runs[i].Companions...)
	}
	slices.SortStableFunc(whole.Calls, compareCalls)
	return whole
}

// joinConversations makes one run of those with the same conversation ID.
func (j *correlation) joinConversations() {
	slices.SortFunc(j.runs, compareRuns)
	var order []string
	members := make(map[string][]agentrun.Run)
	runs := j.runs
	j.runs = nil
	for _, r := range runs {
		if r.Conversation == "" {
			j.runs = append(j.runs, r)
			continue
		}
		if members[r.Conversation] == nil {
			order = append(order, r.Conversation)
		}
		members[r.Conversation] = append(members[r.Conversation], r)
	}
	for _, id := range order {
		whole := j.join(members[id])
		whole.ClosedBy = max(whole.ClosedBy, agentrun.ByIdle)
		if len(members[id]) > 1 { // a stand-in of another process's calls alone may be a run of its own, but no part of this one
			whole.DependsOnOthers = whole.DependsOnOthers || slices.ContainsFunc(members[id], func(r agentrun.Run) bool { return hasOthersCalls(&r) })
		}
		j.runs = append(j.runs, whole)
	}
}
