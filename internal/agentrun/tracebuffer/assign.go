package tracebuffer

import (
	"cmp"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/calltimes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/groups"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/reconcile"
)

// assignment is the result of assigning the calls of a trace.
type assignment struct {
	late       []time.Duration // for each call of a closed run, which is dropped: how long after the closing it arrived
	duplicates int             // spans that recorded a call again
}

// assign gives the calls and responses of t to the candidates that own them. If the owner is not ready, or there is none,
// they stay with t.
func (b *Buffer) assign(t *trace, candidates []ownership.Candidate, mayStillArrive bool) assignment {
	received, spans := len(t.calls)+len(t.responses)+t.requestCount, len(t.calls)
	examines := len(t.calls)+len(t.responses) > 0 || len(candidates) > 1
	if examines {
		b.settle(t)
	}
	calls := t.calls
	forgotten := t.forgotten.Begun(b.set.Wait)
	b.resolver.Begin(ownership.Examined{
		Parents: &t.parents, Candidates: candidates, Calls: calls, Responses: t.responses, Received: received, MayStillArrive: mayStillArrive,
		Guests: t.guests, Unlinked: max(t.unlinked, forgotten), Forgotten: forgotten,
	})
	if !examines {
		return assignment{}
	}
	b.resolver.DecideStates()
	into := b.reconciler.FoldSpans(calls, b.resolver.CallsAbove)
	b.resolver.ForgetCalls()
	if len(candidates) == 1 {
		candidates[0].Calls, candidates[0].Responses = calls[:0], t.responses[:0] // each is appended at its own place, or before it
	}
	var rest []agentrun.PendingCall
	var late []time.Duration
	kept := 0
	for i := range calls {
		if into[i] != reconcile.NotFolded {
			continue
		}
		kept++
		call := calls[i] // a copy, because the candidate may overwrite its place
		switch b.resolver.GiveCall(&call) {
		case ownership.Stays:
			rest = append(rest, call)
		case ownership.Late:
			run := closedruns.Run{At: candidates[b.resolver.OwnerOf(call.Span())].ClosedAt}
			late = append(late, run.Since(t.lastSeen)) // the time of the last span counts
		}
	}
	t.calls = rest
	b.assignResponses(t, candidates, mayStillArrive)
	return assignment{late: late, duplicates: spans - kept}
}

// settle makes one record of the records of one span, and sorts the records.
func (b *Buffer) settle(t *trace) {
	t.forgetRepeats()
	t.dropRepeatedResponses(&b.work)
	calltimes.SetRanks(t.calls, t.responses)
	copies.SortCalls(t.calls)
	calls, contradicted := b.reconciler.SettleRepeats(t.calls)
	t.calls, t.contradicted = calls, t.contradicted || contradicted
}

// assignResponses gives the responses of t to the owners of their spans, and with include to the runs around those. A
// response of a closed run is dropped, because its calls were judged. Those of groups come last: models' own spans say more.
func (b *Buffer) assignResponses(t *trace, candidates []ownership.Candidate, mayStillArrive bool) {
	var rest, shared []agentrun.ModelResponse
	for _, a := range t.responses { // a copy, because the candidate may overwrite its place
		if a.Shares != nil {
			shared = append(shared, a)
		} else if b.resolver.GiveResponse(&a) {
			rest = append(rest, a)
		}
	}
	t.responses, t.requestCount = groups.Give(shared, rest, groups.Trace{Resolver: &b.resolver, Candidates: candidates, WholeTrace: b.set.WholeTrace, MayStillArrive: mayStillArrive}, &b.work)
}

// noteContradictions marks t if the resolver met spans that contradict each other, or needed links that may be forgotten. It
// also marks t if payloads were not read that may contradict each other.
func (b *Buffer) noteContradictions(t *trace) {
	t.contradicted, t.uncertain = t.contradicted || b.resolver.Contradicted || b.reconciler.Over(), t.uncertain || b.resolver.Uncertain
}

// conversation returns the conversation of a candidate: that of its anchor, else of a run around it, else of any span of the
// trace. A conversation of another process counts only if its own process has none.
func (b *Buffer) conversation(t *trace, candidates []ownership.Candidate, i int) string {
	own, at := candidates[i].Process, &candidates[b.resolver.ConversationAt(i)]
	if at.Conversation != "" && !at.Process.DiffersFrom(own) {
		return at.Conversation
	}
	return cmp.Or(t.conversations.Own(own), at.Conversation, t.conversations.Of(own))
}

// markSharedCalls marks the processes in which two instrumentations recorded a call with the same ID in two runs of the
// trace. rest has the calls of runs that close later. It returns by how many bytes t grew.
func (t *trace) markSharedCalls(candidates []ownership.Candidate, rest []agentrun.PendingCall) (grown int) {
	type sighting struct {
		candidate int
		span      pcommon.SpanID
		scope     agentrun.Scope
	}
	seen := make(map[agentrun.ProcessCallID]sighting)
	compare := func(candidate int, c *agentrun.PendingCall) {
		first, known := seen[agentrun.ProcessCallID{Process: c.Process, ID: c.CallID}]
		if known && first.candidate != candidate && first.span != c.ID && c.Scope.MayDiffer(first.scope) {
			grown += t.processTable.Add(c.Process, byprocess.SharesCalls)
		}
	}
	for i := range candidates {
		for j := range candidates[i].Calls {
			c := &candidates[i].Calls[j]
			compare(i, c)
			if agentrun.IsUniqueCallID(c.CallID) {
				seen[agentrun.ProcessCallID{Process: c.Process, ID: c.CallID}] = sighting{i, c.ID, c.Scope}
			}
		}
	}
	for i := range rest {
		compare(-1, &rest[i]) // -1 is no candidate
	}
	return grown
}
