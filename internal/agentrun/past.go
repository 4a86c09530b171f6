package agentrun

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// past is what a trace remembers of its closed runs: enough to know a late span.
type past []closedRun

// closedRun is the anchor of a closed run. A run without one has no id, and the time that its calls took.
type closedRun struct {
	Span
	tier Tier
	by   Cause // what closed it
	at   int64 // when it closed, in nanoseconds since 1970
}

// since is how long before now a run closed.
func (r closedRun) since(now time.Time) time.Duration {
	return max(0, now.Sub(time.Unix(0, r.at)))
}

// has reports whether p knows of a run, whenever that closed.
func (p past) has(r closedRun) bool {
	return slices.ContainsFunc(p, func(k closedRun) bool { return k.Span == r.Span && k.tier == r.tier })
}

// called is the closed run that the call surely belongs to: its parent is the anchor, or the run closed without one and
// its time contains the call. What only seems to is found out when its trace is settled.
func (p past) called(call Span) (r closedRun, ok bool) {
	for _, r := range p {
		if r.ID == call.Parent && !r.ID.IsEmpty() || r.ID.IsEmpty() && r.contains(call) {
			return r, true
		}
	}
	return r, false
}

// closed is the run that s would stand for, if that has closed: with s itself as its anchor, or without one because s
// came too late.
func (p past) closed(s Span) (r closedRun, ok bool) {
	if i := slices.IndexFunc(p, func(r closedRun) bool { return r.ID == s.ID }); i >= 0 {
		return p[i], true
	}
	if i := slices.IndexFunc(p, func(r closedRun) bool { return r.ID.IsEmpty() && s.contains(r.Span) }); i >= 0 {
		return p[i], true
	}
	return r, false
}

// cutInto reports whether runs of the trace were closed early in the time of s: calls of s may have been taken for theirs.
func (p past) cutInto(s Span) bool {
	return slices.ContainsFunc(p, func(r closedRun) bool { return r.by != ByAnchor && overlap(r.Span, s) })
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

// bytes is what the memory keeps alive, as an estimate.
func (m *memory) bytes() int { return m.order.len()*closedBytes + m.runs*pastBytes }

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
