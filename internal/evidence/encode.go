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
	e := encoder{b}
	e.b = append(e.b, t.Key.Trace[:]...)
	e.fixed(t.Key.Partition)
	e.number(uint64(t.Cut))
	e.count(len(t.Facts))
	var last Fact
	for i := range t.Facts {
		e.fact(&t.Facts[i], &last)
		last = t.Facts[i]
	}
	e.links(t.Links)
	e.count(len(t.Held))
	if err := e.held(t); err != nil {
		return b, err
	}
	return e.b, nil
}

// DecodeTrace reads what [Trace.AppendBinary] wrote. Its error is an [ErrCorrupt]. It keeps no part of b.
//
// The caller must weigh the held spans: their Size and Wire are zero, and so are OfResource, OfScope and the users of their
// origins. The spans of one origin share it again, and so do the origins of one resource.
//
// Whatever b is, the evidence takes at most 20 times its length in memory, and the held spans what any receiver of OTLP
// spends on spans of that length.
func DecodeTrace(b []byte) (Trace, error) {
	d := decoder{rest: b}
	var t Trace
	copy(t.Key.Trace[:], d.take(uint64(len(t.Key.Trace))))
	t.Key.Partition = d.fixed()
	t.Cut = pcommon.Timestamp(d.number())
	t.Facts = list[Fact](d.count(minFact))
	var last Fact
	for i := range t.Facts {
		t.Facts[i] = d.fact(t.Key.Trace, &last)
		last = t.Facts[i]
	}
	t.Links = d.links()
	d.held(&t)
	if d.bad || len(d.rest) > 0 {
		return Trace{}, fmt.Errorf("%w: it ends early, or has a value out of its range", ErrCorrupt)
	}
	return t, nil
}

// list makes n items, or nil for none.
func list[T any](n int) []T {
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

// An encoder appends values.
type encoder struct{ b []byte }

func (e *encoder) byte(b byte)         { e.b = append(e.b, b) }
func (e *encoder) number(n uint64)     { e.b = binary.AppendUvarint(e.b, n) }
func (e *encoder) count(n int)         { e.number(uint64(n)) }
func (e *encoder) fixed(n uint64)      { e.b = binary.LittleEndian.AppendUint64(e.b, n) }
func (e *encoder) id(i pcommon.SpanID) { e.b = append(e.b, i[:]...) }

func (e *encoder) text(s string) {
	e.count(len(s))
	e.b = append(e.b, s...)
}

func (e *encoder) texts(all []string) {
	e.count(len(all))
	for _, s := range all {
		e.text(s)
	}
}

func (e *encoder) payload(p scoring.Payload) {
	e.count(p.BinarySize())
	e.b, _ = p.AppendBinary(e.b) // it never fails
}

// flags packs up to eight flags into a byte, the first one lowest.
func (e *encoder) flags(set ...bool) {
	var b byte
	for i, is := range set {
		if is {
			b |= 1 << i
		}
	}
	e.byte(b)
}

// fact appends f. Nearly all facts of a batch have one process and scope, which are those of the last fact if they are not
// there.
func (e *encoder) fact(f, last *Fact) {
	sender := f.Process != last.Process || f.Scope != last.Scope
	e.flags(f.Step, f.Closed, f.Judged, f.Call != nil, f.Response != nil, sender, f.ClosedAt != 0, f.Models)
	e.byte(byte(f.Kind))
	e.byte(byte(f.ClosedBy))
	e.id(f.ID)
	e.id(f.Parent)
	e.fixed(uint64(f.Start))
	e.number(uint64(f.End - f.Start)) // which wraps around if the end is before the start
	if sender {
		e.fixed(uint64(f.Process))
		e.b = binary.LittleEndian.AppendUint32(e.b, uint32(f.Scope))
	}
	if f.ClosedAt != 0 {
		e.fixed(uint64(f.ClosedAt))
	}
	e.text(f.Agent)
	e.text(f.Conversation)
	if f.Call != nil {
		e.call(f.Call)
	}
	if f.Response != nil {
		e.response(f.Response)
	}
}

func (e *encoder) call(c *Call) {
	e.flags(c.Traits.ResultOnly, c.Traits.UnnamedArgument, c.Traits.NormalizedName, c.Traits.MCP, c.Traits.MCPServer, c.Traits.UnknownTool, c.Traits.NotMade)
	e.byte(byte(c.Status))
	e.byte(byte(c.Type))
	e.text(c.Name)
	e.text(c.ID)
	e.payload(c.Arguments)
	e.payload(c.Output)
}

func (e *encoder) response(r *Response) {
	e.flags(r.MessagesOnly, r.Begins, r.OfAgent, r.Offered, r.Unread, r.Shares != nil)
	e.text(r.Answered)
	e.text(r.Prompt)
	e.texts(r.Made)
	e.texts(r.Refused)
	e.requests(r.NotOffered)
	e.requests(r.Requests)
	e.count(len(r.Results))
	for i := range r.Results {
		e.text(r.Results[i].ID)
		e.payload(r.Results[i].Output)
		e.flags(r.Results[i].Failed)
	}
	if r.Shares == nil {
		return
	}
	e.count(len(r.Shares))
	for i := range r.Shares {
		e.text(r.Shares[i].Agent)
		e.count(r.Shares[i].Task)
		e.count(len(r.Shares[i].Messages))
		for _, requests := range r.Shares[i].Messages {
			e.count(requests)
		}
	}
}

func (e *encoder) requests(all []ToolRequest) {
	e.count(len(all))
	for i := range all {
		e.text(all[i].ID)
		e.text(all[i].Name)
		e.payload(all[i].Arguments)
		e.flags(all[i].Hosted, all[i].Answered, all[i].Failed)
		e.payload(all[i].Output)
	}
}

// links appends links after twice their number, and one more if the places of those of model calls follow. Most traces have no such.
func (e *encoder) links(links []Link) {
	var models []int
	for i := range links {
		if links[i].Model {
			models = append(models, i)
		}
	}
	n := 2 * len(links)
	if models != nil {
		n++
	}
	e.count(n)
	for i := range links {
		e.id(links[i].ID)
		e.id(links[i].Parent)
	}
	if models == nil {
		return
	}
	e.count(len(models))
	for _, at := range models {
		e.count(at)
	}
}

// held appends the held spans: first what their OTLP does not say, with the place of their scope in it, in the order of t,
// and then the OTLP.
func (e *encoder) held(t *Trace) error {
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
		e.byte(byte(h.Kind))
		e.text(h.Agent)
		e.text(h.Conversation)
		e.fixed(uint64(h.Arrived))
		e.fixed(uint64(h.Process))
		e.count(resource)
		e.count(scope)
	}
	otlp, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	e.b = append(e.b, otlp...)
	return err
}

// A decoder takes values from the front of the rest. A value that is missing or out of its range makes it bad, and whatever
// it returns after that means nothing.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) take(n uint64) []byte {
	if d.bad || n > uint64(len(d.rest)) {
		d.bad = true
		return nil
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

// upTo is a byte that is at most highest.
func (d *decoder) upTo(highest byte) byte {
	if b := d.take(1); len(b) == 1 && b[0] <= highest {
		return b[0]
	}
	d.bad = true
	return 0
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.rest)
	if d.bad || size <= 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

// int is a number whose items do not follow.
func (d *decoder) int() int {
	n := d.number()
	if n > math.MaxInt {
		d.bad = true
		return 0
	}
	return int(n)
}

// count is the number of items that follow. Each takes least bytes or more.
func (d *decoder) count(least int) int {
	n := d.number()
	if n > uint64(len(d.rest)/least) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) fixed() uint64 {
	if b := d.take(8); len(b) == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) id() (id pcommon.SpanID) {
	copy(id[:], d.take(uint64(len(id))))
	return id
}

func (d *decoder) text() string { return string(d.take(d.number())) }

func (d *decoder) texts() []string {
	all := list[string](d.count(1))
	for i := range all {
		all[i] = d.text()
	}
	return all
}

func (d *decoder) payload() (p scoring.Payload) {
	if b := d.take(d.number()); !d.bad && p.UnmarshalBinary(b) != nil {
		d.bad = true
	}
	return p
}

// flags reads that many flags.
func (d *decoder) flags(n int) (set [8]bool) {
	b := d.upTo(1<<n - 1)
	for i := range set {
		set[i] = b&(1<<i) != 0
	}
	return set
}

func (d *decoder) fact(trace pcommon.TraceID, last *Fact) Fact {
	set := d.flags(8)
	f := Fact{Step: set[0], Closed: set[1], Judged: set[2], Models: set[7]}
	f.Kind = Kind(d.upTo(byte(None)))
	f.ClosedBy = CloseReason(d.upTo(byte(ByShutdown)))
	f.Trace, f.ID, f.Parent = trace, d.id(), d.id()
	f.Start = pcommon.Timestamp(d.fixed())
	f.End = f.Start + pcommon.Timestamp(d.number())
	f.Process, f.Scope = last.Process, last.Scope
	if set[5] {
		f.Process = Process(d.fixed())
		if b := d.take(4); len(b) == 4 {
			f.Scope = Scope(binary.LittleEndian.Uint32(b))
		}
	}
	if set[6] {
		f.ClosedAt = int64(d.fixed())
	}
	f.Agent, f.Conversation = d.text(), d.text()
	if set[3] {
		f.Call = d.call()
	}
	if set[4] {
		f.Response = d.response()
	}
	return f
}

func (d *decoder) call() *Call {
	set := d.flags(7)
	c := &Call{Traits: Traits{
		ResultOnly: set[0], UnnamedArgument: set[1], NormalizedName: set[2], MCP: set[3], MCPServer: set[4], UnknownTool: set[5], NotMade: set[6],
	}}
	c.Status = scoring.CallStatus(d.upTo(byte(scoring.StatusFailed)))
	c.Type = scoring.ToolType(d.upTo(byte(scoring.MCPTool)))
	c.Name, c.ID = d.text(), d.text()
	c.Arguments, c.Output = d.payload(), d.payload()
	return c
}

func (d *decoder) response() *Response {
	set := d.flags(6)
	r := &Response{MessagesOnly: set[0], Begins: set[1], OfAgent: set[2], Offered: set[3], Unread: set[4], Answered: d.text(), Prompt: d.text()}
	r.Made, r.Refused = d.texts(), d.texts()
	r.NotOffered, r.Requests = d.requests(), d.requests()
	r.Results = list[ToolResult](d.count(minResult))
	for i := range r.Results {
		r.Results[i] = ToolResult{ID: d.text(), Output: d.payload(), Failed: d.flags(1)[0]}
	}
	if set[5] {
		r.Shares = d.shares(len(r.Requests))
	}
	return r
}

func (d *decoder) requests() []ToolRequest {
	all := list[ToolRequest](d.count(minRequest))
	for i := range all {
		q := &all[i]
		q.ID, q.Name, q.Arguments = d.text(), d.text(), d.payload()
		set := d.flags(3)
		q.Hosted, q.Answered, q.Failed = set[0], set[1], set[2]
		q.Output = d.payload()
	}
	return all
}

// shares reads those of a response. Together they have at most that many requests, because each share is a part of the
// response's.
func (d *decoder) shares(requests int) []Share {
	shares := make([]Share, d.count(minShare))
	for i := range shares {
		s := &shares[i]
		s.Agent, s.Task = d.text(), d.int()
		s.Messages = list[int](d.count(minMessage))
		for k := range s.Messages {
			n := d.int()
			if n > requests {
				d.bad = true
				return nil
			}
			requests -= n
			s.Messages[k] = n
		}
	}
	return shares
}

func (d *decoder) links() []Link {
	n := d.number()
	if n/2 > uint64(len(d.rest)/minLink) {
		d.bad = true
		return nil
	}
	links := list[Link](int(n / 2)) //nolint:gosec // it fits into the rest
	for i := range links {
		links[i].ID, links[i].Parent = d.id(), d.id()
	}
	if n%2 == 0 {
		return links
	}
	for range d.count(1) {
		at := d.int()
		if at >= len(links) {
			d.bad = true
			return nil
		}
		links[at].Model = true
	}
	return links
}

// held reads the held spans of t.
func (d *decoder) held(t *Trace) {
	t.Held = list[Held](d.count(minHeld))
	if len(t.Held) == 0 {
		return
	}
	type place struct{ resource, scope int }
	places := make([]place, len(t.Held))
	for i := range t.Held {
		h := &t.Held[i]
		h.Partition, h.Kind = t.Key.Partition, Kind(d.upTo(byte(None)))
		h.Agent, h.Conversation = d.text(), d.text()
		h.Arrived, h.Process = int64(d.fixed()), Process(d.fixed())
		places[i] = place{d.int(), d.int()}
	}
	if d.bad {
		return
	}
	td, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(d.rest)
	d.rest = nil
	if err != nil || td.SpanCount() != len(t.Held) {
		d.bad = true
		return
	}
	scopes := storedScopes(td)
	for i := range t.Held {
		at := places[i]
		if at.resource >= len(scopes) || at.scope >= len(scopes[at.resource]) || !scopes[at.resource][at.scope].give(&t.Held[i], t.Key.Trace) {
			d.bad = true
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
