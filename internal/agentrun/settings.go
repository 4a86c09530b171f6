package agentrun

import (
	"time"
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Settings say what a run is, how long it stays open, and what is kept of it. They come from the configuration alone.
type Settings struct {
	// WholeTrace makes one run of a trace, with its root as anchor. Else every agent span is a run.
	WholeTrace bool
	// Include has the calls of an agent's run count for the runs around it too.
	Include bool
	// Conversations joins the runs of one conversation.
	Conversations bool
	// Wait is how long calls still count after their anchor arrived.
	Wait time.Duration
	// IdleTimeout closes a trace without an anchor, this long after its last span.
	IdleTimeout time.Duration
	// MaxCalls is how many calls of one trace may wait for their run. Those over it are not kept, and the trace's
	// runs are incomplete.
	MaxCalls int
	// MaxPayload is the size, in bytes, over which arguments and outputs count as too large.
	MaxPayload int
	// KeepArguments and KeepOutput say which payloads metrics or conditions read.
	KeepArguments, KeepOutput bool
	// Sources says where calls are taken from.
	Sources Sources
}

// KeptArguments returns what is kept of the arguments of a call: nothing if they are not read, and less if they are too
// large. p may be a part of something larger.
func (s *Settings) KeptArguments(p scoring.Payload) scoring.Payload {
	return kept(p, s.KeepArguments, s.MaxPayload)
}

// KeptOutput returns what is kept of the output of a call, like [Settings.KeptArguments].
func (s *Settings) KeptOutput(p scoring.Payload) scoring.Payload {
	return kept(p, s.KeepOutput, s.MaxPayload)
}

func kept(p scoring.Payload, keep bool, limit int) scoring.Payload {
	if !keep {
		return scoring.Payload{}
	}
	return p.Limit(limit)
}

// Pending keeps the parts of a call that will be read.
func (s *Settings) Pending(c *Call) PendingCall { return s.PendingNamed(c, unique.Make(c.Name)) }

// PendingNamed is [Settings.Pending] for a caller that has the handle of the call's name.
func (s *Settings) PendingNamed(c *Call, name unique.Handle[string]) PendingCall {
	r := PendingCall{
		ID: c.ID, Parent: c.Parent, Start: c.Start, End: c.End, Process: c.Process, Scope: c.Scope,
		Name: name, CallID: c.CallID, Status: c.Status, Type: c.Type, Traits: c.Traits,
	}
	arguments, output := s.KeptArguments(c.Arguments), s.KeptOutput(c.Output)
	if arguments != (scoring.Payload{}) || output != (scoring.Payload{}) {
		r.Payloads = &CallPayloads{Arguments: arguments, Output: output}
	}
	return r
}
