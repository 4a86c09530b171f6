package copies

import (
	"cmp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// IsCopy reports whether r and o are equal. Payloads are read only where all else is equal.
func IsCopy(r, o *agentrun.PendingCall, w *compare.Work) bool {
	if r.Start != o.Start || r.End != o.End || r.Parent != o.Parent {
		return false // decides about most records without a copy of them
	}
	a, b := *r, *o
	a.Payloads, b.Payloads = nil, nil
	a.Rank, b.Rank = 0, 0
	if a != b {
		return false
	}
	return w.Equal(r.Arguments(), o.Arguments()) && w.Equal(r.Output(), o.Output())
}

// Agree reports whether two records of one span may be of one call: values that both have are equal. The end may differ,
// because it moves while the span is under way.
func Agree(r, o *agentrun.PendingCall, c *compare.Calls) bool {
	return r.Parent == o.Parent && r.Start == o.Start && r.Type == o.Type &&
		(r.CallID == o.CallID || r.CallID == "" || o.CallID == "") &&
		(r.Status == o.Status || r.Status == scoring.StatusUnset || o.Status == scoring.StatusUnset || r.Inherited || o.Inherited) &&
		c.SameTool(r, o) && c.SameArguments(r, o) && c.SameOutput(r, o)
}

// Absorb fills in what r lacks from another record of the same call and the same process.
func Absorb(r *agentrun.PendingCall, o agentrun.PendingCall) {
	if r.Key() == o.Key() {
		r.End = max(r.End, o.End)
	}
	r.CallID = cmp.Or(r.CallID, o.CallID)
	if o.Status != scoring.StatusUnset && (r.Status == scoring.StatusUnset || r.Inherited) {
		r.Status, r.Inherited = o.Status, true // of several attempts the last one counts
	}
	if o.Payloads == nil {
		return
	}
	if !r.Arguments().Captured() {
		r.Traits.UnnamedArgument = o.Traits.UnnamedArgument
	}
	if r.Payloads == nil {
		r.Payloads = o.Payloads
		return
	}
	both := agentrun.CallPayloads{
		Arguments: r.Payloads.Arguments.Or(o.Payloads.Arguments),
		Output:    r.Payloads.Output.Or(o.Payloads.Output),
	}
	if both != *r.Payloads { // facts about payloads are kept by their address
		r.Payloads = &agentrun.CallPayloads{Arguments: both.Arguments, Output: both.Output}
	}
}

// Complete fills in what r does not have about a call that another process recorded as o. equal: neither process decides about
// the run. Then what only one of them recorded may be of another call.
func Complete(r, o *agentrun.PendingCall, equal bool) {
	p, q := r.Captured(), o.Captured()
	if equal {
		r.FromOtherProcess.Arguments = r.FromOtherProcess.Arguments || p.Arguments.Captured() != q.Arguments.Captured()
		r.FromOtherProcess.Output = r.FromOtherProcess.Output || p.Output.Captured() != q.Output.Captured()
	}
	if p.Arguments == (scoring.Payload{}) && q.Arguments.Captured() {
		p.Arguments, r.FromOtherProcess.Arguments, r.Traits.UnnamedArgument = q.Arguments, true, o.Traits.UnnamedArgument
	}
	if p.Output == (scoring.Payload{}) && q.Output.Captured() {
		p.Output, r.FromOtherProcess.Output = q.Output, true
	}
	if p != (agentrun.CallPayloads{}) {
		r.Payloads = &p
	}
	if r.Status == scoring.StatusUnset && o.Status != scoring.StatusUnset {
		r.Status, r.FromOtherProcess.Status = o.Status, true
	}
}
