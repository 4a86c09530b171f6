package ownership

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"

// DecideStates decides which candidates close now, and which wait for a run around them.
func (r *Resolver) DecideStates() {
	for i := range r.candidates {
		r.candidates[i].State = r.stateOf(i)
		r.rootWaits = r.rootWaits || r.set.WholeTrace && r.candidates[i].State == Waiting
	}
}

// CallsAbove returns the nearest call above a call, and the nearest one that the call's own process recorded. Each is -1 if
// there is none.
func (r *Resolver) CallsAbove(call *agentrun.PendingCall) (nearest, own int) {
	up := r.ascend(call.Parent, call.Process)
	if up.candidate == none && up.call == none {
		r.noteUnlinkedCall(call)
	}
	return up.call, up.own
}

// Disposition is the result for a call when its trace is examined.
type Disposition uint8

// ForgetCalls must be called before calls move. From then on CallsAbove must not be called.
func (r *Resolver) ForgetCalls() { r.calls = nil }

// GiveCall gives a call to its candidate, and with [agentrun.Settings.Include] to those around it.
func (r *Resolver) GiveCall(call *agentrun.PendingCall) Disposition {
	span := call.Span()
	candidates, at := r.candidates, r.OwnerOf(span)
	if at == none {
		return Stays
	}
	if call.Traits.UnknownTool && !candidates[at].Process.DiffersFrom(call.Process) && candidates[at].lacks(call, r.tools) {
		return Counts // for no run, because nothing was executed
	}
	claim := r.claim(at, span)
	for _, i := range claim.adds(candidates, r.receivers(at, 1)) {
		candidates[i].Calls = append(candidates[i].Calls, *call)
		if !claim.isOwn(i, at) {
			candidates[i].Calls[len(candidates[i].Calls)-1].Source = agentrun.SourceShared
		}
		call.Counted = true
	}
	switch {
	case r.waits(at), claim.waits(candidates):
		return Stays
	case call.Counted:
		return Counts
	}
	return Late
}

// GiveResponse gives a response to its candidate, as GiveCall does, and reports whether it stays with its trace.
func (r *Resolver) GiveResponse(a *agentrun.ModelResponse) (stays bool) {
	s := a.Span
	if a.OfAgent {
		s.Parent = s.ID
	}
	candidates, at := r.candidates, r.OwnerOf(s)
	if at == none {
		return true
	}
	// A model call that was offered tools makes a run of a span above it. Time alone does not prove whose model call it is.
	offered := a.Offered && (r.set.WholeTrace || s.Parent.IsEmpty() || r.ascend(s.Parent, s.Process).candidate != none || r.mayBeLinked(s))
	claim := r.claim(at, s)
	for _, i := range claim.adds(candidates, r.receivers(at, max(1, len(a.Requests)+len(a.Results)))) {
		a.Counted = true
		candidates[i].Responses = append(candidates[i].Responses, *a)
		candidates[i].Responses[len(candidates[i].Responses)-1].Offered = offered
	}
	return r.waits(at) || claim.waits(candidates)
}

// GiveTo gives a response to a candidate, as GiveResponse does.
func (r *Resolver) GiveTo(at int, a agentrun.ModelResponse) (stays bool) {
	for _, i := range r.receivers(at, len(a.Requests)) {
		r.candidates[i].Responses = append(r.candidates[i].Responses, a)
	}
	return r.waits(at)
}

// OwnerOf is the candidate that a call or a response belongs to, or -1.
func (r *Resolver) OwnerOf(s agentrun.Span) int {
	if !r.set.WholeTrace {
		return r.owner(s)
	}
	if len(r.candidates) == 0 {
		return none
	}
	return 0
}

const (
	Counts Disposition = iota // it has gone to its run
	Stays                     // its run, or one around that, may still close
	Late                      // its run has closed
)
