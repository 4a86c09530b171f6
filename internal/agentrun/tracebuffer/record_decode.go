package tracebuffer

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// ErrEvidence says that bytes are no [Evidence].
var ErrEvidence = errors.New("not the evidence of a trace")

// Facts are decoded Evidence.
type Facts struct {
	Trace pcommon.TraceID
	// Parents are spans with their parents, and Disputed those of which several are known.
	Parents  []agentrun.Span
	Disputed []agentrun.SpanKey
	// Steps are of agents. A step without an ID is of an inferred agent, which is its parent.
	Steps         []agentrun.Span
	AgentSpans    []AgentSpan
	Calls         []Call
	Responses     []agentrun.ModelResponse
	Results       []ToolResult
	Presences     []Presence
	ClosedRuns    closedruns.Runs
	Conversations []Conversation
	// Cut is when the last call ended that was left out, 0 if none was.
	Cut    pcommon.Timestamp
	sender sender // of the facts that come next
}

// AgentSpan is a span that may stand for a run.
type AgentSpan struct {
	agentrun.Span
	Kind agentrun.AnchorKind
}

// Call is a call of an open trace.
type Call struct {
	agentrun.Call
	// Inherited and Counted are as in [agentrun.PendingCall].
	Inherited, Counted bool
}

// ToolResult is what a model of a process was told.
type ToolResult struct {
	agentrun.TimedResult
	Process agentrun.Process
}

// Conversation is the conversation that a process tells of.
type Conversation struct {
	Process agentrun.Process
	ID      string
}

// Presence is what a process has in a trace: calls, some of which another trace tells of as well, and anchors. With the
// unknown process it is what is known of the whole trace.
type Presence struct {
	Process               agentrun.Process
	Called, SharesCalls   bool
	Agent, Workflow, Root bool
	// Truncated: calls were left out. Contradicted: spans contradict each other.
	Truncated, Contradicted bool
}

// Decode reads evidence. Its error is an [ErrEvidence].
func Decode(data []byte) (Facts, error) {
	var d Facts
	id, err := TraceOf(data)
	if err != nil {
		return d, err
	}
	d.Trace = id
	r := reader{data: data[len(id):]}
	for len(r.data) > 0 && !r.bad {
		f := factKind(r.byte())
		if f < factParent || f > factClosedName {
			return d, fmt.Errorf("%w: there is no fact of kind %d", ErrEvidence, f)
		}
		d.read(f, &r)
	}
	if r.bad {
		return d, fmt.Errorf("%w: it ends early, or has a value out of its range", ErrEvidence)
	}
	return d, nil
}

// read adds one fact.
func (d *Facts) read(f factKind, r *reader) {
	switch f {
	case factSource:
		d.sender = r.source()
	case factParent:
		d.Parents = append(d.Parents, d.told(r.link(d.Trace)))
	case factAgentSpan:
		d.AgentSpans = append(d.AgentSpans, AgentSpan{d.told(r.span(d.Trace)), r.tier()})
	case factStep:
		d.Steps = append(d.Steps, d.told(r.link(d.Trace)))
	case factCall:
		c := r.call(d.Trace)
		c.Process, c.Scope = d.sender.process, d.sender.scope
		d.Calls = append(d.Calls, c)
	case factResponse:
		a := r.answer(d.Trace)
		a.Process, a.Scope = d.sender.process, d.sender.scope
		d.Responses = append(d.Responses, a)
	case factConversation:
		d.Conversations = append(d.Conversations, Conversation{d.sender.process, r.text()})
	case factToolResult:
		d.Results = append(d.Results, ToolResult{agentrun.TimedResult{ToolResult: r.result(), At: r.time()}, d.sender.process})
	case factClosedRun:
		d.ClosedRuns = append(d.ClosedRuns, closedruns.Run{Span: d.told(r.span(d.Trace)), Kind: r.tier(), Reason: agentrun.CloseReason(r.below(byte(agentrun.ByShutdown) + 1)), At: int64(r.time())})
	case factClosedName:
		name := r.take(4)
		if n := len(d.ClosedRuns); n > 0 && len(name) == 4 {
			d.ClosedRuns[n-1].Name = binary.LittleEndian.Uint32(name)
		}
	case factTrace:
		set := r.flags()
		d.Presences = append(d.Presences, Presence{
			Process: d.sender.process, Called: set[0], SharesCalls: set[1], Truncated: set[2], Agent: set[3], Workflow: set[4], Root: set[5], Contradicted: set[6],
		})
	case factDispute:
		d.Disputed = append(d.Disputed, agentrun.SpanKey{Process: d.sender.process, ID: r.id()})
	case factCut:
		d.Cut = max(d.Cut, r.time())
	}
}

// told is s with who told of it.
func (d *Facts) told(s agentrun.Span) agentrun.Span {
	s.Process = d.sender.process
	return s
}

// reader takes values from the front of data. What is not there, or out of its range, makes it bad, and everything
// that it returns from then on means nothing.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.data)) {
		r.bad = true
		return nil
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// below is a byte that is lower than limit.
func (r *reader) below(limit byte) byte {
	b := r.byte()
	if b >= limit {
		r.bad = true
		return 0
	}
	return b
}

func (r *reader) tier() agentrun.AnchorKind {
	return agentrun.AnchorKind(r.below(byte(agentrun.Root) + 1))
}

func (r *reader) flags() (set [8]bool) {
	b := r.byte()
	for i := range set {
		set[i] = b&(1<<i) != 0
	}
	return set
}

func (r *reader) count() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) text() string { return string(r.take(r.count())) }

func (r *reader) time() pcommon.Timestamp {
	if b := r.take(8); len(b) == 8 {
		return pcommon.Timestamp(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (r *reader) id() (id pcommon.SpanID) {
	copy(id[:], r.take(uint64(len(id))))
	return id
}

func (r *reader) source() (s sender) {
	s.process = agentrun.Process(r.time())
	if b := r.take(4); len(b) == 4 {
		s.scope = agentrun.Scope(binary.LittleEndian.Uint32(b))
	}
	return s
}

func (r *reader) link(id pcommon.TraceID) agentrun.Span {
	return agentrun.Span{Trace: id, ID: r.id(), Parent: r.id()}
}

func (r *reader) span(id pcommon.TraceID) agentrun.Span {
	return agentrun.Span{Trace: id, ID: r.id(), Parent: r.id(), Start: r.time(), End: r.time()}
}

func (r *reader) payload() (p scoring.Payload) {
	if data := r.take(r.count()); !r.bad && p.UnmarshalBinary(data) != nil {
		r.bad = true
	}
	return p
}

func (r *reader) call(id pcommon.TraceID) Call {
	c := Call{Call: agentrun.Call{Span: r.span(id)}}
	c.Status = scoring.CallStatus(r.below(byte(scoring.StatusFailed) + 1))
	c.Type = scoring.ToolType(r.below(byte(scoring.MCPTool) + 1))
	set := r.flags()
	c.Inherited, c.Counted = set[0], set[1]
	c.Traits = agentrun.Traits{ResultOnly: set[2], UnnamedArgument: set[3], NormalizedName: set[4], MCP: set[5], MCPServer: set[6], UnknownTool: set[7]}
	c.Name, c.CallID = r.text(), r.text()
	c.Arguments, c.Output = r.payload(), r.payload()
	return c
}

func (r *reader) answer(id pcommon.TraceID) agentrun.ModelResponse {
	a := agentrun.ModelResponse{Span: r.span(id)}
	set := r.flags()
	a.Counted, a.MessagesOnly, a.Begins, a.Offered = set[0], set[1], set[2], set[3]
	if set[4] {
		a.Answered = r.text()
	}
	a.OfAgent = set[5]
	for n := r.count(); n > 0 && !r.bad; n-- {
		a.Requests = append(a.Requests, agentrun.ToolRequest{ID: r.text(), Name: r.text(), Arguments: r.payload()})
	}
	for n := r.count(); n > 0 && !r.bad; n-- {
		a.Results = append(a.Results, r.result())
	}
	return a
}

func (r *reader) result() agentrun.ToolResult {
	return agentrun.ToolResult{ID: r.text(), Failed: r.flags()[0], Output: r.payload()}
}

// TraceOf is the trace that evidence is of.
func TraceOf(evidence []byte) (id pcommon.TraceID, err error) {
	if copy(id[:], evidence) < len(id) {
		return id, ErrEvidence
	}
	return id, nil
}
