package compare

import (
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Protocol compares the spans of a protocol with the calls that they are below. Its zero value has none.
type Protocol struct{ of map[int]protocolSpans }

// protocolSpans are those of a call: the first that has arguments, from 1, and how many were compared with others.
type protocolSpans struct{ first, compared int }

// IsOf reports whether the span inner may record the call outer, by its arguments. A protocol may write them in its own way, or
// with defaults. But no argument has another value in the call, or in its first span of the protocol.
func (p *Protocol) IsOf(calls []agentrun.PendingCall, inner, outer int, c *Calls) bool {
	if !calls[inner].Traits.MCP || !calls[inner].Arguments().Captured() {
		return true
	}
	with := outer
	if !calls[outer].Arguments().Captured() {
		known := p.known(outer)
		if known.first == 0 {
			p.of[outer] = protocolSpans{first: inner + 1}
			return true
		}
		with = known.first - 1
	}
	return p.agree(calls, inner, with, outer, c)
}

// HasIDOf reports whether a span may record the call of another one that has the same ID. One of the two is a protocol's, or one
// alone lacks the name of its argument.
func (p *Protocol) HasIDOf(calls []agentrun.PendingCall, span, call int, c *Calls) bool {
	a, b := &calls[span], &calls[call]
	switch {
	case !a.Arguments().Captured() || !b.Arguments().Captured():
		return true
	case a.Traits.MCP || b.Traits.MCP:
		return p.agree(calls, span, call, call, c)
	case a.Traits.UnnamedArgument:
		a, b = b, a
	}
	return p.compares(call) && c.OnlyMember(a.Arguments(), new(OnlyMember)).Is(c.Digest(b.Arguments(), new(Payload)))
}

// agree reports whether no argument of two spans has two values. They are compared for a call, which is compared with few.
func (p *Protocol) agree(calls []agentrun.PendingCall, a, b, call int, c *Calls) bool {
	if c.SameArguments(&calls[a], &calls[b]) {
		return true
	}
	return p.compares(call) && !c.conflict(calls[a].Arguments(), calls[b].Arguments())
}

// compares reports whether a call may be compared with one more span, and counts it.
func (p *Protocol) compares(call int) bool {
	known := p.known(call)
	known.compared++
	p.of[call] = known
	return known.compared <= MaxCandidates
}

func (p *Protocol) known(call int) protocolSpans {
	if p.of == nil {
		p.of = make(map[int]protocolSpans)
	}
	return p.of[call]
}

// conflict reports whether an argument has two values. Other arguments may be in one of the two only. A text may represent a number
// or a boolean. Arguments that may not be read conflict.
func (c *Calls) conflict(a, b scoring.Payload) bool {
	if !c.reading.mayRead(a) || !c.reading.mayRead(b) {
		return true
	}
	c.work.Read(a.Size() + b.Size())
	x, _ := a.Value()
	y, _ := b.Value()
	for name, value := range x.Members() {
		*c.work++
		if other, ok := y.Member(name); ok && value.Digest() != other.Digest() && (spelled(value) == "" || spelled(value) != spelled(other)) {
			return true
		}
	}
	return false
}

// spelled is how a value that is no list and no object is written, without quotes.
func spelled(v scoring.Value) string {
	switch v.Kind() {
	case scoring.String:
		return v.Text()
	case scoring.Number:
		return v.Lexeme()
	case scoring.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return ""
}
