package compare

import (
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// MaxCandidates bounds how many records one is compared with.
const MaxCandidates = 16

// Calls compares records of calls. One record may be compared with many others, and a sender decides how long names and
// payloads are, so each is read once.
type Calls struct {
	digests map[*agentrun.CallPayloads]*digestedCall // by address: payloads never change
	tools   map[unique.Handle[string]]string
	reading reading
	work    *Work
}

// NewCalls returns Calls that count their work in w.
func NewCalls(w *Work) Calls { return Calls{reading: reading{left: MaxValues}, work: w} }

// Over reports whether payloads were not read, because of [MaxValues]. They counted as different, and may be equal.
func (c *Calls) Over() bool { return c.reading.over }

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
		c.sameContent(a, b, &c.known(r).arguments, &c.known(o).arguments)
}

// SameOutput reports whether the outputs of two calls do not contradict each other.
func (c *Calls) SameOutput(r, o *agentrun.PendingCall) bool {
	a, b := r.Output(), o.Output()
	return !a.Captured() || !b.Captured() || c.work.Equal(a, b) ||
		c.sameContent(a, b, &c.known(r).output, &c.known(o).output)
}

// EqualPayloads is the function [EqualPayloads] for payloads that may have to be read.
func (c *Calls) EqualPayloads(a, b scoring.Payload, x, y *Payload) bool {
	*c.work++
	return c.work.Equal(a, b) || c.sameContent(a, b, x, y)
}

// Digest is the digest of a payload, or the zero Digest if it may not be read.
func (c *Calls) Digest(p scoring.Payload, known *Payload) scoring.Digest {
	if !c.mayRead(p, known) {
		return scoring.Digest{}
	}
	return known.Digest(p, c.work)
}

// OnlyMember is [OnlyMember.Of]. If p may not be read, it describes arguments that do not have a single member.
func (c *Calls) OnlyMember(p scoring.Payload, known *OnlyMember) *OnlyMember {
	if !known.read && !c.reading.mayRead(p) {
		return new(OnlyMember)
	}
	return known.Of(p, c.work)
}

// IsTextOf is [OnlyMember.IsTextOf], and false if p may not be read.
func (c *Calls) IsTextOf(p scoring.Payload, o *OnlyMember) bool {
	return o.object && c.reading.mayRead(p) && o.IsTextOf(p, c.work)
}

// sameContent compares payloads that are written differently, as far as they may be read.
func (c *Calls) sameContent(a, b scoring.Payload, x, y *Payload) bool {
	return c.mayRead(a, x) && c.mayRead(b, y) && x.Digest(a, c.work) == y.Digest(b, c.work)
}

func (c *Calls) mayRead(p scoring.Payload, known *Payload) bool {
	return known.read || c.reading.mayRead(p)
}

// MayBeOne reports whether the arguments of two calls of closed runs may be those of one call. An instrumentation may leave out
// the name of the only argument.
func (c *Calls) MayBeOne(r, o *agentrun.Call) bool {
	if !r.Arguments.Captured() || !o.Arguments.Captured() {
		return true
	}
	if r.Traits.UnnamedArgument != o.Traits.UnnamedArgument {
		named, bare := r.Arguments, o.Arguments
		if r.Traits.UnnamedArgument {
			named, bare = bare, named
		}
		if c.OnlyMember(named, new(OnlyMember)).Is(c.Digest(bare, new(Payload))) {
			return true
		}
	}
	return c.EqualPayloads(r.Arguments, o.Arguments, new(Payload), new(Payload))
}

// SameTool is [toolname.Same] for the names of two calls, with each name folded once.
func (c *Calls) SameTool(r, o *agentrun.PendingCall) bool {
	return r.Name == o.Name || c.ToolKey(r.Name) == c.ToolKey(o.Name)
}

// ToolKey is [toolname.Key] for a name, which is folded once.
func (c *Calls) ToolKey(name unique.Handle[string]) string {
	key, known := c.tools[name]
	if !known {
		if c.tools == nil {
			c.tools = make(map[unique.Handle[string]]string)
		}
		key = toolname.Key(name.Value())
		c.work.Read(len(name.Value()))
		c.tools[name] = key
	}
	return key
}
