package tracebuffer

import (
	"cmp"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/reconcile"
)

// assignment is what became of the calls of a trace.
type assignment struct {
	late       []time.Duration // of calls that belong to closed runs, and are dropped: how long after that they came
	duplicates int             // spans that told of a call again
}

// assign gives the calls and responses of t to the candidates that they belong to. Those of a candidate that is not ready, or of
// none, stay with t.
func (b *Buffer) assign(t *trace, candidates []ownership.Candidate, mayStillArrive bool) assignment {
	received, spans := len(t.calls)+len(t.responses)+t.requestCount, len(t.calls)
	examines := len(t.calls)+len(t.responses) > 0 || len(candidates) > 1
	if examines {
		b.settle(t)
	}
	calls := t.calls
	b.resolver.Begin(ownership.Examined{Parents: &t.parents, Candidates: candidates, Calls: calls, Responses: t.responses, Received: received, MayStillArrive: mayStillArrive})
	if !examines {
		return assignment{}
	}
	b.resolver.DecideStates()
	into := b.reconciler.FoldSpans(calls, b.resolver.CallsAbove)
	b.resolver.ForgetCalls()
	if len(candidates) == 1 {
		candidates[0].Calls = calls[:0] // what it takes comes to stand where it stood, or in front of that
		candidates[0].Responses = make([]agentrun.ModelResponse, 0, len(t.responses))
	}
	var rest []agentrun.PendingCall
	var late []time.Duration
	kept := 0
	for i := range calls {
		if into[i] != reconcile.NotFolded {
			continue
		}
		kept++
		call := calls[i] // what is noted of it is not for the candidate that may have its place
		switch b.resolver.GiveCall(&call) {
		case ownership.Stays:
			rest = append(rest, call)
		case ownership.Late:
			late = append(late, t.lateness(&candidates[b.resolver.OwnerOf(call.Span())]))
		}
	}
	t.calls = rest
	b.assignResponses(t)
	return assignment{late: late, duplicates: spans - kept}
}

// settle makes one record of those of one span, and puts the records in order.
func (b *Buffer) settle(t *trace) {
	t.forgetRepeats()
	t.dropRepeatedResponses(&b.work)
	reconcile.SetRanks(t.calls, t.responses)
	slices.SortFunc(t.calls, agentrun.ComparePendingCalls)
	calls, contradicted := b.reconciler.SettleRepeats(t.calls)
	t.calls, t.contradicted = calls, t.contradicted || contradicted
}

// lateness is how long after its run had closed a call came, or rather the last span of its trace.
func (t *trace) lateness(run *ownership.Candidate) time.Duration {
	return closedruns.Run{At: run.ClosedAt}.Since(t.lastSeen)
}

// assignResponses gives the responses of t to the candidates of the spans that gave them, and with include to those around.
// What belongs to a closed run is dropped: it tells of calls that were judged.
func (b *Buffer) assignResponses(t *trace) {
	rest := t.responses[:0]
	t.requestCount = 0
	for _, a := range t.responses {
		if b.resolver.GiveResponse(&a) {
			rest = append(rest, a)
			t.requestCount += len(a.Requests)
		}
	}
	clear(t.responses[len(rest):])
	t.responses = rest
}

// noteContradictions marks t if the resolver met spans that contradict each other.
func (b *Buffer) noteContradictions(t *trace) {
	t.contradicted = t.contradicted || b.resolver.Contradicted
}

// conversation is the one that the anchor of a candidate tells of, else a run around it, else any span of the trace. What
// another process tells of counts only where its own tells of none.
func (b *Buffer) conversation(t *trace, candidates []ownership.Candidate, i int) string {
	own, at := candidates[i].Process, &candidates[b.resolver.ConversationAt(i)]
	if at.Conversation != "" && !at.Process.DiffersFrom(own) {
		return at.Conversation
	}
	return cmp.Or(t.conversations.own(own), at.Conversation, t.conversations.of(own))
}

// markSharedCalls notes the processes in which two instrumentations tell of a call with the same id in two runs of the trace,
// as where they write side by side. The rest are calls of runs that close later. It returns by how many bytes t grew.
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
			grown += t.processTable.add(c.Process, sharesCalls)
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
		compare(-1, &rest[i]) // of no candidate
	}
	return grown
}
