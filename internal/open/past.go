package open

import (
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// pastOf returns the closed run that a span represents: the span is its anchor, or the run closed without an anchor in the time of the
// span. It is nil if there is none.
func pastOf(past []evidence.Fact, s *evidence.Span) (found *evidence.Fact) {
	for i := range past {
		f := &past[i]
		switch {
		case f.ID == s.ID && !s.ID.IsEmpty():
			return f
		case found == nil && f.ID.IsEmpty() && s.Contains(&f.Span):
			found = f
		}
	}
	return found
}

// lateFor returns the closed run that a fact certainly belongs to, by what is remembered of its trace, or nil.
func (l *Logs) lateFor(past []evidence.Fact, f *evidence.Fact) *evidence.Fact {
	if f.Call == nil && f.Response == nil {
		return pastOf(past, &f.Span)
	}
	for i := range past {
		if p := &past[i]; l.set.WholeTrace || p.ID == f.Parent && !f.Parent.IsEmpty() || p.ID == f.ID && !f.ID.IsEmpty() {
			return p
		}
	}
	return nil
}

// pastRun is what is remembered of a closed run. It has no names, because a table without pointers costs the garbage collector nothing.
type pastRun struct {
	evidence.Span
	scope  evidence.Scope
	kind   evidence.Kind
	by     evidence.CloseReason
	models bool
	at     int64
}

const (
	maxPast   = 1 << 16 // closed runs are remembered
	pastBytes = 72      // each takes, besides its place in the table
)

// remember remembers the closed runs of a trace.
func (l *Logs) remember(now time.Time, k evidence.Key, closed []evidence.Fact) {
	for i := range closed {
		f := &closed[i]
		l.past.Put(l.seed.ofRun(k, i), pastRun{f.Span, f.Scope, f.Kind, f.ClosedBy, f.Models, f.ClosedAt}, pastBytes, now.UnixNano())
	}
}

// recall returns the closed runs of a trace that are remembered, nil if there are none.
func (l *Logs) recall(k evidence.Key) (closed []evidence.Fact) {
	for {
		r, known := l.past.Get(l.seed.ofRun(k, len(closed)))
		if !known || r.Trace != k.Trace {
			return closed
		}
		closed = append(closed, evidence.Fact{
			Span: r.Span, Scope: r.scope, Kind: r.kind, Closed: true, ClosedBy: r.by, ClosedAt: r.at, Models: r.models,
		})
	}
}

// Calls of a protocol and steps of models may be in traces that share no ID with the run that they belong to. What is kept of them is
// bounded, and what is forgotten completes nothing.

const (
	maxProtocol   = 1 << 12 // names of tools, by process
	protocolBytes = 2 << 20
	maxOfTool     = 1 << 8 // spans of one process that name one tool
	maxProcesses  = 1 << 10
	maxSummaries  = 64 // of each process
)

// protocolKey is a tool, and the process that called it by a protocol.
type protocolKey struct {
	by   evidence.Sender
	tool string
}

// protocolSpan is a span of a protocol.
type protocolSpan struct {
	trace evidence.Key
	evidence.Fact
}

// noteProtocol keeps a protocol's span, for the runs of its process in other traces.
func (l *Logs) noteProtocol(now time.Time, trace *evidence.Key, f *evidence.Fact) {
	if f.Call == nil || !f.Call.Traits.MCP {
		return
	}
	key := protocolKey{evidence.Sender{Process: f.Process, Partition: trace.Partition}, f.Call.Name}
	known, _ := l.protocol.Get(key)
	copies, size := 0, f.Size()
	for i := range known {
		k := &known[i]
		if k.trace == *trace && k.Span == f.Span {
			if _, agrees := evidence.Merge(&k.Fact, f); agrees {
				return
			}
			copies++
		}
		size += k.Size()
	}
	if copies > 1 {
		return // that copies differ is known
	}
	if len(known) >= maxOfTool {
		size -= known[0].Size()
		known = known[1:]
	}
	kept := protocolSpan{*trace, *f}
	kept.Call, kept.Response = new(*f.Call), nil // whoever read it uses their memory again
	l.protocol.Put(key, append(known, kept), size, now.UnixNano())
}

// protocolOf returns the protocol's spans of processes of a partition, in traces that have nothing else.
func (l *Logs) protocolOf(partition uint64) func(evidence.Process, string) []evidence.Fact {
	if l.protocol.Len() == 0 {
		return nil
	}
	return func(p evidence.Process, tool string) (all []evidence.Fact) {
		l.mu.Lock()
		defer l.mu.Unlock()
		known, _ := l.protocol.Get(protocolKey{evidence.Sender{Process: p, Partition: partition}, tool})
		for i := range known {
			if l.isAlone(known[i].trace) {
				all = append(all, known[i].Fact)
			}
		}
		return all
	}
}

// isAlone reports whether a trace has nothing but spans of a protocol.
func (l *Logs) isAlone(k evidence.Key) bool {
	if at, open := l.traces[k]; open {
		return !at.log.state[at.at].own
	}
	return l.recall(k) == nil
}

// AddSteps notes who sent model calls that may be steps of runs. The runs of agents of such processes are remembered.
func (l *Logs) AddSteps(now time.Time, senders []evidence.Sender) {
	if len(senders) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, by := range senders {
		if _, known := l.summaries.Get(by); !known {
			l.summaries.Put(by, nil, 0, now.UnixNano())
		}
	}
}

// Summarize remembers closed runs of agents, whose model calls may be in other traces.
func (l *Logs) Summarize(now time.Time, partition uint64, all []runs.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range all {
		p := evidence.Sender{Process: all[i].Span().Process, Partition: partition}
		known, sends := l.summaries.Get(p)
		if !sends {
			continue
		}
		if s := runs.SummaryOf(&all[i]); s != nil {
			if len(known) >= maxSummaries {
				known = known[1:]
			}
			known = append(known, s)
			size := 0
			for _, k := range known {
				size += k.Size()
			}
			l.summaries.Put(p, known, size, now.UnixNano())
		}
	}
}

// summariesOf returns the remembered runs of processes of a partition, or nil if there are none.
func (l *Logs) summariesOf(partition uint64) func(evidence.Process) []*runs.Summary {
	if l.summaries.Len() == 0 {
		return nil
	}
	return func(p evidence.Process) []*runs.Summary {
		l.mu.Lock()
		defer l.mu.Unlock()
		known, _ := l.summaries.Get(evidence.Sender{Process: p, Partition: partition})
		return known
	}
}

// RestorePast remembers the closed runs of a trace that were stored. It is false if the trace is open, or none of its runs has closed.
func (l *Logs) RestorePast(now time.Time, t *evidence.Trace) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	isOpen := func(f evidence.Fact) bool { return !f.Closed }
	if _, open := l.traces[t.Key]; open || len(t.Facts) == 0 || slices.ContainsFunc(t.Facts, isOpen) {
		return false
	}
	l.remember(now, t.Key, append(l.recall(t.Key), t.Facts...))
	return true
}
