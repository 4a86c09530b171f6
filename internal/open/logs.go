package open

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/bounded"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// Settings say how long logs stay open, and how large they become.
type Settings struct {
	runs.Options
	// Wait is how long calls still count after their anchor arrived.
	Wait time.Duration
	// IdleTimeout closes a trace without an anchor, a conversation and steps of models, this long after the last span.
	IdleTimeout time.Duration
	// UnderWay is that of [runs.Examination].
	UnderWay func(*evidence.Span) bool
	// PendingTimeout is that of a conversation while the last tool request has no result. If it is shorter, IdleTimeout counts.
	PendingTimeout time.Duration
	// Parents has the links of a trace that came before it was known to be agentic, and Agentic counts the traces that are open.
	Parents *lookup.ParentCache
	Agentic *lookup.AgenticFilter
	// Replay: all spans come before anything is due.
	Replay bool
	// PastBytes is how many bytes the closed runs may take that are remembered.
	PastBytes int
}

// Logs are the open logs. Its methods may be called by several goroutines.
type Logs struct {
	set  *Settings
	seed hashSeed

	mu        sync.Mutex // guards all below
	traces    map[evidence.Key]place
	shared    map[uint64]sighting
	idle      log // the ring of logs by last activity: idle.next has been idle longest
	due       queue
	size      int64
	open      int64
	ending    bool // all logs close
	past      *bounded.Table[uint64, pastRun]
	protocol  *bounded.Table[protocolKey, []protocolSpan]
	summaries *bounded.Table[evidence.Sender, []*runs.Summary] // of those who send steps of models
	// evicted has the IDs of logs that a limit closed.
	evicted *bounded.Table[uint64, struct{}]
}

// maxEvicted is how many IDs of logs that a limit closed are remembered.
const maxEvicted = 1 << 14

// place is a trace of a log.
type place struct {
	log *log
	at  int
}

// A log is open.
type log struct {
	evidence.Log
	state      []traceState // by trace
	prev, next *log
	lastSeen   int64
	dueAt      int64 // when it is looked at; it may turn out that it is not due
	dueIndex   int   // in due, or -1
	examined   int64
	// firstAnchor and lastAnchor are when the first and the last of the anchors arrived that wait, or 0.
	firstAnchor, lastAnchor int64
	size                    int
	ids                     []idOf // by which it is found
	conversation, step      bool
	parts                   bool     // it has parts of an agent's run
	asked                   bool     // its roots were asked for their conversations
	parted                  bool     // see [runs.Examination]
	refused                 bool     // a span was refused that may represent a run
	out                     int      // how many examinations of its traces are under way
	records                 []uint64 // the slots of its stored records
	into                    *log     // the log with which it was united while it was examined
	// one and oneState are the memory for one trace, which is the usual case.
	one      [1]evidence.Trace
	oneState [1]traceState
}

// traceState is what is known of all spans of an open trace, whether they have left or not.
type traceState struct {
	best   evidence.Kind // the lowest kind of its spans
	called bool
	// own: a protocol's spans of the trace are not alone, so they are of calls of this trace.
	own    bool
	calls  int // that wait, and how many a model asked for
	closed int // how many closed runs are known; they are the first of the facts
	// anchors is how many held spans wait that may represent a run. Each counts as an open run, and a trace without any as one.
	anchors int
	spare   int // how much of the log's size is the trace's memory for more
}

// closed returns the closed runs that are known of a trace.
func (at place) closed() []evidence.Fact {
	return at.log.Traces[at.at].Facts[:at.log.state[at.at].closed]
}

// count counts what a trace has after it has changed, and puts closed runs first.
func (at place) count() {
	t, s := &at.log.Traces[at.at], &at.log.state[at.at]
	s.anchors = 0
	for i := range t.Held {
		if t.Held[i].Kind != evidence.Tool {
			s.anchors++
		}
	}
	facts := t.Facts
	s.calls, s.closed = 0, 0
	for i := range facts {
		if facts[i].Closed {
			facts[s.closed], facts[i] = facts[i], facts[s.closed]
			s.closed++
			continue
		}
		if facts[i].Call != nil {
			s.calls++
		}
		if r := facts[i].Response; r != nil {
			s.calls += len(r.Requests)
		}
	}
}

// New returns empty Logs. The settings must not change once a span has come.
func New(set *Settings) *Logs {
	l := &Logs{
		set: set, traces: make(map[evidence.Key]place), shared: make(map[uint64]sighting),
		seed:      hashSeed{maphash.MakeSeed(), maphash.MakeSeed(), maphash.MakeSeed()},
		past:      bounded.New[uint64, pastRun](maxPast, set.PastBytes),
		protocol:  bounded.New[protocolKey, []protocolSpan](maxProtocol, protocolBytes),
		summaries: bounded.New[evidence.Sender, []*runs.Summary](maxProcesses, max(set.PastBytes/4, 1<<16)),
		evicted:   bounded.New[uint64, struct{}](maxEvicted, maxEvicted*128),
	}
	l.idle.prev, l.idle.next = &l.idle, &l.idle
	return l
}

// Size is how many bytes the logs keep alive, and Open how many runs are open: a trace without an anchor counts as one.
func (l *Logs) Size() (size, open int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size + int64(len(l.shared))*sightingBytes + int64(l.past.Bytes()+l.protocol.Bytes()+l.summaries.Bytes()), l.open
}

// sightingBytes is how many bytes an ID takes that was seen, in the table.
const sightingBytes = 104

const (
	// maxLinks is how many links of ordinary spans a trace keeps. A chain that needs more is broken.
	maxLinks = 1 << 16
	// MaxAnchors bounds how many anchors of one trace may wait.
	MaxAnchors = 1 << 12
)

// Append adds facts, all of one trace, and returns whether the trace is open then. For each call among them that is late, it returns
// how long ago its run closed.
func (l *Logs) Append(now time.Time, k evidence.Key, facts []evidence.Fact) (open bool, late []time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, open, past := l.known(k)
	for i := range facts {
		f := &facts[i]
		if !open {
			if closed := l.lateFor(past, f); closed != nil {
				ago := now.Sub(time.Unix(0, closed.ClosedAt))
				late = append(late, slices.Repeat([]time.Duration{ago}, l.set.CallsOf(f))...)
				l.noteProtocol(now, &k, f)
				continue
			}
			at, open = l.begin(now, k, past), true
			at.log.one[0].Facts = slices.Grow(at.log.one[0].Facts, len(facts))
		}
		at = l.addFact(now, at, f)
	}
	if open {
		l.touch(at, now)
	}
	return open, late
}

// addFact adds a fact to its trace, and unites its log with others that have one of its IDs. It returns the place of the trace.
func (l *Logs) addFact(now time.Time, at place, f *evidence.Fact) place {
	l.noteProtocol(now, &at.log.Traces[at.at].Key, f)
	l.add(at, f)
	return l.find(at, f)
}

// add adds a fact to its trace, without the calls that are too many.
func (l *Logs) add(at place, f *evidence.Fact) {
	t, s := &at.log.Traces[at.at], &at.log.state[at.at]
	s.best = min(s.best, f.Kind)
	s.own = s.own || f.Kind != evidence.None || f.Step || f.Response != nil || f.Call != nil && !f.Call.Traits.MCP
	n := 0
	if f.Call != nil {
		s.called = true
		n++
	}
	if r := f.Response; r != nil {
		counts := l.set.Sources == runs.Messages || l.set.Sources == runs.Auto && (r.MessagesOnly || r.Ran())
		s.called = s.called || counts && r.Shares == nil
		n += len(r.Requests)
		at.log.step = at.log.step || r.MessagesOnly && f.Parent.IsEmpty() && !r.OfAgent
	}
	if f.Conversation != "" {
		at.log.conversation, at.log.parts = true, at.log.parts || f.IsPart()
	}
	if n > 0 && s.calls+n > l.set.MaxCalls {
		t.Cut = max(t.Cut, f.End)
		l.addLink(at, f.Link())
		return
	}
	s.calls += n
	t.Add(f)
	l.grow(at.log, f.Size())
}

// AppendLinks adds links of ordinary spans, if their trace is open.
func (l *Logs) AppendLinks(now time.Time, k evidence.Key, links []evidence.Link) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, open := l.traces[k]
	if !open {
		return false
	}
	for _, link := range links {
		l.addLink(at, link)
	}
	l.touch(at, now)
	return true
}

func (l *Logs) addLink(at place, link evidence.Link) {
	t := &at.log.Traces[at.at]
	if len(t.Links) < maxLinks && !link.ID.IsEmpty() {
		t.Links = append(t.Links, link)
		l.grow(at.log, evidence.LinkBytes)
	}
}

// known returns the place of a trace, if it is open, and the closed runs that are known of it.
func (l *Logs) known(k evidence.Key) (at place, open bool, past []evidence.Fact) {
	if at, open = l.traces[k]; open {
		return at, true, at.closed()
	}
	return at, false, l.recall(k)
}

// ShouldHold reports whether a span of that kind must be held. The facts of its batch must have been appended before.
func (l *Logs) ShouldHold(k evidence.Key, s *evidence.Span, kind evidence.Kind) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, open, past := l.known(k)
	if closed := pastOf(past, s); closed != nil && !closed.ID.IsEmpty() {
		return false
	}
	switch {
	case kind == evidence.Agent: // whether or not a limit has closed the trace since it was seen
		return true
	case !open:
		return false
	case kind == evidence.Tool:
		return !s.ID.IsEmpty() && len(at.log.Traces[at.at].Held) < l.set.MaxCalls
	case l.set.WholeTrace:
		return true
	}
	st := &at.log.state[at.at]
	return kind <= st.best && (kind == evidence.Workflow || st.called)
}

// Hold takes a span, whose wait begins now. A copy of an anchor whose run has closed is not taken. If the run closed without its
// anchor, late says so.
func (l *Logs) Hold(now time.Time, h evidence.Held) (taken bool, late *runs.Run) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, open, past := l.known(h.Key())
	if h.Kind == evidence.Tool {
		if !open {
			return false, nil
		}
	} else if closed := pastOf(past, &h.Span); closed != nil {
		if !closed.ID.IsEmpty() {
			return false, nil
		}
		return false, &runs.Run{Trace: h.Trace, Anchors: []evidence.Held{h}, ClosedBy: closed.ClosedBy, Doubts: runs.AnchorLate}
	}
	if !open {
		at = l.begin(now, h.Key(), past)
	}
	h.Arrived, at.log.refused = now.UnixNano(), false
	at = l.keep(at, &h)
	l.touch(at, now)
	return true, nil
}

// keep adds a held span, and unites its log with others of its conversation, unless it is a root. It returns the place of the span's trace.
func (l *Logs) keep(at place, h *evidence.Held) place {
	t, s := &at.log.Traces[at.at], &at.log.state[at.at]
	t.Held = append(t.Held, *h)
	l.grow(at.log, evidence.HeldBytes+h.Size)
	if h.Kind != evidence.Tool {
		if s.anchors++; s.anchors > 1 {
			l.open++
		}
		at.log.noteAnchors(h.Arrived, h.Arrived)
	}
	if h.Kind != evidence.Root {
		return l.converse(at, h)
	}
	at.log.asked = false
	return at
}

// begin opens a trace.
func (l *Logs) begin(now time.Time, k evidence.Key, past []evidence.Fact) place {
	g := &log{lastSeen: now.UnixNano(), dueIndex: -1}
	g.Traces, g.state = g.one[:], g.oneState[:]
	t, st := &g.one[0], &g.oneState[0]
	t.Key, t.Facts = k, append(t.Facts, past...)
	t.Links = l.set.Parents.AppendTo(t.Links, lookup.KeyOf(k))
	st.closed, st.best = len(past), evidence.None
	for i := range past {
		if past[i].Kind != evidence.Agent || !past[i].ID.IsEmpty() {
			st.best = min(st.best, past[i].Kind)
		}
		l.past.Remove(l.seed.ofRun(k, i))
	}
	at := place{g, 0}
	l.traces[k] = at
	g.prev, g.next = l.idle.prev, &l.idle
	g.prev.next, l.idle.prev = g, g
	l.open++
	l.grow(g, t.Size()+logBytes)
	l.set.Agentic.Add(lookup.KeyOf(k))
	return at
}

// logBytes is how many bytes a log takes besides its traces, and traceStateBytes its place in the tables.
const logBytes = 450

func (l *Logs) grow(g *log, by int) {
	g.size += by
	l.size += int64(by)
}

// weigh counts the memory that a trace has for more.
func (l *Logs) weigh(at place) {
	s, spare := &at.log.state[at.at], at.log.Traces[at.at].Spare()
	l.grow(at.log, spare-s.spare)
	s.spare = spare
}

// touch makes the log of a trace that has grown the one that was seen last, and sees that it is looked at in time.
func (l *Logs) touch(at place, now time.Time) {
	g := at.log
	if freed, tidied := g.Traces[at.at].Tidy(); tidied {
		l.grow(g, -freed)
		at.count()
	}
	l.weigh(at)
	if at := now.UnixNano(); at >= g.lastSeen {
		g.lastSeen = at
		g.prev.next, g.next.prev = g.next, g.prev
		g.prev, g.next = l.idle.prev, &l.idle
		g.prev.next, l.idle.prev = g, g
	}
	l.schedule(g)
}

// retire forgets a log, and remembers what recognizes its late spans.
func (l *Logs) retire(now time.Time, g *log) {
	g.prev.next, g.next.prev = g.next, g.prev
	l.unschedule(g)
	l.leave(g)
	for i := range g.Traces {
		t := &g.Traces[i]
		delete(l.traces, t.Key)
		l.remember(now, t.Key, place{g, i}.closed())
		l.set.Agentic.Remove(lookup.KeyOf(t.Key))
		l.open--
	}
	l.size -= int64(g.size)
}

// Track notes that facts of a trace are stored in a slot. It is false if the trace is not open, and then nothing needs to be stored.
func (l *Logs) Track(k evidence.Key, slot uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, open := l.traces[k]
	if open {
		at.log.records = append(at.log.records, slot)
		l.grow(at.log, 8)
	}
	return open
}

// Untrack undoes Track. It is false if the log has been taken out since.
func (l *Logs) Untrack(k evidence.Key, slot uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, open := l.traces[k]
	if !open {
		return false
	}
	i := slices.Index(at.log.records, slot)
	if i >= 0 {
		at.log.records = slices.Delete(at.log.records, i, i+1)
	}
	return i >= 0
}

// Restore adds the evidence of a trace that was stored. Its held spans have waited since they arrived. None of it is late: what was late
// was not stored.
func (l *Logs) Restore(now time.Time, t *evidence.Trace, slot uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, open := l.traces[t.Key]
	if !open {
		at = l.begin(now, t.Key, l.recall(t.Key))
	}
	for i := range t.Facts {
		at = l.addFact(now, at, &t.Facts[i])
	}
	for _, link := range t.Links {
		l.addLink(at, link)
	}
	in := &at.log.Traces[at.at]
	in.Cut = max(in.Cut, t.Cut)
	for i := range t.Held {
		at = l.keep(at, &t.Held[i])
	}
	at.log.records = append(at.log.records, slot)
	at.count()
	l.touch(at, now)
}

// Await says that held spans were refused with their batch. Their sender tries again, so their logs stay open for longer.
func (l *Logs) Await(held []evidence.Held) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range held {
		if at, open := l.traces[held[i].Key()]; open && held[i].Kind != evidence.Tool {
			at.log.refused = true
		}
	}
}
