package tracebuffer

import (
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/calltimes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/companions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/loops"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/reconcile"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/represent"
)

const (
	// maxClosedRuns bounds how many closed runs one trace remembers.
	maxClosedRuns = 1024
	// settleWork is the constant work of examining a trace.
	settleWork = 8
)

// closeRuns closes runs of t: for ByAnchor those whose wait is over at now, else everything. What is left of t waits on; if
// nothing is left, t is retired. The results are appended to h.
func (b *Buffer) closeRuns(t *trace, reason agentrun.CloseReason, now time.Time, h *agentrun.ClosedBatch) {
	before, began := max(1, len(t.waiting)), b.work
	t.settled = now.UnixNano()
	t.uncertain = t.uncertain || len(t.awaitedAnchors) >= maxAwaited // agents may be seen that are not in the list
	if !b.set.Replay {
		t.forgotten.NoteTrim(t.closedRuns, maxClosedRuns)
	}
	counted := func(c agentrun.PendingCall) bool { return c.Counted } // it may count for a run that comes later, too
	evicts := reason == agentrun.ByLimit || reason == agentrun.ByIdle && slices.ContainsFunc(t.calls, counted)
	b.work += compare.Work(settleWork + len(t.calls) + len(t.responses) + len(t.waiting))
	t.parents.AddCalls(t.calls, &b.work)
	runs, passthrough := len(h.Runs), len(h.Passthrough)
	ready := t.ready(reason, now, &b.work)
	h.Runs = slices.Grow(h.Runs, len(ready))
	candidates := t.withInferred(b.candidatesOf(t, ready, h), b.set.WholeTrace)
	assigned := b.assign(t, candidates, reason == agentrun.ByAnchor && !b.set.Replay)
	h.Late = append(h.Late, assigned.late...)
	h.Duplicates += assigned.duplicates
	if len(candidates) > 1 {
		b.resize(t, t.markSharedCalls(candidates, t.calls))
	}
	wrappers := represent.Wrappers(represent.Examined{Resolver: &b.resolver, Candidates: candidates, Links: &t.parents, Work: &b.work}, func(s *ownership.Candidate) bool {
		return reason == agentrun.ByLimit || b.mayLackCalls(t, s) || t.forgotten.MayHaveBegun(s.Start, b.set.Wait)
	})
	for i := range candidates {
		if candidates[i].State == ownership.Ready {
			b.closeCandidate(t, candidates, i, wrappers[i], reason, now, h)
		}
	}
	if reason != agentrun.ByAnchor {
		b.closeWithoutAnchor(t, reason, now, h)
	}
	if b.set.HoldCallSpans && len(h.Passthrough) > passthrough || t.heldCallSpans != nil { // call spans from a storage are held even if the setting is off
		companions.Attach(h, runs, passthrough, t.heldCallSpans, t.calls)
	}
	t.trimClosed()
	b.noteContradictions(t)
	b.resolver.Release()
	b.reconciler.Release()
	b.open -= before - max(1, len(t.waiting))
	t.truncated = t.truncated && len(t.calls) > 0
	retires := len(t.waiting) == 0 && len(t.calls)+len(t.responses) == 0 && (reason != agentrun.ByAnchor || !t.awaitsCut())
	if !retires {
		t.parents.Tidy() // calls that stay are linked each time, perhaps without a walk
	}
	b.checkpoint(t, h, h.Runs[runs:], h.Passthrough[passthrough:], retires)
	b.resize(t, t.measure()-t.size)
	if retires {
		if evicts || t.cut > 0 || t.uncertain {
			b.decisions.KeepEviction(t.id, now.UnixNano(), reason)
		}
		t.takeBack(candidates)
		b.retire(t)
	} else {
		t.allowance.Charge(b.work-began, now, b.set.IdleTimeout)
	}
	b.candidates = emptied(candidates, spareRecords)
}

// closeCandidate makes a run of a ready candidate, or passes its span through.
func (b *Buffer) closeCandidate(t *trace, candidates []ownership.Candidate, i int, wrapper bool, reason agentrun.CloseReason, now time.Time, h *agentrun.ClosedBatch) {
	s := &candidates[i]
	t.stepNames.Forget(s.Key())
	if wrapper {
		h.Passthrough = append(h.Passthrough, s.Anchors...)
		return
	}
	if s.Kind == agentrun.Root && !b.set.WholeTrace && onlyServed(s.Calls) && len(s.Responses) == 0 {
		t.calls = append(t.calls, s.Calls...) // of an agent in another process, which may still arrive
		h.Passthrough = append(h.Passthrough, s.Anchors...)
		return
	}
	inner := loops.TakeInner(s, &b.set.Settings, &b.work)
	r := b.run(t, s, reason, h)
	if r.IsEmpty() && !wereOffered(s.Responses) && (s.Inferred || s.Kind != agentrun.Agent && !b.set.WholeTrace) {
		h.Passthrough = append(h.Passthrough, s.Anchors...)
		return
	}
	b.closeInnerLoops(t, inner, reason, h)
	r.Conversation = b.conversation(t, candidates, i)
	byprocess.NoteOthers(&r, s.Calls, s.Responses, &t.processTable, t.conversations, b.set.Conversations)
	r.Complete = r.Complete && !b.resolver.Uncertain // to which run around it, and so to which conversation, it belongs
	h.Runs = append(h.Runs, r)
	span := s.Span
	if reason == agentrun.ByAnchor && s.Guessed {
		reason = agentrun.ByIdle
	}
	if reason != agentrun.ByAnchor { // it may have taken calls of a run whose anchor has not arrived
		span = calltimes.Around(span, r.Calls)
	}
	b.work += t.remember(closedruns.Run{Span: span, Kind: s.Kind, Reason: reason, At: now.UnixNano(), Name: s.AgentHash})
}

// onlyServed reports whether every call of the run comes from an MCP server span.
func onlyServed(calls []agentrun.PendingCall) bool {
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(r agentrun.PendingCall) bool { return !r.Traits.MCPServer })
}

// ready removes the anchors that close now from t, and returns them in the order of their spans. Copies of an anchor from
// the same process close with it, even if they arrived late.
func (t *trace) ready(reason agentrun.CloseReason, now time.Time, w *compare.Work) []agentrun.Anchor {
	ready := make([]agentrun.Anchor, 0, len(t.waiting))
	take := func(closes func(*waiting) bool) {
		kept := t.waiting[:0]
		for i := range t.waiting {
			if w := &t.waiting[i]; closes(w) {
				ready = append(ready, w.Anchor)
			} else {
				kept = append(kept, *w)
			}
		}
		clear(t.waiting[len(kept):])
		t.waiting = kept
	}
	take(func(w *waiting) bool { return reason != agentrun.ByAnchor || !w.until.After(now) })
	if len(t.waiting) > 0 {
		due := make(map[agentrun.SpanKey]bool, len(ready))
		for i := range ready {
			due[ready[i].Key()] = !ready[i].ID.IsEmpty()
		}
		take(func(w *waiting) bool { return due[w.Key()] })
	}
	copies.SortAnchors(ready, w)
	return ready
}

// closeWithoutAnchor makes a run of the calls that have no anchor. Calls that only MCP servers recorded are no run: a tool's
// server is no agent, and the agent's own spans record the call.
func (b *Buffer) closeWithoutAnchor(t *trace, reason agentrun.CloseReason, now time.Time, h *agentrun.ClosedBatch) {
	all := len(t.calls)
	responses := slices.DeleteFunc(t.responses, func(a agentrun.ModelResponse) bool { return a.Counted || a.Shares != nil })
	calls := slices.DeleteFunc(t.calls, func(r agentrun.PendingCall) bool { return r.Counted })
	t.calls, t.responses, t.requestCount = nil, nil, 0
	protocol := !slices.ContainsFunc(calls, func(r agentrun.PendingCall) bool { return !r.Traits.MCP })
	if protocol && len(responses) == 0 || all == 0 && !t.called {
		h.Duplicates += len(calls)
		return
	}
	s := ownership.Candidate{Calls: calls, Responses: responses, Kind: agentrun.Root, Span: agentrun.Span{Start: calltimes.Begun(calls, responses)}}
	inner := loops.TakeInner(&s, &b.set.Settings, &b.work)
	r := b.run(t, &s, reason, h)
	b.closeInnerLoops(t, inner, reason, h)
	if len(r.Calls) == 0 && !begunInVain(s.Responses) {
		return
	}
	for _, s := range calltimes.ByProcess(t.id, r.Calls, s.Responses) {
		b.work += t.remember(closedruns.Run{Span: s, Reason: reason, At: now.UnixNano()})
	}
	r.Complete, r.Conversation = false, t.conversations.Of(r.Process())
	byprocess.NoteOthers(&r, s.Calls, s.Responses, &t.processTable, t.conversations, b.set.Conversations)
	h.Runs = append(h.Runs, r)
}

// run makes a run of the calls and responses of a candidate. Calls with one call ID become one.
func (b *Buffer) run(t *trace, s *ownership.Candidate, reason agentrun.CloseReason, h *agentrun.ClosedBatch) agentrun.Run {
	b.noteContradictions(t)
	r := agentrun.Run{Trace: t.id, Anchors: s.Anchors, ClosedBy: reason, SharesCalls: t.processTable.Of(s.Process)&byprocess.SharesCalls != 0, Contradicted: t.contradicted || s.Contradicted}
	r.Step, r.AnsweredIDs = stepOf(s)
	if t.isCut(s) {
		r.ClosedBy = agentrun.ByLimit
	}
	reconciled := b.reconciler.Run(reconcile.Recorded{Process: s.Process, Home: s.Home(b.set.WholeTrace), Calls: s.Calls, Responses: s.Responses, Results: t.toolResults.ByCall()})
	h.Duplicates += reconciled.Duplicates
	kept := reconciled.Calls
	r.Contradicted = r.Contradicted || reconciled.Contradicted || b.reconciler.Over()
	r.DependsOnOthers, r.NoMessages = reconciled.DependsOnOthers, reconciled.NoMessages
	r.Complete = reason == agentrun.ByAnchor && t.knowsAll(s) && !r.Contradicted && !r.DependsOnOthers && !b.mayLackCalls(t, s) && !loops.LackRequests(kept, s.Responses, s.Home(b.set.WholeTrace), b.set.Sources)
	for i := range kept {
		r.Size += kept[i].Size() + callBytes - agentrun.PendingCallBytes
	}
	r.Calls = make([]agentrun.Call, len(kept))
	for i := range kept {
		kept[i].Fill(&r.Calls[i], t.id)
	}
	b.work += calltimes.SetAskedBy(r.Calls, s.Responses)
	return r
}

// mayLackCalls reports whether calls of a run may have been left out, or given to another run because something is forgotten.
func (b *Buffer) mayLackCalls(t *trace, s *ownership.Candidate) bool {
	standsIn := s.Kind != agentrun.Agent || b.set.WholeTrace // calls of forgotten runs inside of it count for it
	return t.isCut(s) || t.uncertain || b.resolver.Uncertain || t.forgotten.MayHave(s.Span, t.begun, b.set.Wait, b.set.IdleTimeout) ||
		standsIn && t.forgotten.MayHaveBegun(s.Start, b.set.Wait)
}

// knowsAll reports whether a run is known from its spans, and no other run took calls at its time.
func (t *trace) knowsAll(s *ownership.Candidate) bool {
	return !s.Inferred && !t.closedRuns.Last(maxClosedRuns).CutInto(s.Span) && !agentrun.ArePartial(s.Anchors)
}

// stepOf finds out whether the anchor of s is itself a model call. Such a run is one step of a longer one. The IDs of the
// calls whose results the model was given lead to the step before.
func stepOf(s *ownership.Candidate) (isStep bool, answered []string) {
	for i := range s.Responses {
		if s.Responses[i].Key() != s.Key() || s.ID.IsEmpty() || s.Kind == agentrun.Agent || s.Responses[i].OfAgent {
			continue
		}
		isStep = true
		for _, result := range s.Responses[i].Results {
			if result.ID != "" {
				answered = append(answered, result.ID)
			}
		}
	}
	return isStep, answered
}

// remember notes that a run has closed. If t remembers too many closed runs, it forgets many of the oldest at once, because
// the others must be moved. remember returns how many were moved.
func (t *trace) remember(r closedruns.Run) (moved compare.Work) {
	if len(t.closedRuns) >= 2*maxClosedRuns {
		moved = maxClosedRuns
		t.trimClosed()
	}
	t.closedRuns = append(t.closedRuns, r)
	return moved
}

// trimClosed forgets the oldest closed runs beyond the bound.
func (t *trace) trimClosed() {
	kept, lost := t.closedRuns.Trim(maxClosedRuns)
	t.closedRuns, t.uncertain = kept, t.uncertain || lost
}

// measure is how many bytes t keeps alive.
func (t *trace) measure() int {
	size := traceBytes + t.parents.Size() + len(t.closedRuns)*closedruns.RunBytes + t.inferredAgents.Bytes() + t.stepNames.Bytes() + len(t.records)*recordNumberBytes + len(t.awaitedAnchors)*awaitedBytes + len(t.repeats)*repeatBytes + int(t.remainderSize) + t.toolResults.Bytes() + t.conversations.Bytes() + t.processTable.Bytes()
	for i := range t.calls {
		size += t.calls[i].Size()
	}
	for i := range t.responses {
		size += t.responses[i].Retained()
	}
	for i := range t.waiting {
		size += anchorBytes + t.waiting[i].Size
	}
	if t.heldCallSpans != nil {
		size += len(*t.heldCallSpans)*anchorBytes + int(agentrun.HeldSize(*t.heldCallSpans))
	}
	return size
}
