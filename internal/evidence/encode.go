package evidence

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The stored form of a trace is its key and Cut, then its facts, links and held spans, each after their number. Numbers are
// uvarints and texts follow their length. Times, IDs and hashes have a fixed length, little endian, except that an end is
// its distance from the start. Last is the OTLP of the held spans, without a length: each scope once for
// each [Origin], below its resource, which is there once for each first origin.
//
// The numbers of kinds, reasons, statuses and types are stored as they are, and so are the bits of flags. They must not
// change while the version of the journal's records stays the same.

// ErrCorrupt says that bytes are not what [Trace.AppendBinary] wrote.
var ErrCorrupt = errors.New("not the evidence of a trace")

// These are the least that an item takes when it is stored, in bytes. A number of items that does not fit into the rest of
// the bytes is refused before there is memory for the items.
const (
	minFact    = 30 // without a process, a scope and a time of closing
	minLink    = 16
	minHeld    = 21
	minRequest = 6
	minResult  = 4
	minShare   = 3
	minMessage = 1
)

// AppendBinary appends the stored form of t. The facts and held spans must be of the trace that t.Key says.
func (t *Trace) AppendBinary(b []byte) ([]byte, error) {
	s := stored{b: b}
	s.evidence(t)
	if err := s.writeHeld(t); err != nil {
		return b, err
	}
	return s.b, nil
}

// DecodeTrace reads what [Trace.AppendBinary] wrote. Its error is an [ErrCorrupt]. It keeps no part of b.
//
// The caller must weigh the held spans: their Size and Wire are zero, and so are OfResource, OfScope and the users of their
// origins. The spans of one origin share it again, and so do the origins of one resource.
//
// Whatever b is, the evidence takes at most 20 times its length in memory, and the held spans what any receiver of OTLP
// spends on spans of that length.
func DecodeTrace(b []byte) (Trace, error) {
	s := stored{b: b, reads: true}
	var t Trace
	s.evidence(&t)
	s.readHeld(&t)
	if s.bad || len(s.b) > 0 {
		return Trace{}, fmt.Errorf("%w: it ends early, or has a value out of its range", ErrCorrupt)
	}
	return t, nil
}

// stored is the stored form of a trace while it is written or, if reads is set, read. Its methods do both, so that the form of each value
// is said once: they append a value to b, or take it from the front of b and set it. A value that is missing or out of its range makes
// the form bad, and whatever is read after that means nothing. What is written is not changed.
type stored struct {
	b     []byte
	reads bool
	bad   bool
}

// bytes writes all, or reads as many bytes.
func (s *stored) bytes(all []byte) {
	if s.reads {
		copy(all, s.take(uint64(len(all))))
	} else {
		s.b = append(s.b, all...)
	}
}

// take reads n bytes.
func (s *stored) take(n uint64) []byte {
	if s.bad || n > uint64(len(s.b)) {
		s.bad = true
		return nil
	}
	taken := s.b[:n]
	s.b = s.b[n:]
	return taken
}

func (s *stored) fixed(n *uint64) {
	if !s.reads {
		s.b = binary.LittleEndian.AppendUint64(s.b, *n)
	} else if b := s.take(8); len(b) == 8 {
		*n = binary.LittleEndian.Uint64(b)
	}
}

// number returns n, or what is read in its place.
func (s *stored) number(n uint64) uint64 {
	if !s.reads {
		s.b = binary.AppendUvarint(s.b, n)
		return n
	}
	n, size := binary.Uvarint(s.b)
	if s.bad || size <= 0 {
		s.bad = true
		return 0
	}
	s.b = s.b[size:]
	return n
}

// count is number for one of items. Each takes least bytes or more behind it; 0: they do not follow.
func (s *stored) count(n, least int) int {
	read := s.number(uint64(n)) //nolint:gosec // not negative
	if read > math.MaxInt || s.reads && least > 0 && read > uint64(len(s.b)/least) {
		s.bad = true
		return 0
	}
	return int(read)
}

func (s *stored) text(t *string) {
	n := s.number(uint64(len(*t)))
	if s.reads {
		*t = string(s.take(n))
	} else {
		s.b = append(s.b, *t...)
	}
}

func (s *stored) payload(p *scoring.Payload) {
	n := s.number(uint64(p.BinarySize())) //nolint:gosec // not negative
	if !s.reads {
		s.b, _ = p.AppendBinary(s.b) // it never fails
	} else if b := s.take(n); !s.bad && p.UnmarshalBinary(b) != nil {
		s.bad = true
	}
}

// flags packs up to eight flags into a byte, the first one lowest.
func (s *stored) flags(set ...*bool) {
	var b byte
	for i, is := range set {
		if *is && !s.reads {
			b |= 1 << i
		}
	}
	upTo(s, &b, byte(1<<len(set)-1))
	for i := range set {
		if s.reads {
			*set[i] = b&(1<<i) != 0
		}
	}
}

// upTo is a byte that is at most highest.
func upTo[T ~uint8](s *stored, v *T, highest T) {
	if !s.reads {
		s.b = append(s.b, byte(*v))
	} else if b := s.take(1); len(b) == 1 && T(b[0]) <= highest {
		*v = T(b[0])
	} else {
		s.bad = true
	}
}

// list is the number of items, which take least bytes or more each, and then the items. Of none that are read it makes nil.
func list[T any](s *stored, all *[]T, least int, item func(*T)) {
	n := s.count(len(*all), least)
	if s.reads && n > 0 {
		*all = make([]T, n)
	}
	for i := range *all {
		item(&(*all)[i])
	}
}

// evidence is all but the held spans.
func (s *stored) evidence(t *Trace) {
	s.bytes(t.Key.Trace[:])
	s.fixed(&t.Key.Partition)
	cut := s.number(uint64(t.Cut))
	if s.reads {
		t.Cut = pcommon.Timestamp(cut)
	}
	last := &Fact{}
	list(s, &t.Facts, minFact, func(f *Fact) {
		s.fact(f, last)
		if last = f; s.reads {
			f.Trace = t.Key.Trace
		}
	})
	s.links(t)
}

// fact is f. Nearly all facts of a batch have one process and scope, which are those of the last fact if they are not there.
func (s *stored) fact(f, last *Fact) {
	sender, hasTime := f.Process != last.Process || f.Scope != last.Scope, f.ClosedAt != 0
	hasCall, hasResponse := f.Call != nil, f.Response != nil
	s.flags(&f.Step, &f.Closed, &f.Judged, &hasCall, &hasResponse, &sender, &hasTime, &f.Models)
	upTo(s, &f.Kind, None)
	upTo(s, &f.ClosedBy, ByShutdown)
	s.bytes(f.ID[:])
	s.bytes(f.Parent[:])
	s.fixed((*uint64)(&f.Start))
	length := s.number(uint64(f.End - f.Start)) // which wraps around if the end is before the start
	if s.reads {
		f.End, f.Process, f.Scope = f.Start+pcommon.Timestamp(length), last.Process, last.Scope
	}
	if sender {
		s.fixed((*uint64)(&f.Process))
		var scope [4]byte
		binary.LittleEndian.PutUint32(scope[:], uint32(f.Scope))
		if s.bytes(scope[:]); s.reads {
			f.Scope = Scope(binary.LittleEndian.Uint32(scope[:]))
		}
	}
	if hasTime {
		at := uint64(f.ClosedAt) //nolint:gosec // the bits
		s.fixed(&at)
		if s.reads {
			f.ClosedAt = int64(at) //nolint:gosec // the bits
		}
	}
	s.text(&f.Agent)
	s.text(&f.Conversation)
	if hasCall {
		if s.reads {
			f.Call = new(Call)
		}
		s.call(f.Call)
	}
	if hasResponse {
		if s.reads {
			f.Response = new(Response)
		}
		s.response(f.Response)
	}
}

func (s *stored) call(c *Call) {
	of := &c.Traits
	s.flags(&of.ResultOnly, &of.UnnamedArgument, &of.NormalizedName, &of.MCP, &of.MCPServer, &of.UnknownTool, &of.NotMade)
	upTo(s, &c.Status, scoring.StatusFailed)
	upTo(s, &c.Type, scoring.MCPTool)
	s.text(&c.Name)
	s.text(&c.ID)
	s.payload(&c.Arguments)
	s.payload(&c.Output)
}

func (s *stored) response(r *Response) {
	hasShares := r.Shares != nil
	s.flags(&r.MessagesOnly, &r.Begins, &r.OfAgent, &r.Offered, &r.Unread, &hasShares, &r.Unrecorded)
	s.text(&r.Answered)
	s.text(&r.Prompt)
	list(s, &r.Made, 1, s.text)
	list(s, &r.Refused, 1, s.text)
	list(s, &r.NotOffered, minRequest, s.request)
	list(s, &r.Requests, minRequest, s.request)
	list(s, &r.Results, minResult, func(o *ToolResult) {
		s.text(&o.ID)
		s.payload(&o.Output)
		s.flags(&o.Failed)
	})
	if !hasShares {
		return
	}
	left := len(r.Requests) // each share is a part of them
	list(s, &r.Shares, minShare, func(share *Share) {
		s.text(&share.Agent)
		task := s.count(share.Task, 0)
		if s.reads {
			share.Task = task
		}
		list(s, &share.Messages, minMessage, func(requests *int) {
			n := s.count(*requests, 0)
			if s.reads {
				s.bad = s.bad || n > left
				left -= n
				*requests = n
			}
		})
	})
	if s.reads && r.Shares == nil {
		r.Shares = []Share{}
	}
}

func (s *stored) request(q *ToolRequest) {
	s.text(&q.ID)
	s.text(&q.Name)
	s.payload(&q.Arguments)
	s.flags(&q.Hosted, &q.Answered, &q.Failed)
	s.payload(&q.Output)
}

// links are links after twice their number, and one more if the places of those of model calls follow. Most traces have no such.
func (s *stored) links(t *Trace) {
	var models []int
	for i := range t.Links {
		if t.Links[i].Model {
			models = append(models, i)
		}
	}
	n := 2 * len(t.Links)
	if models != nil {
		n++
	}
	n = s.count(n, 0)
	if s.reads && n > 1 {
		if n/2 > len(s.b)/minLink {
			s.bad = true
			return
		}
		t.Links = make([]Link, n/2)
	}
	for i := range t.Links {
		s.bytes(t.Links[i].ID[:])
		s.bytes(t.Links[i].Parent[:])
	}
	if n%2 == 0 {
		return
	}
	list(s, &models, 1, func(at *int) {
		*at = s.count(*at, 0)
		if *at >= len(t.Links) {
			s.bad = true
		} else if s.reads {
			t.Links[*at].Model = true
		}
	})
}

// writeHeld appends the held spans: first what their OTLP does not say, with the place of their scope in it, in the order of t,
// and then the OTLP.
func (s *stored) writeHeld(t *Trace) error {
	s.count(len(t.Held), minHeld)
	if len(t.Held) == 0 {
		return nil
	}
	td := ptrace.NewTraces()
	resources := make(map[*Origin]int, 1) // by the first origin, its place
	scopes := make(map[*Origin]int, 1)    // the place of the scope among those of its resource
	for i := range t.Held {
		h := &t.Held[i]
		if h.Origin == nil || h.Key() != t.Key {
			return fmt.Errorf("the held span %s has no origin, or is not of the trace %s", h.ID, t.Key.Trace)
		}
		first := cmp.Or(h.Origin.First, h.Origin)
		resource, known := resources[first]
		if !known {
			resource = len(resources)
			resources[first] = resource
			h.Origin.Resource.CopyTo(td.ResourceSpans().AppendEmpty())
		}
		all := td.ResourceSpans().At(resource).ScopeSpans()
		scope, known := scopes[h.Origin]
		if !known {
			scope = all.Len()
			scopes[h.Origin] = scope
			h.Origin.Scope.CopyTo(all.AppendEmpty())
		}
		h.Data.CopyTo(all.At(scope).Spans().AppendEmpty())
		s.place(h, &heldPlace{resource, scope})
	}
	otlp, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	s.b = append(s.b, otlp...)
	return err
}

// heldPlace is where the scope of a held span is in the OTLP.
type heldPlace struct{ resource, scope int }

// place is what the OTLP of a held span does not say.
func (s *stored) place(h *Held, at *heldPlace) {
	upTo(s, &h.Kind, None)
	s.text(&h.Agent)
	s.text(&h.Conversation)
	arrived := uint64(h.Arrived) //nolint:gosec // the bits
	s.fixed(&arrived)
	s.fixed((*uint64)(&h.Process))
	at.resource, at.scope = s.count(at.resource, 0), s.count(at.scope, 0)
	if s.reads {
		h.Arrived = int64(arrived) //nolint:gosec // the bits
	}
}

// readHeld reads the held spans of t.
func (s *stored) readHeld(t *Trace) {
	var places []heldPlace
	list(s, &t.Held, minHeld, func(h *Held) {
		var at heldPlace
		s.place(h, &at)
		h.Partition, places = t.Key.Partition, append(places, at)
	})
	if s.bad || len(t.Held) == 0 {
		return
	}
	td, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(s.b)
	s.b = nil
	if err != nil || td.SpanCount() != len(t.Held) {
		s.bad = true
		return
	}
	scopes := storedScopes(td)
	for i := range t.Held {
		at := places[i]
		if at.resource >= len(scopes) || at.scope >= len(scopes[at.resource]) || !scopes[at.resource][at.scope].give(&t.Held[i], t.Key.Trace) {
			s.bad = true
			return
		}
	}
}

// A storedScope has the held spans of one origin that no held span has got yet.
type storedScope struct {
	origin *Origin
	name   Scope
	spans  ptrace.SpanSlice
	given  int
}

// give gives h the next span, which must be of that trace, and its origin.
func (s *storedScope) give(h *Held, trace pcommon.TraceID) bool {
	if s.given >= s.spans.Len() {
		return false
	}
	span := s.spans.At(s.given)
	s.given++
	h.Span, h.Scope, h.Origin, h.Data = SpanOf(span, h.Process), s.name, s.origin, ptrace.NewSpan()
	span.MoveTo(h.Data)
	return h.Trace == trace
}

// storedScopes takes the resources and scopes of td, by their places.
func storedScopes(td ptrace.Traces) [][]storedScope {
	all := make([][]storedScope, td.ResourceSpans().Len())
	for i, rs := range td.ResourceSpans().All() {
		resource := ptrace.NewResourceSpans()
		rs.Resource().MoveTo(resource.Resource())
		resource.SetSchemaUrl(rs.SchemaUrl())
		all[i] = make([]storedScope, rs.ScopeSpans().Len())
		for k, ss := range rs.ScopeSpans().All() {
			o := &Origin{Resource: resource, Scope: ptrace.NewScopeSpans()}
			ss.Scope().MoveTo(o.Scope.Scope())
			o.Scope.SetSchemaUrl(ss.SchemaUrl())
			all[i][k] = storedScope{origin: o, name: ScopeOf(o.Scope.Scope().Name()), spans: ss.Spans()}
			o.First = all[i][0].origin
		}
	}
	return all
}
