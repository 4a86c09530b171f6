package compare

import (
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// MaxCandidates bounds how many records one is compared with.
const MaxCandidates = 16

// Calls compares records of calls. One record may be compared with many others, and a sender decides how long names and
// payloads are, so each is read once.
type Calls struct {
	digests map[*agentrun.CallPayloads]*digestedCall // by address: payloads never change
	tools   map[unique.Handle[string]]string
	work    *Work
}

// NewCalls returns Calls that count their work in w.
func NewCalls(w *Work) Calls { return Calls{work: w} }

type digestedCall struct{ arguments, output Payload }

// known returns what is known about the payloads of a call that has some.
func (c *Calls) known(r *agentrun.PendingCall) *digestedCall {
	known := c.digests[r.Payloads]
	if known == nil {
		if c.digests == nil {
			c.digests = make(map[*agentrun.CallPayloads]*digestedCall)
		}
		known = new(digestedCall)
		c.digests[r.Payloads] = known
	}
	return known
}

// SameArguments reports whether the arguments of two calls do not contradict each other.
func (c *Calls) SameArguments(r, o *agentrun.PendingCall) bool {
	a, b := r.Arguments(), o.Arguments()
	return !a.Captured() || !b.Captured() || c.work.Equal(a, b) ||
		c.known(r).arguments.Digest(a, c.work) == c.known(o).arguments.Digest(b, c.work)
}

// SameOutput reports whether the outputs of two calls do not contradict each other.
func (c *Calls) SameOutput(r, o *agentrun.PendingCall) bool {
	a, b := r.Output(), o.Output()
	return !a.Captured() || !b.Captured() || c.work.Equal(a, b) ||
		c.known(r).output.Digest(a, c.work) == c.known(o).output.Digest(b, c.work)
}

// SameTool is the function [SameTool] for the names of two calls, with each name folded once.
func (c *Calls) SameTool(r, o *agentrun.PendingCall) bool {
	return r.Name == o.Name || c.ToolKey(r.Name) == c.ToolKey(o.Name)
}

// ToolKey is the function [ToolKey] for a name, which is folded once.
func (c *Calls) ToolKey(name unique.Handle[string]) string {
	key, known := c.tools[name]
	if !known {
		if c.tools == nil {
			c.tools = make(map[unique.Handle[string]]string)
		}
		key = ToolKey(name.Value())
		c.work.Read(len(name.Value()))
		c.tools[name] = key
	}
	return key
}
