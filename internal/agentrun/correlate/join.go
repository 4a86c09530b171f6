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
	j := correlation{at: make(callIndexes[place]), work: &s.work}
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
		if whole.Step && s.summaries.of(&whole, steps) {
			j.Duplicates += len(whole.Calls)
			j.drop(&whole)
			continue
		}
		j.runs = append(j.runs, whole)
	}
	if s.set.Conversations {
		j.joinConversations()
	}
	for _, r := range j.runs {
		if (r.Step || r.Emptied) && len(r.Calls) == 0 { // a model that was shown calls that are judged elsewhere
			j.drop(&r)
			continue
		}
		j.Runs = append(j.Runs, r)
	}
	return j.ClosedBatch
}

// drop releases the spans of a run without a verdict.
func (j *correlation) drop(r *agentrun.Run) {
	j.Passthrough = append(append(j.Passthrough, r.Anchors...), r.Companions...)
	j.Checkpoints = append(j.Checkpoints, r.Checkpoints...)
}

// correlation joins runs. runs has the runs that remain, and at the places of their calls.
type correlation struct {
	agentrun.ClosedBatch
	runs []agentrun.Run
	at   callIndexes[place]
	work *compare.Work
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
			if _, taken := j.at.of(call.Process).Find(call.CallID, call.Name); !taken && !call.Process.DiffersFrom(r.Process()) {
				j.at.of(call.Process).Add(call.CallID, call.Name, place{len(j.runs), c})
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
			indexes[run] = indexOfCalls(j.runs[run].Calls)
		}
		j.absorb(run, indexes[run], &runs[i])
	}
}

// indexOfCalls indexes the calls of a run that has no duplicate.
func indexOfCalls(calls []agentrun.Call) *compare.CallIndex[int] {
	x := new(compare.CallIndex[int])
	for i := range calls {
		if _, taken := x.Find(calls[i].CallID, calls[i].Name); !taken {
			x.Add(calls[i].CallID, calls[i].Name, i)
		}
	}
	return x
}

// absorb adds a duplicate run to the run that represents both. It completes the calls that both have, and adds those that
// only the duplicate's instrumentation recorded. The run is complete only if both are, because calls may be missing that
// only one of them would have recorded.
func (j *correlation) absorb(run int, index *compare.CallIndex[int], duplicate *agentrun.Run) {
	whole := &j.runs[run]
	for _, c := range duplicate.Calls {
		if at, known := index.Find(c.CallID, c.Name); known {
			whole.Calls[at].FillIn(&c)
			j.Duplicates++
		} else if agentrun.IsUniqueCallID(c.CallID) {
			index.Add(c.CallID, c.Name, len(whole.Calls))
			if _, taken := j.at.of(c.Process).Find(c.CallID, c.Name); !taken {
				j.at.of(c.Process).Add(c.CallID, c.Name, place{run, len(whole.Calls)})
			}
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
		if !ok || !c.Scope.MayDiffer(j.runs[at.run].Calls[at.call].Scope) {
			return false
		}
		j.runs[at.run].Calls[at.call].FillIn(&c)
		j.runs[at.run].Complete = j.runs[at.run].Complete && modelOnly.ClosedBy != agentrun.ByLimit // its other calls may be of both
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
	whole.Calls, whole.Size, whole.AnsweredIDs, whole.Checkpoints = nil, 0, nil, checkpointsOf(runs)
	at := make(callIndexes[int])
	for i := range runs {
		whole.Size += runs[i].Size
		whole.Doubt(&runs[i])
		whole.NoMessages = whole.NoMessages || runs[i].NoMessages
		for _, c := range runs[i].Calls {
			first, known := at.of(c.Process).Find(c.CallID, c.Name)
			if known && c.IsAgain(&whole.Calls[first]) {
				whole.Calls[first].FillIn(&c)
				j.Duplicates++
				continue
			}
			if !known {
				at.of(c.Process).Add(c.CallID, c.Name, len(whole.Calls))
			}
			whole.Calls = append(whole.Calls, c)
		}
		if i != last {
			whole.Companions = append(whole.Companions, runs[i].Anchors...)
		}
		whole.Companions = append(whole.Companions, runs[i].Companions...)
	}
	slices.SortStableFunc(whole.Calls, compareCalls)
	return whole
}

// checkpointsOf returns the checkpoints of runs that were joined to another run.
func checkpointsOf(runs []agentrun.Run) (all []*agentrun.Checkpoint) {
	for i := range runs {
		all = append(all, runs[i].Checkpoints...)
	}
	return all
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
		j.runs = append(j.runs, whole)
	}
}
