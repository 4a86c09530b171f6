package scan

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// Batch has what the spans of one request say.
type Batch struct {
	// Processes are the processes of the resources, by their places. The caller sets them before [Batch.Read].
	Processes []agentrun.Process
	// Spans is how many there are.
	Spans int
	// Parents are the links of spans that no dialect recognizes.
	Parents lookup.ParentBatch
	// Recognized are the spans that a dialect knows.
	Recognized []Recognized
	// Candidates are the spans that may have to be held. Agents are the spans of agents and workflows, in their order.
	Candidates []heldspans.Candidate
	Agents     []heldspans.Place
	// Steps has the processes of model calls without a parent that have everything that is known about their tool calls. Each
	// may be a step of a run.
	Steps   []agentrun.Process
	scratch *dialect.Scratch
}

// NewBatch returns an empty batch.
func NewBatch() Batch { return Batch{scratch: new(dialect.Scratch)} }

// Recognized is what a dialect recognized in a span.
type Recognized struct {
	Span       agentrun.Span
	resource   int // the place of its resource
	scopePlace int // the place of its scope in that
	Scope      agentrun.Scope
	MCPServer  bool // a protocol's server sent it
	Late       bool // it arrived after its run had closed; the caller sets it
	Reading    dialect.Reading
	Response   agentrun.ModelResponse
}

// Kind is what a span may represent. It is [agentrun.Root] for a span that is neither an agent's nor a workflow's.
func (k *Recognized) Kind() agentrun.AnchorKind {
	switch {
	case k.Reading.Role == dialect.Agent, k.Reading.Role == dialect.ToolCall && k.Reading.Agent != "":
		return agentrun.Agent
	case k.Reading.Role == dialect.Workflow:
		return agentrun.Workflow
	}
	return agentrun.Root
}

// Call is the call of a span whose role is [dialect.ToolCall].
func (k *Recognized) Call() agentrun.Call {
	traits := k.Reading.Traits
	return agentrun.Call{
		Call: k.Reading.Call, Span: k.Span, Scope: k.Scope, CallID: k.Reading.CallID,
		Traits: agentrun.Traits{
			ResultOnly:      traits.Has(dialect.ResultOnly),
			UnnamedArgument: traits.Has(dialect.UnnamedArgument),
			NormalizedName:  traits.Has(dialect.NormalizedName),
			MCP:             traits.Has(dialect.MCP),
			MCPServer:       k.MCPServer,
			UnknownTool:     traits.Has(dialect.UnknownTool),
		},
	}
}

// A batch keeps memory for the next one, but at most maxKept of any kind. Requests may have any number of spans, and spans
// any number of calls.
const maxKept = 10_000

// Reset makes the batch empty, and keeps its memory for the next request.
func (b *Batch) Reset() {
	b.Parents.Reset()
	*b = Batch{
		Processes: Emptied(b.Processes), Parents: b.Parents, Recognized: Emptied(b.Recognized), Candidates: Emptied(b.Candidates),
		Agents: Emptied(b.Agents), Steps: Emptied(b.Steps), scratch: b.scratch,
	}
}

// nextRecognized adds an empty element and returns it. What the list has beyond its length is empty already.
func (b *Batch) nextRecognized() *Recognized {
	if n := len(b.Recognized); n < cap(b.Recognized) {
		b.Recognized = b.Recognized[:n+1]
	} else {
		b.Recognized = append(b.Recognized, Recognized{})
	}
	return &b.Recognized[len(b.Recognized)-1]
}

// Emptied returns list without elements and references. It is nil if its capacity is more than a batch may keep.
func Emptied[T any](list []T) []T {
	if cap(list) > maxKept {
		return nil
	}
	clear(list)
	return list[:0]
}
