package agentrun

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// AnchorKind says what entitles a span to stand for a run. A lower kind goes first.
type AnchorKind uint8

const (
	Agent    AnchorKind = iota // an agent span
	Workflow                   // a workflow span: stands in where a trace has no agent span
	Root                       // a local root: stands in where it has no workflow span either
	Tool                       // a tool call's span: stands for no run, and goes with the one that has its call
)

// An Anchor is a held span that stands, or may stand, for a run; or that goes with one, if its kind is Tool.
type Anchor struct {
	Span
	Kind  AnchorKind
	Scope Scope
	// Wire is how long the span is as OTLP, in bytes, without its Origin.
	Wire uint32
	// Agent is the agent's name and Conversation the conversation's id, "" where the span does not tell.
	Agent, Conversation string
	// Held is the span itself. Whoever has the Anchor owns it.
	Held ptrace.Span
	// Origin is where the span came from; spans of one batch share it, so nobody changes it.
	Origin *Origin
	// Size is what the span keeps alive, in bytes, without its Origin.
	Size int
	// Partial: evidence of its run is known to be missing.
	Partial bool
	// Record is for the caller: the number under which it stored the span. Checkpoint is that of the closing that brought
	// the anchor out.
	Record     uint32
	Checkpoint *Checkpoint
}

// Origin is the resource and the scope that a held span came with. Both are without spans. The origins of one resource
// in one batch share the resource.
type Origin struct {
	Resource ptrace.ResourceSpans
	Scope    ptrace.ScopeSpans
	// First is one of the origins that share the resource, the same for all of them. It may be this one.
	First *Origin
	// OfResource and OfScope are what the resource and the scope take.
	OfResource, OfScope Weight
	// Users and ResourceUsers are for the caller: how many held spans keep the scope alive, and in First how many origins
	// the resource.
	Users, ResourceUsers int32
}

// Weight is what something takes, in bytes.
type Weight struct {
	Heap uint32 // in memory, with its overhead
	Wire uint32 // as OTLP
}
