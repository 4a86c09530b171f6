package open

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// large is from how many facts on a log is examined at most once a second.
const (
	large = 1 << 10
	pause = int64(time.Second)
)

// dueOf is when a log is due. A run closes when its wait is over. Traces of one log close together, when the wait after the last
// anchor is over. Steps of a model and turns of a conversation follow when a tool is done or a user responds, so they wait for the idle
// timeout, as do the parts of an agent's run and calls without an anchor.
func (l *Logs) dueOf(g *log) int64 {
	at := l.idleAt(g)
	if anchor := l.waitsFrom(g); anchor != 0 {
		at = anchor + int64(l.set.Wait)
	}
	if g.examined != 0 && l.isLarge(g) {
		at = max(at, g.examined+pause)
	}
	return at
}

func (l *Logs) idleAt(g *log) int64 { return g.lastSeen + int64(l.set.IdleTimeout) }

// waitsFrom is when the wait of the log's anchors began, or 0 if they wait for the idle timeout.
func (l *Logs) waitsFrom(g *log) int64 {
	switch {
	case g.firstAnchor == 0, g.parts, l.set.Conversations && g.conversation, g.step && !slices.ContainsFunc(g.state, func(s traceState) bool { return s.best <= evidence.Workflow }):
		return 0
	case len(g.Traces) > 1:
		return g.lastAnchor
	}
	return g.firstAnchor
}

func (l *Logs) isLarge(g *log) bool {
	n := 0
	for i := range g.Traces {
		n += len(g.Traces[i].Facts) + len(g.Traces[i].Links)
	}
	return n > large
}

// resending is how long senders repeat what was refused. Exporters of collectors do it for five minutes.
const resending = 10 * time.Minute

// awaits reports whether an agent's span was seen and is not held, because its batch is under way or was refused.
func (g *log) awaits() bool {
	for i := range g.Traces {
		t, closed := &g.Traces[i], place{g, i}.closed()
		held := make(map[pcommon.SpanID]bool, len(t.Held))
		for k := range t.Held {
			held[t.Held[k].ID] = true
		}
		for k := range t.Facts {
			f := &t.Facts[k]
			if f.Kind == evidence.Agent && !f.Closed && !f.ID.IsEmpty() && !held[f.ID] && pastOf(closed, &f.Span) == nil {
				return true
			}
		}
	}
	return false
}

// Drop forgets a log that was taken out, and remembers nothing of it.
func (l *Logs) Drop(now time.Time, e *Examination) {
	for i := range e.Traces {
		e.Traces[i] = evidence.Trace{Key: e.Traces[i].Key}
	}
	l.Return(now, e)
}

// An Examination is a log that was taken out, to be examined without a lock, and then given back.
type Examination struct {
	evidence.Log
	runs.Examination
	// Records are the slots of what is stored of the log. Whoever examines it replaces them by what is left.
	Records []uint64
	// Closed is what closed, and Retained the size of that and of what is left of the log. Whoever examines it sets both.
	Closed   runs.Closed
	Retained int64
	from     *log              // nil if no log has what closed
	one      [1]evidence.Trace // memory for one trace, and for one run
	oneRun   [1]runs.Run
}

// Take takes out a log that is due, if there is one.
func (l *Logs) Take(now time.Time) (*Examination, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := now.UnixNano()
	for len(l.due) > 0 && l.due[0].dueAt <= at {
		g := l.due[0]
		if due := l.dueOf(g); due > at { // it was seen since
			l.postpone(g, due)
			continue
		}
		if l.askRoots(g) { // it may have to wait for others
			continue
		}
		anchor, resent := l.waitsFrom(g), l.idleAt(g)+int64(resending)
		if anchor == 0 && resent > at && !l.set.Replay && (g.refused || g.awaits()) {
			l.postpone(g, resent)
			continue
		}
		if pending := g.lastSeen + int64(l.set.PendingTimeout); pending > at && l.set.Conversations && g.conversation && !l.set.Replay && runs.IsPending(&g.Log) {
			l.postpone(g, pending)
			continue
		}
		final := l.idleAt(g) <= at && (anchor == 0 || anchor+int64(l.set.Wait) <= at)
		return l.take(now, g, runs.Examination{Due: cmp.Or(l.arrivedBy(now, g), at), Final: final, By: evidence.ByIdle}), true
	}
	return nil, false
}

// arrivedBy is until when anchors of a log arrived whose wait is over: those that arrived by then have waited long enough. It is 0 if
// its traces wait for each other, or for the idle timeout.
func (l *Logs) arrivedBy(now time.Time, g *log) int64 {
	if len(g.Traces) > 1 || l.waitsFrom(g) == 0 { // they wait for each other
		return 0
	}
	return now.UnixNano() - int64(l.set.Wait)
}

// TakeAny takes out any log, for a reason that closes all of it.
func (l *Logs) TakeAny(now time.Time, by evidence.CloseReason) (*Examination, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if by == evidence.ByShutdown && !l.ending {
		l.ending = true
		l.askAllRoots()
	}
	for g := l.idle.next; g != &l.idle; g = g.next { // the one that has been idle longest
		if g.out > 0 {
			continue
		}
		return l.take(now, g, runs.Examination{Due: l.arrivedBy(now, g), Final: true, By: by}), true
	}
	return nil, false
}

// TakeFull takes out the log of a trace that has as many anchors as may wait. In a replay no trace is full.
func (l *Logs) TakeFull(now time.Time, k evidence.Key) (*Examination, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, open := l.traces[k]
	if !open || l.set.Replay || at.log.out > 0 || at.log.state[at.at].anchors < MaxAnchors {
		return nil, false
	}
	return l.take(now, at.log, runs.Examination{Due: l.arrivedBy(now, at.log), Final: true, By: evidence.ByLimit}), true
}

// take takes the evidence out of a log.
func (l *Logs) take(now time.Time, g *log, x runs.Examination) *Examination {
	l.unschedule(g)
	g.out, g.examined = 1, now.UnixNano()
	x.Now, x.Replay, x.UnderWay, x.Lost = now, l.set.Replay, l.set.UnderWay, l.past.Lost()
	x.Parted, x.Protocol, x.Elsewhere = g.parted, l.protocolOf(g.Traces[0].Key.Partition), l.summariesOf(g.Traces[0].Key.Partition)
	if x.By == evidence.ByLimit {
		for _, of := range g.ids {
			l.evicted.Put(of.id, struct{}{}, 0, now.UnixNano())
		}
		g.parted = true // what comes now is of the same traces
	}
	e := &Examination{Records: g.records, from: g}
	x.Memory = e.oneRun[:0]
	e.Examination, g.records = x, nil
	e.Traces = append(e.one[:0], g.Traces...)
	clear(g.Traces)
	for i := range e.Traces {
		s := &g.state[i]
		l.open -= int64(max(1, s.anchors))
		g.Traces[i].Key, s.closed, s.anchors, s.spare = e.Traces[i].Key, 0, 0, 0
	}
	l.grow(g, -g.size)
	return e
}

// Return puts back what an examination left. If nothing is left, the log is forgotten, and it returns its records, which are obsolete. The
// examination must not be used after that.
func (l *Logs) Return(now time.Time, e *Examination) []uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := e.from
	if g == nil {
		return nil
	}
	for g.into != nil {
		g = g.into
	}
	l.grow(g, logBytes)
	g.out--
	for i := range e.Traces {
		rest := &e.Traces[i]
		at := l.traces[rest.Key] // which is of g
		t, s := &g.Traces[at.at], &g.state[at.at]
		l.open -= int64(max(0, s.anchors-1)) // those that came meanwhile
		rest.Facts, rest.Links, rest.Held = append(rest.Facts, t.Facts...), append(rest.Links, t.Links...), append(rest.Held, t.Held...)
		rest.Cut = max(rest.Cut, t.Cut)
		l.grow(g, rest.Size()-t.Size())
		*t = *rest
		at.count()
		l.weigh(at)
		l.open += int64(max(1, s.anchors))
	}
	g.records = append(g.records, e.Records...)
	g.firstAnchor, g.lastAnchor = 0, 0
	empty := true
	for i := range g.Traces {
		empty = empty && g.Traces[i].IsEmpty()
		for k := range g.Traces[i].Held {
			if h := &g.Traces[i].Held[k]; h.Kind != evidence.Tool {
				g.noteAnchors(h.Arrived, h.Arrived)
			}
		}
	}
	if empty && g.out == 0 {
		l.retire(now, g)
		return g.records
	}
	l.schedule(g)
	return nil
}

// noteAnchors notes when the first and the last of some anchors arrived, 0 without any.
func (g *log) noteAnchors(first, last int64) {
	if g.firstAnchor == 0 || first != 0 && first < g.firstAnchor {
		g.firstAnchor = first
	}
	g.lastAnchor = max(g.lastAnchor, last)
}

// schedule sees that a log is looked at when it is due. If its due time moved to a later one, Take finds it early once and schedules it
// anew.
func (l *Logs) schedule(g *log) {
	if g.out > 0 || g.into != nil {
		return
	}
	due := l.dueOf(g)
	if g.dueIndex < 0 {
		g.dueAt = due
		heap.Push(&l.due, g)
	} else if due < g.dueAt {
		l.postpone(g, due)
	}
}

// postpone moves the time when a log is looked at.
func (l *Logs) postpone(g *log, due int64) {
	g.dueAt = due
	heap.Fix(&l.due, g.dueIndex)
}

func (l *Logs) unschedule(g *log) {
	if g.dueIndex >= 0 {
		heap.Remove(&l.due, g.dueIndex)
	}
}

// queue is a heap of logs, in which the first one that is due is in front.
type queue []*log

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, k int) bool { return q[i].dueAt < q[k].dueAt }
func (q queue) Swap(i, k int) {
	q[i], q[k] = q[k], q[i]
	q[i].dueIndex, q[k].dueIndex = i, k
}

func (q *queue) Push(g any) {
	g.(*log).dueIndex = len(*q)
	*q = append(*q, g.(*log))
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	g := (*q)[last]
	(*q)[last], g.dueIndex = nil, -1
	*q = (*q)[:last]
	return g
}
