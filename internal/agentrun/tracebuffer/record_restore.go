package tracebuffer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// errEvidence says that bytes are no [Evidence].
var errEvidence = errors.New("not the evidence of a trace")

// Restored is what a Buffer was told by stored evidence, as far as others need to know it.
type Restored struct {
	Trace pcommon.TraceID
	// CallIDs are those of all calls, made or asked for.
	CallIDs []agentrun.ScopedCallID
	// Step: a model call without a parent asked for calls, by an instrumentation that may write no tool spans.
	Step bool
}

// Restore tells the buffer what stored evidence tells. It returns an error, and changes nothing, if the bytes are none.
func (b *Buffer) Restore(now time.Time, evidence []byte) (Restored, error) {
	d, err := decodeEvidence(evidence)
	if err != nil {
		return Restored{}, err
	}
	t := b.trace(now, agentrun.Span{Trace: d.id})
	b.touch(t, now)
	for _, s := range d.links {
		b.addParent(t, s)
	}
	before := t.linkCount()
	for _, span := range d.disputed {
		t.dispute(span)
	}
	b.resize(t, (t.linkCount()-before)*linkBytes)
	for _, s := range d.steps {
		if s.ID.IsEmpty() { // it is what a closing left
			b.addStep(t, agentrun.SpanKey{Process: s.Process, ID: s.Parent})
		} else {
			b.AddStep(now, s)
		}
	}
	b.restoreClosed(t, d.closedRuns)
	for _, s := range d.agentSpans {
		b.addParent(t, s.Span)
		b.addAgentSpan(t, s.Span, s.kind)
	}
	for kind, seen := range d.kinds {
		t.kinds[kind] = t.kinds[kind] || seen
	}
	t.called, t.contradicted = t.called || d.called, t.contradicted || d.contradicted
	for _, p := range d.present {
		b.resize(t, t.processTable.add(p.process, p.is))
	}
	for _, c := range d.conversations {
		b.AddConversation(d.id, c.by, c.id)
	}
	restored := b.restoreCalls(t, d)
	t.cut = max(t.cut, d.cut)
	t.truncated = t.truncated || d.truncated // from here on no call is taken
	return restored, nil
}

// restoreCalls writes down calls and answers, and what models were told.
func (b *Buffer) restoreCalls(t *trace, d stored) Restored {
	restored := Restored{Trace: t.id}
	for _, o := range d.results {
		if agentrun.IsUniqueCallID(o.ID) {
			o.Output = b.set.KeptOutput(o.Output)
			b.resize(t, t.addToolResult(o.by, o.TimedResult))
		}
	}
	for _, c := range d.calls {
		r := b.set.Pending(&c.Call)
		r.Inherited, r.Counted = c.inherited, c.counted
		b.resize(t, t.addCall(r, b.set.MaxCalls, &b.resolver.work))
		if c.CallID != "" {
			restored.CallIDs = append(restored.CallIDs, agentrun.ScopedCallID{ID: c.CallID, Process: c.Process, Scope: c.Scope})
		}
	}
	for _, a := range d.responses {
		for i := range a.Requests {
			restored.CallIDs = append(restored.CallIDs, agentrun.ScopedCallID{ID: a.Requests[i].ID, Process: a.Process, Scope: a.Scope})
		}
		restored.Step = restored.Step || a.MessagesOnly && a.Parent.IsEmpty()
		b.addParent(t, a.Span)
		b.storeResponse(t, a)
	}
	return restored
}

// Reopen forgets that the run of a stored anchor has closed: it was not released, or at least nobody wrote that down.
func (b *Buffer) Reopen(a agentrun.Anchor) {
	if a.Kind == agentrun.Tool { // a closed run of that id is the agent's that the tool ran
		return
	}
	drop := func(p closedruns.Runs) closedruns.Runs {
		return slices.DeleteFunc(p, func(r closedruns.Run) bool { return r.ID == a.ID && !a.ID.IsEmpty() })
	}
	if t, open := b.lookUp(a.Trace); open {
		t.closedRuns = drop(t.closedRuns)
	} else if p := b.decisions.Of(a.Trace); len(p) > 0 {
		b.decisions.Remember(a.Trace, drop(p))
	}
}

// RestoreClosed remembers a closed trace, by the evidence that was stored of it.
func (b *Buffer) RestoreClosed(evidence []byte) error {
	d, err := decodeEvidence(evidence)
	if err != nil {
		return err
	}
	if t, open := b.lookUp(d.id); open {
		b.restoreClosed(t, d.closedRuns)
		return nil
	}
	known := b.decisions.Of(d.id)
	for i := range d.closedRuns { // what is remembered already keeps its place
		if at := slices.IndexFunc(known, func(k closedruns.Run) bool { return k.Span == d.closedRuns[i].Span && k.Kind == d.closedRuns[i].Kind }); at >= 0 {
			d.closedRuns[i].Number = known[at].Number
		}
	}
	b.decisions.Remember(d.id, d.closedRuns)
	return nil
}

// stored is decoded Evidence.
type stored struct {
	id                pcommon.TraceID
	links, steps      []agentrun.Span
	disputed          []agentrun.SpanKey
	agentSpans        []awaitedAnchor
	calls             []storedCall
	responses         []agentrun.ModelResponse
	results           []storedResult
	present           []storedProcess
	closedRuns        closedruns.Runs
	conversations     []storedConversation
	called, truncated bool
	contradicted      bool
	kinds             [agentrun.Root + 1]bool
	cut               pcommon.Timestamp
	sender            sender // of the facts that come next
}

// storedResult is what a model of a process was told.
type storedResult struct {
	agentrun.TimedResult
	by agentrun.Process
}

// storedConversation is the conversation that a process tells of.
type storedConversation struct {
	by agentrun.Process
	id string
}

// storedProcess is what a process has in a trace.
type storedProcess struct {
	process agentrun.Process
	is      processFlags
}

type storedCall struct {
	agentrun.Call
	inherited, counted bool
}

func decodeEvidence(data []byte) (stored, error) {
	var d stored
	id, err := TraceOf(data)
	if err != nil {
		return d, err
	}
	d.id = id
	r := reader{data: data[len(id):]}
	for len(r.data) > 0 && !r.bad {
		f := factKind(r.byte())
		if f < factParent || f > factClosedName {
			return d, fmt.Errorf("%w: there is no fact of kind %d", errEvidence, f)
		}
		d.read(f, &r)
	}
	if r.bad {
		return d, fmt.Errorf("%w: it ends early, or has a value out of its range", errEvidence)
	}
	return d, nil
}

// read adds one fact.
func (d *stored) read(f factKind, r *reader) {
	switch f {
	case factSource:
		d.sender = r.source()
	case factParent:
		d.links = append(d.links, d.told(r.link(d.id)))
	case factAgentSpan:
		d.agentSpans = append(d.agentSpans, awaitedAnchor{d.told(r.span(d.id)), r.tier()})
	case factStep:
		d.steps = append(d.steps, d.told(r.link(d.id)))
	case factCall:
		c := r.call(d.id)
		c.Process, c.Scope = d.sender.process, d.sender.scope
		d.calls = append(d.calls, c)
	case factResponse:
		a := r.answer(d.id)
		a.Process, a.Scope = d.sender.process, d.sender.scope
		d.responses = append(d.responses, a)
	case factConversation:
		d.conversations = append(d.conversations, storedConversation{d.sender.process, r.text()})
	case factToolResult:
		d.results = append(d.results, storedResult{agentrun.TimedResult{ToolResult: r.result(), At: r.time()}, d.sender.process})
	case factClosedRun:
		d.closedRuns = append(d.closedRuns, closedruns.Run{Span: d.told(r.span(d.id)), Kind: r.tier(), Reason: agentrun.CloseReason(r.below(byte(agentrun.ByShutdown) + 1)), At: int64(r.time())})
	case factClosedName:
		name := r.take(4)
		if n := len(d.closedRuns); n > 0 && len(name) == 4 {
			d.closedRuns[n-1].Name = binary.LittleEndian.Uint32(name)
		}
	case factTrace:
		set := r.flags()
		d.called, d.truncated, d.contradicted = d.called || set[0], d.truncated || set[2], d.contradicted || set[6]
		for i, is := range [...]processFlags{0: hasCalls, 1: sharesCalls, 3: hasAgent, 4: hasWorkflow} {
			if is != 0 && set[i] {
				d.present = append(d.present, storedProcess{d.sender.process, is})
			}
		}
		for kind := range d.kinds {
			d.kinds[kind] = d.kinds[kind] || set[3+kind]
		}
	case factDispute:
		d.disputed = append(d.disputed, agentrun.SpanKey{Process: d.sender.process, ID: r.id()})
	case factCut:
		d.cut = max(d.cut, r.time())
	}
}

// told is s with who told of it.
func (d *stored) told(s agentrun.Span) agentrun.Span {
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

func (r *reader) call(id pcommon.TraceID) storedCall {
	c := storedCall{Call: agentrun.Call{Span: r.span(id)}}
	c.Status = scoring.CallStatus(r.below(byte(scoring.StatusFailed) + 1))
	c.Type = scoring.ToolType(r.below(byte(scoring.MCPTool) + 1))
	set := r.flags()
	c.inherited, c.counted = set[0], set[1]
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
