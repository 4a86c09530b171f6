package tracebuffer

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// candidate is a run that calls may belong to.
type candidate struct {
	agentrun.Span
	kind  agentrun.AnchorKind
	agent uint32 // a hash of the agent's name, 0 if that is not known
	name  string // the agent's name, "" if that is not known or the run has closed
	state candidateState
	// closedAt is when a past run closed, in nanoseconds since 1970.
	closedAt int64
	// inner: a call stands for the agent that it ran. Its span has gone on, and the run closes with the one around it.
	inferred bool
	// contested: copies of the anchor contradict each other, or a run of another process takes its calls as well.
	contradicted bool
	// short: calls that count for it were left out. taken is the turn in which it was last given something.
	truncated bool
	taken     int
	// conversation is what the anchor tells, or else the first of its copies that does.
	conversation string
	// anchors are the anchor and its copies, calls and answers what belongs to it. Only where the state is ready.
	anchors   []agentrun.Anchor
	calls     []agentrun.PendingCall
	responses []agentrun.ModelResponse
	// tools are those that the anchor's span lists, if listed: they are looked up for the first call in doubt.
	tools  map[string]bool
	listed bool
}

type candidateState uint8

const (
	stateReady   candidateState = iota // to be closed now
	stateWaiting                       // its calls may still come
	stateClosed                        // closed; its calls are late
)

// lacks reports whether the span of an agent lists its tools, and that of a call is none of them.
func (s *candidate) lacks(call *agentrun.PendingCall, tools func(ptrace.Span) []string) bool {
	if s.kind != agentrun.Agent || len(s.anchors) == 0 || tools == nil {
		return false
	}
	if !s.listed {
		s.listed, s.tools = true, make(map[string]bool)
		for _, name := range tools(s.anchors[0].Held) {
			s.tools[name] = true
		}
	}
	return len(s.tools) > 0 && !s.tools[call.Name.Value()]
}

// candidates are the runs that calls of t may belong to: its agents; failing those its workflows; failing those its
// local roots. For a whole trace it is the root alone. The ready anchors that have no candidate go into h, without a verdict.
func (t *trace) candidates(ready []agentrun.Anchor, wholeTrace bool, h *agentrun.ClosedBatch) []candidate {
	all := t.allCandidates(bestCopies(ready, h))
	if len(all) == 1 && !wholeTrace {
		return all
	}
	stands := t.representing(all, wholeTrace)
	candidates := all[:0]
	for i, s := range all {
		if stands(i) {
			candidates = append(candidates, s)
		} else {
			h.Passthrough = append(h.Passthrough, s.anchors...)
		}
	}
	return candidates
}

// representing says which of the candidates represent runs.
func (t *trace) representing(all []candidate, wholeTrace bool) func(i int) bool {
	best, one := agentrun.Root, true
	for i := range all {
		best = min(best, all[i].kind)
		one = one && !all[i].Process.DiffersFrom(all[0].Process)
	}
	switch {
	case wholeTrace && one:
		root := outermostRoot(all)
		return func(i int) bool { return i == root }
	case wholeTrace:
		return t.representingRoots(all)
	case one:
		return func(i int) bool { return all[i].kind == best }
	}
	return t.standIns(all, best)
}

// bestCopies removes copies of a span whose kind is lower than that of another copy. They go into h, without a verdict, as they
// would not have been held if they had come later.
func bestCopies(ready []agentrun.Anchor, h *agentrun.ClosedBatch) []agentrun.Anchor {
	if !slices.ContainsFunc(ready, func(a agentrun.Anchor) bool { return a.Kind != ready[0].Kind }) {
		return ready
	}
	best, differ := make(map[agentrun.SpanKey]agentrun.AnchorKind, len(ready)), false
	for i := range ready {
		kind, again := best[ready[i].Key()]
		differ = differ || again && kind != ready[i].Kind
		if !again || ready[i].Kind < kind {
			best[ready[i].Key()] = ready[i].Kind
		}
	}
	if !differ {
		return ready
	}
	return slices.DeleteFunc(ready, func(a agentrun.Anchor) bool {
		lesser := a.Kind > best[a.Key()] && !a.ID.IsEmpty()
		if lesser {
			h.Passthrough = append(h.Passthrough, a)
		}
		return lesser
	})
}

// allCandidates are all spans of t that may stand for a run, past ones first.
func (t *trace) allCandidates(ready []agentrun.Anchor) []candidate {
	all := make([]candidate, 0, len(t.closedRuns)+len(ready)+len(t.waiting)+len(t.awaitedAnchors))
	for _, r := range t.closedRuns {
		if !r.ID.IsEmpty() {
			all = append(all, candidate{Span: r.Span, kind: r.Kind, agent: r.Name, state: stateClosed, closedAt: r.At})
		}
	}
	var at map[agentrun.SpanKey]int
	if len(ready) > 1 {
		at = make(map[agentrun.SpanKey]int, len(ready))
	}
	copied := make(attributesOf)
	for r := range ready {
		a := &ready[r]
		if i, again := at[a.Key()]; again && !a.ID.IsEmpty() {
			all[i].contradicted = all[i].contradicted || !copiesAgree(&all[i].anchors[0], a) || !copied.agree(i, &all[i].anchors[0], a)
			all[i].anchors = append(all[i].anchors, *a)
			all[i].conversation = cmp.Or(all[i].conversation, a.Conversation)
			continue
		}
		if at != nil {
			at[a.Key()] = len(all)
		}
		all = append(all, candidate{Span: a.Span, kind: a.Kind, agent: hashOfName(a.Agent), name: a.Agent, anchors: ready[r : r+1 : r+1], conversation: a.Conversation})
	}
	for _, w := range t.waiting {
		all = append(all, candidate{Span: w.Span, kind: w.Kind, agent: hashOfName(w.Agent), name: w.Agent, state: stateWaiting, conversation: w.Conversation})
	}
	t.dropCopies(all)
	for _, s := range t.awaitedAnchors {
		all = append(all, candidate{Span: s.Span, kind: s.kind, state: stateWaiting})
	}
	return all
}

// dropCopies drops what is expected of the spans that are held, or have closed.
func (t *trace) dropCopies(known []candidate) {
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

// withInferred adds the candidates of agents that only their steps tell of, in the process of the call that runs them. They
// wait until it is known what is around them.
func (t *trace) withInferred(candidates []candidate, wholeTrace bool) []candidate {
	if len(t.inferredAgents) == 0 || wholeTrace {
		return candidates
	}
	seated := make(map[agentrun.SpanKey]bool, len(candidates))
	for i := range candidates {
		seated[candidates[i].Key()] = true
	}
	for i := range t.calls {
		if c := &t.calls[i]; t.inferredAgents.has(c.Key()) && !seated[c.Key()] && !c.Traits.ResultOnly {
			seated[c.Key()] = true
			candidates = append(candidates, candidate{Span: c.Span(), kind: agentrun.Agent, state: stateWaiting, inferred: true})
		}
	}
	outer := slices.IndexFunc(candidates, func(s candidate) bool { return s.inferred })
	if outer >= 0 {
		slices.SortFunc(candidates[outer:], func(a, b candidate) int { return agentrun.CompareSpans(a.Span, b.Span) })
	}
	return candidates
}

// outermostRoot is the candidate that stands for a whole trace: one that has closed, else a span without a parent, else
// the local root that began first. It is -1 where there is none.
func outermostRoot(all []candidate) int {
	best := -1
	for i := range all {
		if best < 0 || rootBefore(&all[i], &all[best]) {
			best = i
		}
	}
	return best
}

func rootBefore(a, b *candidate) bool {
	if closed := a.state == stateClosed; closed != (b.state == stateClosed) {
		return closed
	}
	if orphan := a.Parent.IsEmpty(); orphan != b.Parent.IsEmpty() {
		return orphan
	}
	return agentrun.CompareSpans(a.Span, b.Span) < 0
}

// fallbackByTime is the innermost candidate whose time contains the call; else the candidate that began first among those that
// had not ended when the call began, and have not closed; else none, which is -1. A closed run has no calls but those in its
// time, because one that began before it is rather of a run whose span has not come.
func fallbackByTime(candidates []candidate, call agentrun.Span) int {
	inner, outer := -1, -1
	for i := range candidates {
		s := &candidates[i]
		if s.Contains(call) && (inner < 0 || narrower(s.Span, candidates[inner].Span)) {
			inner = i
		}
		if call.Start <= s.End && s.state != stateClosed && (outer < 0 || agentrun.CompareStart(s.Span, candidates[outer].Span) < 0) {
			outer = i
		}
	}
	if inner >= 0 {
		return inner
	}
	return outer
}

// narrower reports whether a is nested deeper than b, both containing one call.
func narrower(a, b agentrun.Span) bool {
	if da, db := a.End-a.Start, b.End-b.Start; da != db {
		return da < db
	}
	return agentrun.CompareStart(a, b) > 0
}
