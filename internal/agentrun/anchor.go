package agentrun

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// AnchorKind says why a span may represent a run. A span of a lower kind takes precedence.
type AnchorKind uint8

const (
	Agent    AnchorKind = iota // an agent span
	Workflow                   // a workflow span: represents a run in a trace without agent spans
	Root                       // a local root: represents a run if there is no workflow span either
	Tool                       // a tool call's span: represents no run, and is released with the run of its call
)

// MaxAnchorCopies is how many copies of one anchor get its verdict. Copies come from retried exports, and there are few.
const MaxAnchorCopies = 16

// An Anchor is a held span that represents a run or may do so. If its kind is Tool, it accompanies the run of its call.
type Anchor struct {
	Span
	Kind  AnchorKind
	Scope Scope
	// Wire is how long the span is as OTLP, in bytes, without its Origin.
	Wire uint32
	// Agent is the agent's name and Conversation the conversation's ID. Each is "" if the span does not have it.
	Agent, Conversation string
	// Held is the span itself. The holder of the Anchor owns it.
	Held ptrace.Span
	// Origin is the span's resource and scope. Spans of one batch share it, so it must not be changed.
	Origin *Origin
	// Size is how many bytes the span keeps alive, without its Origin.
	Size int
	// Partial: evidence of its run is known to be missing.
	Partial bool
	// Repeats: the span is equal to that of the anchor before it. The sorting of anchors sets it.
	Repeats bool
	// Record is for the caller: the number under which it stored the span. Checkpoint is the checkpoint of the closing that
	// released the anchor.
	Record     uint32
	Checkpoint *Checkpoint
}

// ArePartial reports whether evidence of the run of some anchor is known to be missing.
func ArePartial(anchors []Anchor) bool {
	for i := range anchors {
		if anchors[i].Partial {
			return true
		}
	}
	return false
}

// Origin is the resource and the scope of a held span, both without spans. The origins of one resource in one batch share
// the resource.
type Origin struct {
	Resource ptrace.ResourceSpans
	Scope    ptrace.ScopeSpans
	// First is one of the origins that share the resource. It is the same for all of them, and may be this one.
	First *Origin
	// OfResource and OfScope are the weights of the resource and the scope.
	OfResource, OfScope Weight
	// Users is how many held spans keep the scope alive. ResourceUsers is how many origins keep the resource alive, and is
	// set in First only. The caller counts both.
	Users, ResourceUsers int32
}

// Weight is the size of a resource or scope, in bytes.
type Weight struct {
	Heap uint32 // in memory, with its overhead
	Wire uint32 // as OTLP
}
