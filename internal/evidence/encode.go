package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/fxamacker/cbor/v2"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// ErrCorrupt says that bytes are not what [Trace.AppendBinary] wrote.
var ErrCorrupt = errors.New("not the evidence of a trace")

// stored is the stored form of a trace, as CBOR with a number for each field. A field that is added gets the next number, and the number of
// one that leaves is not used again. The values of kinds, reasons, statuses and types must not change while the version of the journal's
// records stays the same.
type stored struct {
	Key   Key               `cbor:"1,keyasint"`
	Cut   pcommon.Timestamp `cbor:"2,keyasint,omitzero"`
	Facts []Fact            `cbor:"3,keyasint,omitzero"`
	Links []Link            `cbor:"4,keyasint,omitzero"`
	Held  []storedHeld      `cbor:"5,keyasint,omitzero"`
	// OTLP has the held spans, in their order below each scope. Each scope is there once for each [Origin], below its resource, which is
	// there once for each first origin.
	OTLP []byte `cbor:"6,keyasint,omitzero"`
}

// storedHeld is what the OTLP of a held span does not say, and where its scope is in the OTLP.
type storedHeld struct {
	Kind         Kind    `cbor:"1,keyasint,omitzero"`
	Agent        string  `cbor:"2,keyasint,omitzero"`
	Conversation string  `cbor:"3,keyasint,omitzero"`
	Arrived      int64   `cbor:"4,keyasint,omitzero"`
	Process      Process `cbor:"5,keyasint,omitzero"`
	Resource     int     `cbor:"6,keyasint,omitzero"`
	Scope        int     `cbor:"7,keyasint,omitzero"`
}

var (
	encoding, _ = cbor.EncOptions{}.EncMode() // these options are valid
	decoding, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: math.MaxInt32}.DecMode()
)

// AppendBinary appends the stored form of t. The facts and held spans must be of the trace that t.Key says.
func (t *Trace) AppendBinary(b []byte) ([]byte, error) {
	s := stored{Key: t.Key, Cut: t.Cut, Facts: t.Facts, Links: t.Links}
	if err := s.hold(t); err != nil {
		return b, err
	}
	all, err := encoding.Marshal(&s)
	return append(b, all...), err
}

// DecodeTrace reads what [Trace.AppendBinary] wrote. Its error is an [ErrCorrupt]. It keeps no part of b.
//
// The caller must weigh the held spans: their Size and Wire are zero, and so are OfResource, OfScope and the users of their
// origins. The spans of one origin share it again, and so do the origins of one resource.
func DecodeTrace(b []byte) (Trace, error) {
	var s stored
	if err := decoding.Unmarshal(b, &s); err != nil {
		return Trace{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	t := Trace{Key: s.Key, Cut: s.Cut, Facts: s.Facts, Links: s.Links}
	for i := range t.Facts {
		t.Facts[i].Trace = t.Key.Trace
		if !t.Facts[i].isValid() {
			return Trace{}, fmt.Errorf("%w: fact %d has a value out of its range", ErrCorrupt, i)
		}
	}
	if !s.release(&t) {
		return Trace{}, fmt.Errorf("%w: its held spans are others", ErrCorrupt)
	}
	return t, nil
}

// isValid reports whether a fact that was read has no value that would be looked up out of range.
func (f *Fact) isValid() bool {
	if f.ClosedBy >= CloseReasons {
		return false
	}
	if f.Response == nil {
		return true
	}
	left := len(f.Response.Requests) // each share is a part of them
	for i := range f.Response.Shares {
		for _, n := range f.Response.Shares[i].Messages {
			if n < 0 || n > left {
				return false
			}
			left -= n
		}
	}
	return true
}

// hold stores the held spans of t.
func (s *stored) hold(t *Trace) error {
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
		s.Held = append(s.Held, storedHeld{h.Kind, h.Agent, h.Conversation, h.Arrived, h.Process, resource, scope})
	}
	var err error
	s.OTLP, err = new(ptrace.ProtoMarshaler).MarshalTraces(td)
	return err
}

// release gives t its held spans. It is false if they are not those that were stored.
func (s *stored) release(t *Trace) bool {
	td, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(s.OTLP)
	if err != nil || td.SpanCount() != len(s.Held) {
		return false
	}
	scopes := storedScopes(td)
	for i := range s.Held {
		at := &s.Held[i]
		if uint(at.Resource) >= uint(len(scopes)) || uint(at.Scope) >= uint(len(scopes[at.Resource])) { //nolint:gosec // negative is too large
			return false
		}
		from := &scopes[at.Resource][at.Scope]
		if from.given >= from.spans.Len() {
			return false
		}
		span := from.spans.At(from.given)
		from.given++
		h := Held{
			Span: SpanOf(span, at.Process), Partition: t.Key.Partition, Kind: at.Kind, Scope: ScopeOf(from.origin.Scope.Scope().Name()),
			Agent: at.Agent, Conversation: at.Conversation, Arrived: at.Arrived, Origin: from.origin, Data: ptrace.NewSpan(),
		}
		span.MoveTo(h.Data)
		if h.Trace != t.Key.Trace {
			return false
		}
		t.Held = append(t.Held, h)
	}
	return true
}

// A storedScope has the held spans of one origin, of which some were given to the trace.
type storedScope struct {
	origin *Origin
	spans  ptrace.SpanSlice
	given  int
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
			all[i][k] = storedScope{origin: o, spans: ss.Spans()}
			o.First = all[i][0].origin
		}
	}
	return all
}
