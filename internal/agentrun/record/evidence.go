package record

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Evidence is what was recorded about one trace, as bytes that outlive the process. It has a method for each fact that an
// open trace takes. A buffer that gets the same [Facts] has the same state. The order of facts and repeated facts have no
// effect.
type Evidence struct {
	set    *agentrun.Settings
	data   []byte
	sender sender // of the next facts
}

// NewEvidence returns empty Evidence of a trace. set says which payloads it keeps.
func NewEvidence(set *agentrun.Settings, id pcommon.TraceID) *Evidence {
	return &Evidence{set: set, data: append(make([]byte, 0, 256), id[:]...)}
}

// Bytes returns the bytes for [Decode].
func (e *Evidence) Bytes() []byte { return e.data }

// Add adds the facts of o, which must be of the same trace.
func (e *Evidence) Add(o *Evidence) {
	facts := o.data[len(pcommon.TraceID{}):]
	if len(facts) == 0 {
		return
	}
	if factKind(facts[0]) != factSource {
		e.from(sender{})
	} else if first := (&reader{data: facts[1:]}).source(); first == e.sender {
		facts = facts[sourceBytes:]
	}
	e.data, e.sender = append(e.data, facts...), o.sender
}

// Reset removes all facts, and begins those of another trace.
func (e *Evidence) Reset(id pcommon.TraceID) {
	e.data, e.sender = append(e.data[:0], id[:]...), sender{}
}

// from sets the sender of the next facts.
func (e *Evidence) from(s sender) {
	if s == e.sender {
		return
	}
	e.data = append(e.data, byte(factSource))
	e.data = binary.LittleEndian.AppendUint64(e.data, uint64(s.process))
	e.data = binary.LittleEndian.AppendUint32(e.data, uint32(s.scope))
	e.sender = s
}

// AddParent adds the parent of a span.
func (e *Evidence) AddParent(s agentrun.Span) {
	e.from(sender{process: s.Process})
	e.link(factParent, s.ID, s.Parent)
}

// AddStep adds a step of an agent, with the agent's name or "".
func (e *Evidence) AddStep(s agentrun.Span, agent string) {
	e.from(sender{process: s.Process})
	e.link(factStep, s.ID, s.Parent)
	if agent != "" && !s.Parent.IsEmpty() {
		e.AddStepName(agentrun.SpanKey{Process: s.Process, ID: s.Parent}, agent)
	}
}

// AddStepName adds the name that steps give the agent above them. It is "" if they name different agents.
func (e *Evidence) AddStepName(above agentrun.SpanKey, agent string) {
	e.from(sender{process: above.Process})
	e.data = append(append(e.data, byte(factStepName)), above.ID[:]...)
	e.text(agent)
}

// AddAgentSpan adds an agent or workflow span, whether it is held or not.
func (e *Evidence) AddAgentSpan(s agentrun.Span, kind agentrun.AnchorKind) {
	e.from(sender{process: s.Process})
	e.data = append(e.data, byte(factAgentSpan))
	e.span(s)
	e.data = append(e.data, byte(kind))
}

// AddConversation adds the conversation that a process names.
func (e *Evidence) AddConversation(by agentrun.Process, conversation string) {
	e.from(sender{process: by})
	e.data = append(e.data, byte(factConversation))
	e.text(conversation)
}

// AddCall adds a tool call, with the payloads that the settings keep.
func (e *Evidence) AddCall(c agentrun.Call) {
	r := e.set.Pending(&c)
	e.AddPendingCall(&r)
}

// AddResponse adds a model response, with the payloads that the settings keep.
func (e *Evidence) AddResponse(a agentrun.ModelResponse) {
	e.from(sender{a.Process, a.Scope})
	e.data = append(e.data, byte(factResponse))
	e.span(a.Span)
	e.flags(a.Counted, a.MessagesOnly, a.Begins, a.Offered, a.Answered != "", a.OfAgent, a.Unread)
	if a.Answered != "" {
		e.text(a.Answered)
	}
	e.count(len(a.Requests))
	for i := range a.Requests {
		e.text(a.Requests[i].ID)
		e.text(a.Requests[i].Name)
		e.payload(e.set.KeptArguments(a.Requests[i].Arguments))
	}
	e.count(len(a.Results))
	for _, r := range a.Results {
		r.Output = e.set.KeptOutput(r.Output)
		e.result(r)
	}
	if a.Shares != nil {
		e.shares(*a.Shares)
	}
}

// shares adds those of the response before them.
func (e *Evidence) shares(shares []agentrun.Share) {
	e.data = append(e.data, byte(factShares))
	e.count(len(shares))
	for _, share := range shares {
		e.text(share.Agent)
		e.count(share.Task)
		e.count(len(share.Messages))
		for _, requests := range share.Messages {
			e.count(requests)
		}
	}
}

// AddPendingCall adds a call that an open trace has.
func (e *Evidence) AddPendingCall(r *agentrun.PendingCall) {
	e.from(sender{r.Process, r.Scope})
	e.data = append(e.data, byte(factCall))
	e.span(r.Span())
	e.data = append(e.data, byte(r.Status), byte(r.Type))
	e.flags(r.Inherited, r.Counted, r.Traits.ResultOnly, r.Traits.UnnamedArgument, r.Traits.NormalizedName, r.Traits.MCP, r.Traits.MCPServer,
		r.Traits.UnknownTool)
	e.text(r.Name.Value())
	e.text(r.CallID)
	var p agentrun.CallPayloads
	if r.Payloads != nil {
		p = *r.Payloads
	}
	e.payload(p.Arguments)
	e.payload(p.Output)
}

// AddToolResult adds a result that a model of a process was shown.
func (e *Evidence) AddToolResult(p agentrun.Process, o agentrun.TimedResult) {
	e.from(sender{process: p})
	e.data = append(e.data, byte(factToolResult))
	e.result(o.ToolResult)
	e.time(o.At)
}

// AddClosedRun adds a run that has closed.
func (e *Evidence) AddClosedRun(r closedruns.Run) {
	e.from(sender{process: r.Process})
	e.data = append(e.data, byte(factClosedRun))
	e.span(r.Span)
	e.data = append(e.data, byte(r.Kind), byte(r.Reason))
	e.time(pcommon.Timestamp(r.At))
	if r.Name != 0 {
		e.data = binary.LittleEndian.AppendUint32(append(e.data, byte(factClosedName)), r.Name)
	}
}

// AddPresence adds what a process has in the trace.
func (e *Evidence) AddPresence(p Presence) {
	e.from(sender{process: p.Process})
	e.data = append(e.data, byte(factTrace))
	e.flags(p.Called, p.SharesCalls, p.Truncated, p.Agent, p.Workflow, p.Root, p.Contradicted)
}

// AddCut adds when the last call ended that was left out.
func (e *Evidence) AddCut(end pcommon.Timestamp) {
	e.data = append(e.data, byte(factCut))
	e.time(end)
}

// AddInferredAgent adds a span below which an agent took steps.
func (e *Evidence) AddInferredAgent(span agentrun.SpanKey) {
	e.from(sender{process: span.Process})
	e.link(factStep, pcommon.SpanID{}, span.ID)
}

// AddDispute adds a span with several known parents.
func (e *Evidence) AddDispute(span agentrun.SpanKey) {
	e.from(sender{process: span.Process})
	e.data = append(append(e.data, byte(factDispute)), span.ID[:]...)
}

func (e *Evidence) link(f factKind, id, parent pcommon.SpanID) {
	e.data = append(append(append(e.data, byte(f)), id[:]...), parent[:]...)
}

func (e *Evidence) span(s agentrun.Span) {
	e.data = append(append(e.data, s.ID[:]...), s.Parent[:]...)
	e.time(s.Start)
	e.time(s.End)
}

func (e *Evidence) time(t pcommon.Timestamp) {
	e.data = binary.LittleEndian.AppendUint64(e.data, uint64(t))
}

func (e *Evidence) count(n int) { e.data = binary.AppendUvarint(e.data, uint64(n)) }

func (e *Evidence) text(s string) {
	e.count(len(s))
	e.data = append(e.data, s...)
}

func (e *Evidence) payload(p scoring.Payload) {
	e.count(p.BinarySize())
	e.data, _ = p.AppendBinary(e.data)
}

func (e *Evidence) result(r agentrun.ToolResult) {
	e.text(r.ID)
	e.flags(r.Failed)
	e.payload(r.Output)
}

// flags packs up to eight booleans into a byte, the first one lowest.
func (e *Evidence) flags(set ...bool) {
	var b byte
	for i, is := range set {
		if is {
			b |= 1 << i
		}
	}
	e.data = append(e.data, b)
}
