package processor

import (
	"sync"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// batch is what one ConsumeTraces call found in its traces.
type batch struct {
	spans int
	// late is, for each call that came after its run had closed, how long after that it came.
	late []time.Duration
	// parents are those of spans that no dialect knows.
	parents lookup.ParentBatch
	// recognized are the spans that a dialect knows.
	recognized []recognized
	// candidates are the spans that may have to be held, in the order in which they stand.
	candidates []heldspans.Candidate
	held       heldspans.Taken
	sightings  []lookup.Sighting
	// processes are those of the resources, by their places; room is for reading them.
	processes []agentrun.Process
	room      []byte
	// tx is what is stored of it, nil where nothing is.
	tx   *journal.Tx
	desk *dialect.Desk
}

// recognized is what a dialect understood of a span.
type recognized struct {
	span       agentrun.Span
	resource   int // the place of its resource
	scopePlace int // the place of its scope in that
	scope      agentrun.Scope
	mcpServer  bool // it is a protocol's server that did it
	late       bool // it came after its run had closed
	reading    dialect.Reading
	response   agentrun.ModelResponse
}

// batches saves the garbage of batches: every one of ordinary traces has links, and candidates, its roots.
var batches = sync.Pool{New: func() any { return &batch{desk: new(dialect.Desk)} }}

// A batch keeps room for the next one, but no more than maxKept of anything: one request may have any number of spans, and
// one span tell of any number of calls.
const maxKept = 10_000

func (b *batch) free() {
	b.parents.Reset()
	*b = batch{
		parents: b.parents, recognized: emptied(b.recognized), candidates: emptied(b.candidates),
		held:      heldspans.Taken{Anchors: emptied(b.held.Anchors)},
		sightings: emptied(b.sightings), processes: emptied(b.processes), room: emptied(b.room), desk: b.desk,
	}
	batches.Put(b)
}

// emptied is list without elements, and without what they point to. It is nil if it has more room than is to be kept.
func emptied[T any](list []T) []T {
	if cap(list) > maxKept {
		return nil
	}
	clear(list)
	return list[:0]
}

// kindOf is what a span may stand for.
func kindOf(reading *dialect.Reading) agentrun.AnchorKind {
	switch {
	case reading.Role == dialect.Agent, reading.Role == dialect.ToolCall && reading.Agent != "":
		return agentrun.Agent
	case reading.Role == dialect.Workflow:
		return agentrun.Workflow
	}
	return agentrun.Root
}

func callOf(k *recognized) agentrun.Call {
	traits := k.reading.Traits
	return agentrun.Call{
		Call: k.reading.Call, Span: k.span, Scope: k.scope, CallID: k.reading.CallID,
		Traits: agentrun.Traits{
			ResultOnly:      traits.Has(dialect.Outcome),
			UnnamedArgument: traits.Has(dialect.Bare),
			NormalizedName:  traits.Has(dialect.Folded),
			MCP:             traits.Has(dialect.Protocol),
			MCPServer:       k.mcpServer,
			UnknownTool:     traits.Has(dialect.Refused),
		},
	}
}
