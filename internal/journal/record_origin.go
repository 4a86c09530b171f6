package journal

import (
	"encoding/binary"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/processid"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

// A held span is stored with its resource and scope if these are short, or if it is the only held span of the resource. Else
// its record refers to a record of the resource and its scopes. So the stored bytes of a request stay below a few times its
// own size. The journal removes the shared record after the last one that refers to it.

// shortOrigin is how long a resource and scope may be on the wire, in bytes, to be stored with every span. They may also be
// as long as the span.
const shortOrigin = 256

// sharedOrigin is a record of one resource and of some of its scopes: those of the held spans of a batch.
type sharedOrigin struct {
	slot   uint32
	traces ptrace.Traces
	scopes map[*agentrun.Origin]int // by their places
}

// sharedOrigins has the shared records of a batch. The key of a record is the first origin of its resource.
type sharedOrigins map[*agentrun.Origin]*sharedOrigin

// share returns the shared records to which records of held spans will refer. Spans of one resource are neighbours in held.
func (j *Journal) share(held []agentrun.Anchor) sharedOrigins {
	var all sharedOrigins
	for len(held) > 0 {
		first, n := held[0].Origin.First, 1
		for n < len(held) && held[n].Origin.First == first {
			n++
		}
		for i := range held[:n] {
			if a := &held[i]; n > 1 && !hasShortOrigin(a) {
				if all == nil {
					all = make(sharedOrigins)
				}
				if all[first] == nil {
					all[first] = newShared(j.slot(), first)
				}
				all[first].add(a.Origin)
			}
		}
		held = held[n:]
	}
	return all
}

func hasShortOrigin(a *agentrun.Anchor) bool {
	return a.Origin.First.OfResource.Wire+a.Origin.OfScope.Wire <= max(shortOrigin, a.Wire)
}

func newShared(slot uint32, o *agentrun.Origin) *sharedOrigin {
	s := &sharedOrigin{slot: slot, traces: ptrace.NewTraces(), scopes: make(map[*agentrun.Origin]int)}
	o.Resource.CopyTo(s.traces.ResourceSpans().AppendEmpty())
	return s
}

func (s *sharedOrigin) add(o *agentrun.Origin) {
	if _, known := s.scopes[o]; !known {
		s.scopes[o] = len(s.scopes)
		o.Scope.CopyTo(s.traces.ResourceSpans().At(0).ScopeSpans().AppendEmpty())
	}
}

// encode returns the record of the resource and its scopes, as OTLP.
func (s *sharedOrigin) encode(now time.Time) ([]byte, error) {
	body, err := new(ptrace.ProtoMarshaler).MarshalTraces(s.traces)
	return EncodeRecord(KindOrigin, now, body), err
}

// of returns the shared record of a span, or nil.
func (all sharedOrigins) of(a *agentrun.Anchor) *sharedOrigin {
	if all == nil || hasShortOrigin(a) {
		return nil
	}
	return all[a.Origin.First]
}

// encode returns the record of a held span.
func (all sharedOrigins) encode(a *agentrun.Anchor, now time.Time) ([]byte, error) {
	s := all.of(a)
	if s == nil {
		body, err := encodeAnchor(a)
		return EncodeRecord(KindAnchor, now, body), err
	}
	td := ptrace.NewTraces()
	a.Held.CopyTo(td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	otlp, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	b := binary.AppendUvarint(nil, uint64(s.slot))
	b = binary.AppendUvarint(b, uint64(s.scopes[a.Origin]))
	return EncodeRecord(KindReferring, now, append(appendAnchor(b, a), otlp...)), err
}

// refer notes which of the records that were written refer to shared records.
func (j *Journal) refer(all sharedOrigins, held []agentrun.Anchor) {
	if all == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range held {
		if s := all.of(&held[i]); s != nil {
			j.origins.use(held[i].Record, s.slot)
		}
	}
}

// ResumeOrigin takes a shared record, for the records that refer to it.
func (j *Journal) ResumeOrigin(e Record) error {
	all, err := decodeOrigins(e.Body)
	if err == nil {
		j.resumed[e.Slot] = all
	}
	return err
}

// AnchorOf returns the held span of a record that the start found.
func (j *Journal) AnchorOf(e Record) (agentrun.Anchor, error) {
	if e.Kind == KindAnchor {
		return decodeAnchor(e.Body)
	}
	a, origin, err := decodeReferring(e.Body, j.resumed)
	if err == nil {
		j.origins.use(e.Slot, origin)
	}
	return a, err
}

// TidyOrigins removes shared records to which no record refers. The caller must have resumed all records.
func (j *Journal) TidyOrigins() {
	for slot := range j.resumed {
		if j.origins.users[slot] == 0 {
			j.Remove(slot)
		}
	}
	j.resumed = nil
}

// references says to which shared record each record refers, and how many records refer to each shared record.
type references struct {
	to    map[uint32]uint32
	users map[uint32]int
}

func (r *references) use(slot, origin uint32) {
	if r.to == nil {
		r.to, r.users = make(map[uint32]uint32), make(map[uint32]int)
	}
	r.to[slot] = origin
	r.users[origin]++
}

// leave forgets that a record refers to a shared record. It returns the shared record if no other record refers to it.
func (r *references) leave(slot uint32) (origin uint32, last bool) {
	origin, refers := r.to[slot]
	if !refers {
		return 0, false
	}
	delete(r.to, slot)
	r.users[origin]--
	if r.users[origin] > 0 {
		return 0, false
	}
	delete(r.users, origin)
	return origin, true
}

// storedOrigins has the origins of one resource, by the places of their scopes.
type storedOrigins struct {
	scopes  []*agentrun.Origin
	process agentrun.Process
}

// decodeOrigins reads the origins of a shared record.
func decodeOrigins(b []byte) (all storedOrigins, err error) {
	td, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(b)
	if err != nil || td.ResourceSpans().Len() != 1 || td.ResourceSpans().At(0).ScopeSpans().Len() == 0 || td.SpanCount() > 0 {
		return all, fmt.Errorf("%w: no resource with scopes", ErrCorrupt)
	}
	return originsOf(td.ResourceSpans().At(0)), nil
}

// originsOf takes the resource and its scopes, without spans. No bound applies: they were held before.
func originsOf(rs ptrace.ResourceSpans) (all storedOrigins) {
	resource := ptrace.NewResourceSpans()
	all.process = processid.Of(rs.Resource())
	rs.Resource().MoveTo(resource.Resource())
	resource.SetSchemaUrl(rs.SchemaUrl())
	w, _ := heldspans.ResourceWeight(resource)
	for _, ss := range rs.ScopeSpans().All() {
		o := &agentrun.Origin{Resource: resource, Scope: ptrace.NewScopeSpans(), OfResource: w}
		ss.Scope().MoveTo(o.Scope.Scope())
		o.Scope.SetSchemaUrl(ss.SchemaUrl())
		o.OfScope, _ = heldspans.ScopeWeight(o.Scope)
		all.scopes = append(all.scopes, o)
		o.First = all.scopes[0]
	}
	return all
}

// decodeReferring reads a held span whose record refers to a shared one, and gives it that origin.
func decodeReferring(b []byte, origins map[uint32]storedOrigins) (a agentrun.Anchor, slot uint32, err error) {
	var at [2]uint64
	for i := range at {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return a, 0, ErrCorrupt
		}
		at[i], b = n, b[size:]
	}
	slot = uint32(at[0])
	from := origins[slot]
	if at[0] != uint64(slot) || at[1] >= uint64(len(from.scopes)) {
		return a, 0, fmt.Errorf("%w: its resource is not there", ErrCorrupt)
	}
	a, rs, err := decodeSpan(b)
	if err != nil {
		return a, 0, err
	}
	takeSpan(&a, rs, from, int(at[1]))
	return a, slot, nil
}
