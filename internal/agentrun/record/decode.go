package record

import (
	"encoding/binary"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
)

// ErrEvidence says that bytes are no [Evidence].
var ErrEvidence = errors.New("not the evidence of a trace")

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
		if f < factParent || f > factShares {
			return d, fmt.Errorf("%w: there is no fact of kind %d", ErrEvidence, f)
		}
		d.read(f, &r)
	}
	if r.bad {
		return d, fmt.Errorf("%w: it ends early, or has a value out of its range", ErrEvidence)
	}
	return d, nil
}

// CallIDs returns the IDs of all calls and requests.
func (d *Facts) CallIDs() (all []agentrun.ScopedCallID) {
	for i := range d.Calls {
		if c := &d.Calls[i]; c.CallID != "" {
			all = append(all, agentrun.ScopedCallID{ID: c.CallID, Process: c.Process, Scope: c.Scope})
		}
	}
	for i := range d.Responses {
		a := &d.Responses[i]
		for j := range a.Requests {
			all = append(all, agentrun.ScopedCallID{ID: a.Requests[j].ID, Process: a.Process, Scope: a.Scope})
		}
	}
	return all
}

// StepSenders returns the processes of model calls without a parent whose instrumentations may write no tool spans.
func (d *Facts) StepSenders() (all []agentrun.Process) {
	for i := range d.Responses {
		if a := &d.Responses[i]; a.MessagesOnly && a.Shares == nil && a.Parent.IsEmpty() {
			all = append(all, a.Process)
		}
	}
	return all
}

// read adds one fact.
func (d *Facts) read(f factKind, r *reader) {
	switch f {
	case factSource:
		d.sender = r.source()
	case factParent:
		d.Parents = append(d.Parents, d.withSender(r.link(d.Trace)))
	case factAgentSpan:
		d.AgentSpans = append(d.AgentSpans, AgentSpan{d.withSender(r.span(d.Trace)), r.anchorKind()})
	case factStep:
		d.Steps = append(d.Steps, d.withSender(r.link(d.Trace)))
	case factStepName:
		d.StepNames = append(d.StepNames, StepName{agentrun.SpanKey{Process: d.sender.process, ID: r.id()}, r.text()})
	case factCall:
		c := r.call(d.Trace)
		c.Process, c.Scope = d.sender.process, d.sender.scope
		d.Calls = append(d.Calls, c)
	case factResponse:
		a := r.response(d.Trace)
		a.Process, a.Scope = d.sender.process, d.sender.scope
		d.Responses = append(d.Responses, a)
	case factShares:
		shares := r.shares()
		if n := len(d.Responses); n > 0 {
			r.bad = r.bad || !arePartOf(shares, len(d.Responses[n-1].Requests))
			d.Responses[n-1].Shares = &shares
		}
	case factConversation:
		d.Conversations = append(d.Conversations, Conversation{d.sender.process, r.text()})
	case factToolResult:
		d.Results = append(d.Results, ToolResult{agentrun.TimedResult{ToolResult: r.result(), At: r.time()}, d.sender.process})
	case factClosedRun:
		d.ClosedRuns = append(d.ClosedRuns, closedruns.Run{Span: d.withSender(r.span(d.Trace)), Kind: r.anchorKind(), Reason: agentrun.CloseReason(r.below(byte(agentrun.ByShutdown) + 1)), At: int64(r.time())})
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

// withSender is s with the current sender.
func (d *Facts) withSender(s agentrun.Span) agentrun.Span {
	s.Process = d.sender.process
	return s
}

// TraceOf is the trace that evidence is of.
func TraceOf(evidence []byte) (id pcommon.TraceID, err error) {
	if copy(id[:], evidence) < len(id) {
		return id, ErrEvidence
	}
	return id, nil
}
