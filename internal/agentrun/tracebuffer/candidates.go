package tracebuffer

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/represent"
)

// candidatesOf returns the runs that calls of t may belong to: its agents; failing those its workflows; failing those its
// local roots. For a whole trace it is the root alone. Ready anchors without a candidate go into h. The list is in the memory of
// b.candidates.
func (b *Buffer) candidatesOf(t *trace, ready []agentrun.Anchor, h *agentrun.ClosedBatch) []ownership.Candidate {
	all := t.appendCandidates(b.candidates, copies.OfBestKind(ready, h), &b.work)
	if len(all) == 1 && !b.set.WholeTrace {
		return all
	}
	hasCalls := func(p agentrun.Process) bool { return t.processTable.Of(p)&byprocess.HasCalls != 0 }
	stands := represent.Runs(all, b.set.WholeTrace, &t.parents, hasCalls)
	candidates := all[:0]
	for i, s := range all {
		if stands(i) {
			candidates = append(candidates, s)
		} else {
			h.Passthrough = append(h.Passthrough, s.Anchors...)
		}
	}
	return candidates
}

// appendCandidates appends all spans of t that may represent a run to an empty list, closed runs first.
func (t *trace) appendCandidates(all []ownership.Candidate, ready []agentrun.Anchor, w *compare.Work) []ownership.Candidate {
	all = slices.Grow(all, len(t.closedRuns)+len(ready)+len(t.waiting)+len(t.awaitedAnchors))
	for _, r := range t.closedRuns {
		if !r.ID.IsEmpty() {
			all = append(all, ownership.Candidate{Span: r.Span, Kind: r.Kind, AgentHash: r.Name, State: ownership.Closed, ClosedAt: r.At})
		}
	}
	var at map[agentrun.SpanKey]int
	if len(ready) > 1 {
		at = make(map[agentrun.SpanKey]int, len(ready))
	}
	copied := copies.NewAnchorAttributes(w)
	for r := range ready {
		a := &ready[r]
		if i, again := at[a.Key()]; again && !a.ID.IsEmpty() {
			all[i].Contradicted = all[i].Contradicted || !copies.AnchorsAgree(&all[i].Anchors[0], a) || !copied.Agree(i, &all[i].Anchors[0], a)
			all[i].Anchors = append(all[i].Anchors, *a)
			all[i].Conversation = cmp.Or(all[i].Conversation, a.Conversation)
			continue
		}
		if at != nil {
			at[a.Key()] = len(all)
		}
		all = append(all, ownership.Candidate{Span: a.Span, Kind: a.Kind, AgentHash: compare.NameHash(a.Agent), Agent: a.Agent, Anchors: ready[r : r+1 : r+1], Conversation: a.Conversation})
	}
	for _, w := range t.waiting {
		all = append(all, ownership.Candidate{Span: w.Span, Kind: w.Kind, AgentHash: compare.NameHash(w.Agent), Agent: w.Agent, State: ownership.Waiting, Conversation: w.Conversation})
	}
	if t.stepNames != nil {
		ownership.Name(all, t.stepNames.Of)
	}
	t.dropCopies(all)
	for _, s := range t.awaitedAnchors {
		all = append(all, ownership.Candidate{Span: s.Span, Kind: s.kind, State: ownership.Waiting})
	}
	return all
}

// dropCopies removes awaited anchors that are held by now, or whose run has closed.
func (t *trace) dropCopies(known []ownership.Candidate) {
	if len(t.awaitedAnchors) == 0 {
		return
	}
	copies := make(map[agentrun.SpanKey]bool, len(t.awaitedAnchors))
	for i := range t.awaitedAnchors {
		copies[t.awaitedAnchors[i].Key()] = false
	}
	for i := range known {
		for _, key := range [...]agentrun.SpanKey{known[i].Key(), {Process: 0, ID: known[i].ID}} {
			if _, expected := copies[key]; expected {
				copies[key] = true
			}
		}
	}
	t.awaitedAnchors = slices.DeleteFunc(t.awaitedAnchors, func(s awaitedAnchor) bool { return copies[s.Key()] })
}

// withInferred adds the candidates of agents that only their steps show, in the process of the call that runs them. They
// wait until it is known what is around them.
func (t *trace) withInferred(candidates []ownership.Candidate, wholeTrace bool) []ownership.Candidate {
	if len(t.inferredAgents) == 0 || wholeTrace {
		return candidates
	}
	isCandidate := make(map[agentrun.SpanKey]bool, len(candidates))
	for i := range candidates {
		isCandidate[candidates[i].Key()] = true
	}
	for i := range t.calls {
		if c := &t.calls[i]; t.inferredAgents.Has(c.Key()) && !isCandidate[c.Key()] && !c.Traits.ResultOnly {
			isCandidate[c.Key()] = true
			candidates = append(candidates, ownership.Candidate{Span: c.Span(), Kind: agentrun.Agent, State: ownership.Waiting, Inferred: true})
		}
	}
	outer := slices.IndexFunc(candidates, func(s ownership.Candidate) bool { return s.Inferred })
	if outer >= 0 {
		slices.SortFunc(candidates[outer:], func(a, b ownership.Candidate) int { return agentrun.CompareSpans(a.Span, b.Span) })
	}
	return candidates
}
