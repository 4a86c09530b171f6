package runs

import (
	"cmp"
	"math"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// close makes a closed run of a run that is ready, and closed runs of the loops inside of it. Its span leaves without a verdict if it
// represents nothing.
func (t *tree) close(r *run) {
	// Calls that only MCP servers recorded belong to an agent whose own spans may still arrive, so they stay.
	served := r.Kind == evidence.Root && !t.o.WholeTrace && len(r.responses) == 0 &&
		!contains(r.calls, func(c *Call) bool { return !c.MCPServer })
	if served {
		for i := range r.calls {
			t.fates[r.calls[i].fact] = stays
		}
	}
	isRun := !r.wrapper && !served
	if isRun {
		inner := t.takeInner(r)
		t.closed.Runs = append(t.closed.Runs, Run{})
		c := &t.closed.Runs[len(t.closed.Runs)-1]
		t.toRun(r, c)
		if isRun = len(c.Calls) > 0 || len(c.answered) > 0 || r.wasOffered() || !r.inferred && (r.Kind == evidence.Agent || t.o.WholeTrace); isRun {
			t.past = append(t.past, evidence.Fact{ // so its late spans are recognized
				Span: r.Span, Scope: r.Scope, Kind: r.Kind, Agent: r.Agent, Conversation: c.Conversation, Models: t.models,
				Closed: true, ClosedBy: c.ClosedBy, ClosedAt: t.x.Now.UnixNano(),
			})
		} else {
			*c = Run{}
			t.closed.Runs = t.closed.Runs[:len(t.closed.Runs)-1]
		}
		for i := range inner {
			inner[i].ClosedBy = r.ClosedBy
			t.close(&inner[i])
		}
	}
	for _, i := range r.held {
		if !isRun {
			t.closed.Passthrough = append(t.closed.Passthrough, t.in.Held[i])
		}
		t.in.Held[i] = evidence.Held{} // it has left
	}
}

// toRun makes one call of the records of each call of a run, and a closed run of it in c, which is empty.
func (t *tree) toRun(r *run, c *Run) {
	c.Trace, c.time = t.in.Key.Trace, r.Span
	c.ClosedBy, c.kind, c.part, c.Conversation = r.ClosedBy, r.Kind, r.IsPart(), t.conversationOf(r)
	if c.part && r.Response != nil {
		c.prompt = r.Response.Prompt
	}
	for _, i := range r.held {
		h := t.in.Held[i]
		h.Agent = cmp.Or(r.Agent, r.wrapped, h.Agent)
		c.Anchors = append(c.Anchors, h)
	}
	t.mergeIDs(r)
	c.NoMessages = t.o.Sources == Messages && len(r.calls) > 0 &&
		!slices.ContainsFunc(r.responses, func(a *evidence.Fact) bool { return len(a.Response.Requests) > 0 })
	t.reconcile(r)
	r.setAskedBy()
	for _, a := range r.responses {
		c.results = append(c.results, a.Response.Results...)
		if a.ID != r.ID || r.ID.IsEmpty() || a.Response.OfAgent {
			continue
		}
		c.step = true
		for k := range a.Response.Results {
			c.answered = append(c.answered, a.Response.Results[k].ID)
		}
	}
	c.Doubts = t.doubtsOf(r)
	if r.cut || t.in.Cut > 0 && r.Start <= t.in.Cut {
		c.ClosedBy = max(c.ClosedBy, evidence.ByLimit)
	}
	c.Calls, c.Rejected = r.calls, t.rejectedOf(r)
	for _, calls := range [...][]Call{c.Calls, c.Rejected} {
		for i := range calls {
			calls[i].by, calls[i].digest = nil, nil // what they need is not kept
		}
	}
}

// wasOffered reports whether a model of the run was offered tools when it began. Then a run without calls is one.
func (r *run) wasOffered() bool {
	return slices.ContainsFunc(r.responses, func(a *evidence.Fact) bool { return a.Response.Offered && a.Response.Answered == "" })
}

// conversationOf returns the conversation of a run: that of its anchor, else of a run around it, else the lowest of the trace.
func (t *tree) conversationOf(r *run) string {
	if r.Conversation != "" {
		return r.Conversation
	}
	if r.node >= 0 {
		for up := range t.outward(t.nodes[r.node].run) {
			if id := t.runs[up].Conversation; id != "" {
				return id
			}
		}
	}
	return t.lowest
}

// closeRest makes a run of the calls that are left, which have no anchor. Calls that only a protocol recorded are no run: a tool's
// server is no agent, and the agent's own spans record the call.
func (t *tree) closeRest() {
	r := run{Fact: evidence.Fact{Kind: evidence.Root, ClosedBy: t.x.By}, node: none, inferred: true}
	r.Trace, r.Start = t.in.Key.Trace, math.MaxUint64
	protocol := true
	for _, c := range each(t.calls) {
		if t.fates[c.fact] == stays {
			r.calls, r.Process = append(r.calls, *c), c.Process
			protocol = protocol && c.MCP
			r.Start, r.End = min(r.Start, c.Start), max(r.End, c.End)
		}
	}
	for i, f := range each(t.facts) {
		if f.Response != nil && f.Response.Shares == nil && t.fates[i] == stays {
			r.responses, protocol = append(r.responses, f), false
			r.Start, r.End = min(r.Start, f.Start), max(r.End, f.End)
		}
	}
	for i := range t.fates {
		t.fates[i] = leaves
	}
	if protocol {
		t.closed.Duplicates += len(r.calls)
	} else {
		t.close(&r)
	}
}

// release takes the held spans that leave out of the trace: those of runs are with them already. Spans of other kinds represent
// nothing, and spans of calls go with the runs of their calls.
func (t *tree) release() {
	kept := t.in.Held[:0]
	for i := range t.in.Held {
		h := t.in.Held[i]
		switch at := t.find(h.ID); {
		case h.Origin == nil: // it left with its run
			continue
		case h.Kind == evidence.Tool || h.Kind == evidence.Root && at >= 0 && t.nodes[at].call != none && t.nodes[at].run == none:
			// the span of a call, also if it is a root that represents no run
			h.Kind = evidence.Tool
			if t.accompany(&h, at) {
				continue
			}
		default:
			if s, _ := t.stateOf(&h); s == ready {
				t.closed.Passthrough = append(t.closed.Passthrough, h)
				continue
			}
		}
		kept = append(kept, h)
	}
	clear(t.in.Held[len(kept):])
	t.in.Held = kept
}

// accompany has the span of a call leave with the run that has the call. A span whose call counts for no run leaves alone.
func (t *tree) accompany(h *evidence.Held, at int32) bool {
	fact := none
	if at >= 0 && t.nodes[at].call != none {
		fact = rootOf(t.into, t.nodes[at].call)
	}
	if !t.x.Final && (fact == none || t.fates[fact] != leaves) {
		return false
	}
	if t.runOf == nil {
		t.runOf = make(map[int32]*Run)
		for _, r := range each(t.closed.Runs[t.first:]) {
			for _, c := range each(r.Calls) {
				if c.Source == Own {
					t.runOf[c.fact] = r
				}
			}
		}
	}
	if r := t.runOf[fact]; r != nil {
		r.Companions = append(r.Companions, *h)
	} else {
		t.closed.Passthrough = append(t.closed.Passthrough, *h)
	}
	return true
}

// maxClosed is how many closed runs an open trace remembers. Runs that began before the others ended are then in doubt.
const maxClosed = 1 << 10

// rest leaves in the trace what may belong to runs that close later, and what the others were.
func (t *tree) rest() {
	kept := t.in.Facts[:0]
	isClosed := func(f *evidence.Fact) bool { return f.Closed }
	hasClosed := len(t.past) > 0 || contains(t.facts, isClosed)
	ends := t.x.Final || hasClosed && len(t.in.Held) == 0 && !t.hasOpenFacts() // then only closed runs are remembered
	for i := range t.facts {
		if (t.into[i] != int32(i) || isOfNone(t.facts[i].Call)) && t.fates[i] == leaves {
			t.closed.Duplicates++ // now, because a trace may be examined often
		}
		if ends && !t.facts[i].Closed {
			continue
		}
		f := t.facts[i]
		has, link, at := f.Call != nil || f.Response != nil, f.Link(), t.of[i]
		if f.Kind != evidence.None && at != none && t.nodes[at].run != none && t.runs[t.nodes[at].run].state != waiting && !f.Closed {
			f.Kind = evidence.None
		}
		isGroup := f.Response != nil && f.Response.Shares != nil && !t.o.WholeTrace // whose agents may come later
		if has && t.fates[i] == leaves && !isGroup {
			f.Call, f.Response, has = nil, nil, false
		}
		f.Judged = f.Judged || t.fates[i] == judged
		switch {
		case has, f.Closed, f.Kind != evidence.None, f.Step:
			kept = append(kept, f)
		case at != none:
			t.in.Links = append(t.in.Links, link)
		}
	}
	kept = append(kept, t.past...)
	clear(t.in.Facts[min(len(kept), len(t.in.Facts)):])
	t.in.Facts = forgetPast(t.in, kept)
	if ends {
		t.in.Links = evidence.Trimmed(t.in.Links[:0])
	}
}

// hasOpenFacts reports whether a call or a response may belong to a run that closes later, or an agent's span was seen that is not held
// yet.
func (t *tree) hasOpenFacts() bool {
	for i, f := range each(t.facts) {
		if (f.Call != nil || f.Response != nil) && t.fates[i] != leaves {
			return true
		}
	}
	return contains(t.runs, func(r *run) bool { return r.state == waiting && !r.inferred })
}

// forgetPast forgets the first closed runs of a trace, if there are many.
func forgetPast(in *evidence.Trace, facts []evidence.Fact) []evidence.Fact {
	n := 0
	for i := range facts {
		if facts[i].Closed {
			n++
		}
	}
	if n <= maxClosed {
		return facts
	}
	return slices.DeleteFunc(facts, func(f evidence.Fact) bool {
		if !f.Closed || n <= maxClosed/2 {
			return false
		}
		n--
		in.Cut = max(in.Cut, f.End)
		return true
	})
}
