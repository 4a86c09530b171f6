package reconcile

import (
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// comparer compares records of calls. One record may be compared with many others, and a sender decides how long names and
// payloads are, so each is read once.
type comparer struct {
	digests map[*agentrun.CallPayloads]*digestedCall // by address: payloads never change
	tools   map[unique.Handle[string]]string
	work    *compare.Work
}

type digestedCall struct{ arguments, output compare.Payload }

// known returns what is known about the payloads of a call that has some.
func (c *comparer) known(r *agentrun.PendingCall) *digestedCall {
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

// sameArguments reports whether the arguments of two calls do not contradict each other.
func (c *comparer) sameArguments(r, o *agentrun.PendingCall) bool {
	a, b := r.Arguments(), o.Arguments()
	return !a.Captured() || !b.Captured() || c.work.Equal(a, b) ||
		c.known(r).arguments.Digest(a, c.work) == c.known(o).arguments.Digest(b, c.work)
}

// sameOutput reports whether the outputs of two calls do not contradict each other.
func (c *comparer) sameOutput(r, o *agentrun.PendingCall) bool {
	a, b := r.Output(), o.Output()
	return !a.Captured() || !b.Captured() || c.work.Equal(a, b) ||
		c.known(r).output.Digest(a, c.work) == c.known(o).output.Digest(b, c.work)
}

// sameTool is the function [sameTool] for the names of two calls, with each name folded once.
func (c *comparer) sameTool(r, o *agentrun.PendingCall) bool {
	return r.Name == o.Name || c.toolKey(r.Name) == c.toolKey(o.Name)
}

func (c *comparer) toolKey(name unique.Handle[string]) string {
	key, known := c.tools[name]
	if !known {
		if c.tools == nil {
			c.tools = make(map[unique.Handle[string]]string)
		}
		key = compare.ToolKey(name.Value())
		c.work.Read(len(name.Value()))
		c.tools[name] = key
	}
	return key
}

// onlyMember describes arguments that may have a single member.
type onlyMember struct {
	// value is the value of the only argument, and text is its number as a text. Both mean nothing unless single is true.
	value, text          scoring.Digest
	single, number, read bool
}

// of describes p, which must be the same payload in each call.
func (o *onlyMember) of(p scoring.Payload, w *compare.Work) *onlyMember {
	if o.read {
		return o
	}
	o.read = true
	w.Read(p.Size())
	object, _ := p.Value()
	if object.Kind() != scoring.Object || object.Len() != 1 {
		return o
	}
	for _, member := range object.Members() {
		o.single, o.value = true, member.Digest()
		if member.Kind() == scoring.Number {
			o.number, o.text = true, scoring.StringValue(member.Lexeme()).Digest()
		}
	}
	return o
}

// is reports whether an unnamed argument is the value of the only member. A text may represent any value.
func (o *onlyMember) is(bare scoring.Digest) bool {
	return o.single && (bare == o.value || o.number && bare == o.text)
}
