package agentrun

import "time"

// Settings say what a run is, how long it stays open, and what is kept of it. The configuration determines all of them.
type Settings struct {
	// WholeTrace makes one run of a trace, with its root as anchor. Else every agent span is a run.
	WholeTrace bool
	// Include has the calls of an agent's run count for the runs around it too.
	Include bool
	// Conversations joins the runs of one conversation.
	Conversations bool
	// Wait is how long calls still count after their anchor came.
	Wait time.Duration
	// IdleTimeout closes what has no anchor, this long after the trace's last span.
	IdleTimeout time.Duration
	// MaxCalls is how many calls of one trace may wait for their run. Those over it are not kept, and the trace's
	// runs are incomplete.
	MaxCalls int
	// MaxPayload is the size, in bytes, over which arguments and outputs count as too large.
	MaxPayload int
	// KeepArguments and KeepOutput say which payloads anyone will read.
	KeepArguments, KeepOutput bool
	// Sources says where calls are taken from.
	Sources Sources
}
