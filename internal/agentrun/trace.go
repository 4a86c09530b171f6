package agentrun

import (
	"cmp"
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// What the parts of a trace keep alive, in bytes, measured once and rounded up.
const (
	traceBytes  = 400
	recordBytes = 96
	linkBytes   = 20
	anchorBytes = 400
	pastBytes   = 72
	rankBytes   = 48
)

// trace is what is known of one agentic trace.
type trace struct {
	id         pcommon.TraceID
	prev, next *trace // in Buffer.quiet
	lastSeen   time.Time
	gone       bool // retired; what still points here passes it over

	// links are span to parent. They become an index when the trace is first settled, because most traces are
	// settled once, and a slice is half the size.
	links  []link
	index  map[pcommon.SpanID]pcommon.SpanID
	chased pcommon.SpanID // the ancestor that was looked up last

	// ranks are the places of calls in the answers of models, by call id; those in the first place have none.
	ranks map[string]uint16

	calls     []record // those that wait for their run
	called    bool     // the trace has, or had, calls
	truncated bool     // calls were left out
	waiting   []waiting
	tiers     [Root + 1]bool // the tiers of all anchors so far
	past      past
	size      int
}

type link struct{ id, parent pcommon.SpanID }

type waiting struct {
	Anchor
	until time.Time
}

// record is a Call while it waits. Few calls have payloads that somebody will read, so those stand apart.
type record struct {
	id, parent   pcommon.SpanID
	start, end   pcommon.Timestamp
	name, callID string
	payloads     *payloads
	status       scoring.CallStatus
	kind         scoring.ToolType
	rank         uint16 // the place in the model's answer; set when it is settled
}

type payloads struct{ arguments, output scoring.Payload }

func (r *record) span() Span {
	return Span{ID: r.id, Parent: r.parent, Start: r.start, End: r.end}
}

// size is what r keeps alive. Names are counted in recordBytes, as most are short.
func (r *record) size() int {
	if r.payloads == nil {
		return recordBytes
	}
	return recordBytes + 48 + r.payloads.arguments.Size() + r.payloads.output.Size()
}

// absorb fills in what r does not tell from another span of the same call.
func (r *record) absorb(o record) {
	r.callID = cmp.Or(r.callID, o.callID)
	r.status = max(r.status, o.status)
	if o.payloads == nil {
		return
	}
	p := *o.payloads
	if r.payloads != nil {
		p = payloads{r.payloads.arguments.Or(p.arguments), r.payloads.output.Or(p.output)}
	}
	r.payloads = &p
}

// compareRecords is the order of calls: start, place in the model's answer, end, span id. Clocks that tick in
// milliseconds give the calls of one answer the same start.
func compareRecords(a, b record) int {
	return cmp.Or(
		cmp.Compare(a.start, b.start),
		cmp.Compare(a.rank, b.rank),
		compareSpans(a.span(), b.span()),
		cmp.Compare(a.name, b.name),
	)
}

// rank notes the places of calls in a model's answer, and returns by how many bytes t grew. An id that stands in
// several answers has its first place.
func (t *trace) rank(ids []string) int {
	grown := 0
	for i, id := range ids[1:min(len(ids), math.MaxUint16)] {
		place := uint16(i + 1)
		if known, ok := t.ranks[id]; ok {
			place = min(place, known)
		} else {
			grown += rankBytes + len(id)
		}
		if t.ranks == nil {
			t.ranks = make(map[string]uint16)
		}
		t.ranks[id] = place
	}
	return grown
}

// call is the record as the outside sees it.
func (r *record) call(id pcommon.TraceID) Call {
	c := Call{Span: r.span(), CallID: r.callID}
	c.Trace = id
	c.Name, c.Status, c.Type = r.name, r.status, r.kind
	if r.payloads != nil {
		c.Arguments, c.Output = r.payloads.arguments, r.payloads.output
	}
	return c
}

// addCall returns by how many bytes t grew.
func (t *trace) addCall(r record, limit int) int {
	t.called = true
	shrunk := 0
	if len(t.calls) >= limit {
		if shrunk = t.dropRepeats(); len(t.calls) >= limit {
			t.truncated = true
			return -shrunk
		}
	}
	t.calls = append(t.calls, r)
	return r.size() - shrunk
}

// dropRepeats drops calls whose span came again, say in a retried export, and returns how many bytes that freed.
func (t *trace) dropRepeats() int {
	freed := 0
	seen := make(map[pcommon.SpanID]struct{}, len(t.calls))
	t.calls = slices.DeleteFunc(t.calls, func(r record) bool {
		_, again := seen[r.id]
		again = again && !r.id.IsEmpty()
		seen[r.id] = struct{}{}
		if again {
			freed += r.size()
		}
		return again
	})
	return freed
}

func (t *trace) addLink(id, parent pcommon.SpanID) {
	if t.index != nil {
		t.index[id] = parent
		return
	}
	t.links = append(t.links, link{id, parent})
}

func (t *trace) linkCount() int { return max(len(t.links), len(t.index)) }

// parents is the index of all links. The first link of a span stands.
func (t *trace) parents() map[pcommon.SpanID]pcommon.SpanID {
	if t.index == nil {
		t.index = make(map[pcommon.SpanID]pcommon.SpanID, len(t.links))
		for _, l := range t.links {
			t.index[l.id] = l.parent
		}
		t.links = nil
	}
	return t.index
}

// hasDue reports whether the wait of an anchor is over.
func (t *trace) hasDue(now time.Time) bool {
	return slices.ContainsFunc(t.waiting, func(w waiting) bool { return !w.until.After(now) })
}

func (t *trace) unlink() {
	t.prev.next, t.next.prev = t.next, t.prev
	t.prev, t.next = nil, nil
}

func (t *trace) insertBefore(o *trace) {
	t.prev, t.next = o.prev, o
	o.prev.next, o.prev = t, t
}
