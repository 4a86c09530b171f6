package agentrun

import "go.opentelemetry.io/collector/pdata/pcommon"

// past is what a trace remembers of its closed runs: enough to know a late span.
type past []closedRun

// closedRun is the anchor of a closed run. A run without one has no id, and the time that its calls took.
type closedRun struct {
	Span
	tier Tier
}

// called reports whether the call surely belongs to a closed run: its parent is the anchor, or the run closed without
// one and its time contains the call. What only seems to is found out when its trace is settled.
func (p past) called(call Span) bool {
	for _, r := range p {
		if r.ID == call.Parent && !r.ID.IsEmpty() || r.ID.IsEmpty() && r.contains(call) {
			return true
		}
	}
	return false
}

// closed reports whether the run that s would stand for has closed: with s itself as its anchor, or without one
// because s came too late.
func (p past) closed(s Span) bool {
	for _, r := range p {
		if r.ID == s.ID || r.ID.IsEmpty() && s.contains(r.Span) {
			return true
		}
	}
	return false
}

// memory remembers the traces that closed last, at most size of them, with as many closed runs as twice that.
type memory struct {
	traces map[pcommon.TraceID]past
	order  queue[pcommon.TraceID]
	size   int
	runs   int
}

func newMemory(size int) memory {
	return memory{traces: make(map[pcommon.TraceID]past), size: size}
}

// remember keeps p for the trace. A trace without closed runs leaves no memory.
func (m *memory) remember(id pcommon.TraceID, p past) {
	if len(p) == 0 || m.size == 0 {
		return
	}
	m.forget(id)
	m.traces[id] = p
	m.runs += len(p)
	m.order.push(id)
	for m.order.len() > 1 && (m.order.len() > m.size || m.runs > 2*m.size) {
		oldest, _ := m.order.front()
		m.order.pop()
		m.forget(oldest)
	}
}

// forget returns what is remembered of a trace that opens again. Its place in the order stays taken: a trace that
// opens and closes over and over is forgotten a little early.
func (m *memory) forget(id pcommon.TraceID) past {
	p := m.traces[id]
	m.runs -= len(p)
	delete(m.traces, id)
	return p
}
