package tracebuffer

import (
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
)

// Restored is the part of stored evidence that callers of a Buffer need.
type Restored struct {
	// CallIDs has the IDs of all calls and requests.
	CallIDs []agentrun.ScopedCallID
	// StepSenders are the processes of model calls that may be steps.
	StepSenders []agentrun.Process
}

// Restore applies stored evidence to the buffer. If the bytes are no evidence, it returns an error and changes nothing.
func (b *Buffer) Restore(now time.Time, evidence []byte) (Restored, error) {
	d, err := record.Decode(evidence)
	if err != nil {
		return Restored{}, err
	}
	t := b.trace(now, agentrun.Span{Trace: d.Trace})
	b.touch(t, now)
	for _, s := range d.Parents {
		b.addParent(t, s)
	}
	for _, span := range d.Disputed {
		b.resize(t, t.parents.Dispute(span))
	}
	for _, s := range d.Steps {
		if s.ID.IsEmpty() { // this is the remainder of a closing
			b.addStep(t, agentrun.SpanKey{Process: s.Process, ID: s.Parent})
		} else {
			b.AddStep(now, s, "")
		}
	}
	for _, n := range d.StepNames {
		b.resize(t, t.stepNames.Restore(n.Above, n.Agent))
	}
	b.restoreClosed(t, d.ClosedRuns)
	for _, s := range d.AgentSpans {
		b.addParent(t, s.Span)
		b.addAgentSpan(t, s.Span, s.Kind)
	}
	for i := range d.Presences {
		b.restorePresence(t, &d.Presences[i])
	}
	for _, c := range d.Conversations {
		b.AddConversation(d.Trace, c.Process, c.ID)
	}
	b.restoreCalls(t, &d)
	t.cut = max(t.cut, d.Cut)
	t.truncated = t.truncated || slices.ContainsFunc(d.Presences, func(p record.Presence) bool { return p.Truncated }) // from here on no call is taken
	return Restored{CallIDs: d.CallIDs(), StepSenders: d.StepSenders()}, nil
}

// restorePresence restores what a process, or the whole trace, has.
func (b *Buffer) restorePresence(t *trace, p *record.Presence) {
	t.called, t.contradicted = t.called || p.Called, t.contradicted || p.Contradicted
	var has byprocess.Flags
	for _, f := range [...]struct {
		is   bool
		flag byprocess.Flags
	}{{p.Called, byprocess.HasCalls}, {p.SharesCalls, byprocess.SharesCalls}, {p.Agent, byprocess.HasAgent}, {p.Workflow, byprocess.HasWorkflow}} {
		if f.is {
			has |= f.flag
		}
	}
	if has != 0 {
		b.resize(t, t.processTable.Add(p.Process, has))
	}
	for kind, seen := range [agentrun.Root + 1]bool{agentrun.Agent: p.Agent, agentrun.Workflow: p.Workflow, agentrun.Root: p.Root} {
		t.kinds[kind] = t.kinds[kind] || seen
	}
}

// restoreCalls restores calls, responses and results.
func (b *Buffer) restoreCalls(t *trace, d *record.Facts) {
	for _, o := range d.Results {
		if agentrun.IsUniqueCallID(o.ID) {
			o.Output = b.set.KeptOutput(o.Output)
			b.resize(t, t.toolResults.Add(o.Process, o.TimedResult))
		}
	}
	for _, c := range d.Calls {
		r := b.set.Pending(&c.Call)
		r.Inherited, r.Counted = c.Inherited, c.Counted
		b.resize(t, t.addCall(r, b.set.MaxCalls, &b.work))
	}
	for _, a := range d.Responses {
		b.addParent(t, a.Span)
		b.storeResponse(t, &a)
	}
}

// Reopen forgets that the run of a stored anchor has closed: it was not released, or at least no record says so.
func (b *Buffer) Reopen(a agentrun.Anchor) {
	if a.Kind == agentrun.Tool { // a closed run of that id is the agent's that the tool ran
		return
	}
	drop := func(p closedruns.Runs) closedruns.Runs {
		return slices.DeleteFunc(p, func(r closedruns.Run) bool {
			return r.ID == a.ID && !a.ID.IsEmpty() && !r.Process.DiffersFrom(a.Process)
		})
	}
	if t, open := b.lookUp(a.Trace); open {
		t.closedRuns = drop(t.closedRuns)
	} else if p := b.decisions.Of(a.Trace); len(p) > 0 {
		b.decisions.Remember(a.Trace, drop(p))
	}
}

// TakesPlace reports whether a stored anchor of an agent or a workflow arrived after a stand-in was due. The run of the stand-in had
// closed, and waited. Now the anchor takes its place and its calls, so it is not complete.
func (b *Buffer) TakesPlace(a agentrun.Anchor, at time.Time) (takes bool) {
	t, open := b.lookUp(a.Trace)
	for i := 0; open && !takes && i < len(t.waiting) && t.waiting[i].Kind > a.Kind; i++ {
		takes = !t.waiting[i].until.After(at)
	}
	return takes
}

// RestoreClosed remembers a closed trace, by the evidence that was stored of it.
func (b *Buffer) RestoreClosed(evidence []byte) error {
	d, err := record.Decode(evidence)
	if err != nil {
		return err
	}
	if t, open := b.lookUp(d.Trace); open {
		b.restoreClosed(t, d.ClosedRuns)
		return nil
	}
	known := b.decisions.Of(d.Trace)
	for i := range d.ClosedRuns { // a run that is remembered already keeps its place
		if at := slices.IndexFunc(known, func(k closedruns.Run) bool { return k.Span == d.ClosedRuns[i].Span && k.Kind == d.ClosedRuns[i].Kind }); at >= 0 {
			d.ClosedRuns[i].Number = known[at].Number
		}
	}
	b.decisions.Remember(d.Trace, d.ClosedRuns)
	return nil
}
