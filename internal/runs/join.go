package runs

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// join joins closed runs of a log that are one:
//
//   - Duplicates: two instrumentations record one run, each with spans of its own. The runs share call IDs. The run that began first
//     stays, and takes over what the others know more.
//   - Model steps: an instrumentation of models has no span around a run, and each model call is a trace. A step was given the
//     results of calls that an earlier step asked for. The last step is the anchor of the whole run.
//   - Model calls of an agent's run that was recorded elsewhere: without content they have no call IDs. The closed run is known by
//     its [Summary], and they are passed through.
//   - Parts of an agent's run: a command line writes a trace for each model call and for the tools that it asked for. They have one
//     conversation, and the model calls have the ID of the user's prompt. The last part is the anchor.
//   - Conversations, if the options ask for them: all runs with one conversation ID. The last anchor represents them.
//
// The anchors that do not represent the joined run are its companions, and leave without a verdict.
func join(closed *Closed, o *Options, x *Examination, waiting map[pcommon.TraceID]bool) {
	fillFromProtocol(closed.Runs, x.Protocol)
	if o.WholeTrace || !mayJoin(closed.Runs, o) {
		return
	}
	j := joint{x: x, Closed: Closed{Passthrough: closed.Passthrough, Late: closed.Late, Duplicates: closed.Duplicates}}
	slices.SortFunc(closed.Runs, func(a, b Run) int { return compareRuns(&a, &b) })
	var agents, models []Run
	for _, r := range j.joinParts(closed.Runs) {
		if r.HasAgentSpan() {
			agents = append(agents, r)
		} else {
			models = append(models, r)
		}
	}
	for _, records := range grouped(agents, duplicates(agents)) {
		r := j.whole(records, true)
		for c := range r.Calls {
			j.at.findOrAdd(r.Calls[c].CallID, r.Calls[c].Name, place{len(j.Runs), c})
		}
		j.Runs = append(j.Runs, r)
	}
	for i := range models {
		if len(j.at) > 0 {
			j.removeKnown(&models[i])
		}
	}
	for _, steps := range chains(models) {
		all := j.whole(steps, false)
		if all.Doubts&CopiesDiffer == 0 && j.isOfAgent(&all, steps) {
			j.Duplicates += len(all.Calls)
			j.drop(&all)
			continue
		}
		j.Runs = append(j.Runs, all)
	}
	j.dropEmpty()
	if o.Conversations {
		j.joinConversations(waiting)
	}
	*closed = j.Closed
}

// mayJoin reports whether some runs may be parts of others. Runs of one instrumentation in one trace are not.
func mayJoin(all []Run, o *Options) bool {
	var scope evidence.Scope
	for _, r := range each(all) {
		if r.step || o.Conversations && r.Conversation != "" || r.Trace != all[0].Trace {
			return true
		}
		for k := range r.Calls {
			if c := &r.Calls[k]; len(all) > 1 && c.CallID != "" {
				if scope != 0 && c.Scope.MayDiffer(scope) {
					return true
				}
				scope = c.Scope
			}
		}
	}
	return false
}

// joint has the runs that remain, and at the places of their calls.
type joint struct {
	Closed
	x   *Examination
	at  callIndex[place]
	own []*Summary // of the runs of agents; nil until a step needs them
	eq  equality
}

type place struct{ run, call int }

// areOne reports whether the call c of r and the call k of o are one, which have one ID and one tool. A model may give a call the ID
// of another one. So calls with other arguments, or of another time, are two, and nothing says whose ID it is. The spans of one call
// overlap, and a model asked for it before it ended.
func (j *joint) areOne(r *Run, c *Call, o *Run, k *Call) bool {
	if (k.Source == FromModel || c.Start <= k.End+evidence.ClockSlack) && (c.Source == FromModel || k.Start <= c.End+evidence.ClockSlack) &&
		j.eq.mayBeOne(c, k) {
		return true
	}
	r.Doubts |= CopiesDiffer
	o.Doubts |= CopiesDiffer
	return false
}

// asksFor reports whether one call is a request of a model and the other one a span, which came in a later trace: somebody had to approve
// it. One instrumentation may write both.
func asksFor(request, made *Call) bool {
	return request.Source == FromModel && made.Source != FromModel && unique(made.CallID)
}

// add notes for a run what is doubtful about a part of it.
func (r *Run) add(part *Run) {
	r.Doubts |= part.Doubts&^AnchorMissing | doubtIf(part.Doubts != 0, PartIncomplete)
	r.ClosedBy = max(r.ClosedBy, part.ClosedBy)
}

// removeKnown removes the calls from a run of model calls that another instrumentation recorded in a run with an agent's span.
func (j *joint) removeKnown(model *Run) {
	before := len(model.Calls)
	model.Calls = slices.DeleteFunc(model.Calls, func(c Call) bool {
		at, known := j.at[keyOf(c.CallID, c.Name)]
		if !known {
			return false
		}
		all := &j.Runs[at.run]
		record := &all.Calls[at.call]
		if !c.Scope.MayDiffer(record.Scope) || !j.areOne(model, &c, all, record) {
			return false
		}
		record.fillIn(&c)
		all.Doubts |= doubtIf(model.ClosedBy == evidence.ByLimit, Limit) // its other calls may be of both
		return true
	})
	j.Duplicates += before - len(model.Calls)
	model.emptied = before > 0 && len(model.Calls) == 0
}

// chains divides runs of model calls into chains. Each step of a chain was shown results of calls that an earlier step requested; it may
// follow several steps at once.
func chains(all []Run) [][]Run {
	return linked(all, func(r *Run) []string {
		ids := slices.Clone(r.answered)
		for i := range r.Calls {
			ids = append(ids, r.Calls[i].CallID)
		}
		return slices.DeleteFunc(ids, func(id string) bool { return !unique(id) })
	})
}

// linked groups runs that share a key, themselves or through others. "" is no key.
func linked(all []Run, keysOf func(*Run) []string) [][]Run {
	of, first := make([]int, len(all)), make(map[string]int)
	for i := range all {
		of[i] = i
		for _, key := range keysOf(&all[i]) {
			if k, known := first[key]; known {
				unite(of, k, i)
			} else if key != "" {
				first[key] = i
			}
		}
	}
	return grouped(all, of)
}

// grouped groups runs whose places lead to one place. The first run of each group says which group is first.
func grouped(all []Run, of []int) [][]Run {
	groups := make([][]Run, len(all))
	for i := range all {
		root := rootOf(of, i)
		groups[root] = append(groups[root], all[i])
	}
	return slices.DeleteFunc(groups, func(group []Run) bool { return group == nil })
}

// unite has two places lead to one, the first of them.
func unite(of []int, a, b int) {
	a, b = rootOf(of, a), rootOf(of, b)
	of[max(a, b)] = min(a, b)
}

// rootOf follows the places that places lead to, to the one that leads to itself. It halves the way for the next one, so that no way
// stays long.
func rootOf[P int | int32](of []P, i P) P {
	for of[i] != i {
		of[i] = of[of[i]]
		i = of[i]
	}
	return i
}

// whole makes one run of several, which are in order. The last anchor represents all of them, and the calls are in order. The run is
// complete only if all are, because calls may be missing that only one of them would have.
//
// records: the parts are no parts, but records of one run. Then the first one's anchor represents it, and a call of another record that
// has no ID of its own is one of the first record's.
func (j *joint) whole(parts []Run, records bool) Run {
	if len(parts) == 1 {
		return parts[0]
	}
	last := 0
	for i := range parts {
		if !records && (len(parts[last].Anchors) == 0 || len(parts[i].Anchors) > 0 && compareEnds(&parts[last].time, &parts[i].time) < 0) {
			last = i
		}
	}
	all := parts[last]
	all.Companions, all.Calls, all.Rejected, all.answered, all.results = nil, nil, nil, nil, nil
	var at callIndex[place] // the part of a call, and its place in the whole
	for i, p := range each(parts) {
		all.NoMessages = all.NoMessages || p.NoMessages
		for _, c := range each(p.Calls) {
			first, known := at.findOrAdd(c.CallID, c.Name, place{i, len(all.Calls)})
			if known {
				k := &all.Calls[first.call]
				if c.Trace == k.Trace && c.ID == k.ID || (c.Scope.MayDiffer(k.Scope) || asksFor(k, c)) && j.areOne(p, c, &parts[first.run], k) {
					if asksFor(k, c) {
						*k, *c = *c, *k
					}
					k.fillIn(c)
					j.Duplicates++
					continue
				}
			} else if records && i > 0 && !unique(c.CallID) {
				j.Duplicates++ // nothing tells it from the calls of the first record
				continue
			}
			all.Calls = append(all.Calls, *c)
		}
		all.results, all.Rejected = append(all.results, p.results...), append(all.Rejected, p.Rejected...)
		all.Conversation = cmp.Or(all.Conversation, p.Conversation)
		if !records || i > 0 {
			all.add(p)
		}
		if i != last {
			all.Companions = append(all.Companions, p.Anchors...)
		}
		all.Companions = append(all.Companions, p.Companions...)
	}
	var shown results // also what a later part was shown of calls of earlier ones
	for _, o := range each(all.results) {
		shown.unique.show(o, 0)
	}
	for _, c := range each(all.Calls) {
		shown.complete(c)
	}
	sortCalls(all.Calls)
	all.Rejected = onceRejected(all.Rejected, all.Calls)
	return all
}

// dropEmpty drops runs of a model that was shown calls that are judged elsewhere. None of them represents a conversation, but what
// is not known of them is not known of the conversation either.
func (j *joint) dropEmpty() {
	dropped := make(map[string][]Run) // by conversation
	j.Runs = slices.DeleteFunc(j.Runs, func(r Run) bool {
		if !r.step && !r.emptied || len(r.Calls) > 0 {
			return false
		}
		j.drop(&r)
		if r.Conversation != "" {
			dropped[r.Conversation] = append(dropped[r.Conversation], r)
		}
		return true
	})
	for _, r := range each(j.Runs) {
		for _, part := range each(dropped[r.Conversation]) {
			r.add(part)
		}
	}
}

// drop releases the spans of a run without a verdict.
func (j *joint) drop(r *Run) {
	j.Passthrough = append(append(j.Passthrough, r.Anchors...), r.Companions...)
}

// joined makes one run of each group.
func (j *joint) joined(groups [][]Run) (joined []Run) {
	for _, parts := range groups {
		joined = append(joined, j.whole(parts, false))
	}
	slices.SortFunc(joined, func(a, b Run) int { return compareRuns(&a, &b) })
	return joined
}

// joinParts makes one run of the parts of an agent's run. A part that does not name its prompt is of the one before.
func (j *joint) joinParts(all []Run) []Run {
	last := make(map[string]string) // by conversation
	return j.joined(linked(all, func(r *Run) []string {
		if !r.part || r.Conversation == "" {
			return nil
		}
		last[r.Conversation] = cmp.Or(r.prompt, last[r.Conversation])
		return []string{r.Conversation + "\x00" + last[r.Conversation]}
	}))
}

// joinConversations makes one run of those with the same conversation ID.
func (j *joint) joinConversations(waiting map[pcommon.TraceID]bool) {
	slices.SortFunc(j.Runs, func(a, b Run) int { return compareRuns(&a, &b) })
	j.numberTurns(waiting)
	j.Runs = j.joined(linked(j.Runs, func(r *Run) []string { return []string{r.Conversation} }))
	for i := range j.Runs {
		if r := &j.Runs[i]; r.Conversation != "" {
			r.ClosedBy = max(r.ClosedBy, evidence.ByIdle)
		}
	}
}

// numberTurns numbers the turns of conversations, whose runs are in order. A trace is a turn. It continues the turn before if it began
// before that had ended, or if that ended with a request that it did not answer: somebody had to approve it.
func (j *joint) numberTurns(waiting map[pcommon.TraceID]bool) {
	type turn struct {
		number int32
		trace  pcommon.TraceID
		end    pcommon.Timestamp
	}
	last := make(map[string]turn)
	for _, r := range each(j.Runs) {
		if r.Conversation == "" {
			continue
		}
		t, again := last[r.Conversation]
		start := r.time.Start // of its last part, if it has several
		for k := range r.Calls {
			start = min(start, r.Calls[k].Start)
		}
		if again && r.Trace != t.trace && start >= t.end && !waiting[t.trace] {
			t.number++
		}
		t.trace, t.end = r.Trace, max(t.end, r.time.End)
		last[r.Conversation] = t
		for _, calls := range [...][]Call{r.Calls, r.Rejected} {
			for k := range calls {
				calls[k].Turn = t.number
			}
		}
	}
}

// duplicates returns for each run the one that it duplicates: itself, or one before it. Two instrumentations recorded one run if both
// have a call of the same ID, name and time. A sub-agent's call may count for its caller too. So if several runs share the call, the
// one with the most common time is the duplicate, if that is more than half. Runs of one instrumentation are never duplicates, even if all
// have the same call IDs: those may come from a cache. An instrumentation that has recorded a run once is not asked again.
func duplicates(all []Run) []int {
	sharing, of := make(map[callKey][]place), make([]int, len(all))
	scopes := make([][]evidence.Scope, len(all)) // the instrumentations of all records of a run
	for i, r := range each(all) {
		of[i], scopes[i] = i, []evidence.Scope{r.Anchors[0].Scope}
		for c := range r.Calls {
			if key := keyOf(r.Calls[c].CallID, r.Calls[c].Name); unique(key.id) && len(sharing[key]) < maxCandidates {
				sharing[key] = append(sharing[key], place{i, c})
			}
		}
	}
	for i, r := range each(all) {
		nearest, most := i, 0.5
		for _, mine := range each(r.Calls) {
			for _, other := range sharing[keyOf(mine.CallID, mine.Name)] {
				theirs, common := &all[other.run].Calls[other.call], evidence.CommonTime(&r.time, &all[other.run].time)
				a, b := rootOf(of, i), rootOf(of, other.run)
				if common > most && a != b && mine.Scope.MayDiffer(theirs.Scope) && (mine.Trace != theirs.Trace || mine.ID != theirs.ID) &&
					mine.Span.Overlaps(&theirs.Span) && areOthers(scopes[a], scopes[b]) {
					nearest, most = other.run, common
				}
			}
		}
		if a, b := rootOf(of, i), rootOf(of, nearest); a != b {
			unite(of, a, b)
			scopes[min(a, b)] = slices.Concat(scopes[a], scopes[b])
		}
	}
	return of
}

// areOthers reports whether no instrumentation of one record of a run has a part in the other one. There are not many instrumentations.
func areOthers(a, b []evidence.Scope) bool {
	return len(a)+len(b) <= maxCandidates && !slices.ContainsFunc(a, func(s evidence.Scope) bool {
		return slices.ContainsFunc(b, func(o evidence.Scope) bool { return !s.MayDiffer(o) })
	})
}

// compareRuns orders runs by start. If two began together, the one that ended last is first, because it encloses the other.
func compareRuns(a, b *Run) int {
	return cmp.Or(cmp.Compare(a.time.Start, b.time.Start), cmp.Compare(b.time.End, a.time.End), evidence.CompareSpans(&a.time, &b.time))
}

// compareEnds orders spans by end.
func compareEnds(a, b *evidence.Span) int {
	return cmp.Or(cmp.Compare(a.End, b.End), evidence.CompareSpans(a, b))
}
