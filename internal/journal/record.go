package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// A Record is one record in the storage. Before its body it has
//
//	byte 0     the version of all that follows, [Version]
//	bytes 1-4  a checksum of the rest, CRC-32C, little endian
//	byte 5     the kind of the body
//	bytes 6-13 the time of the record, in nanoseconds since 1970, little endian
type Record struct {
	Kind Kind
	At   time.Time
	Body []byte
	Slot uint32 // the slot of the record
}

// Kind says what the body of a record is. The numbers are stored, so they never change.
type Kind byte

const (
	KindEvidence Kind = 1 // record.Evidence of an open trace
	KindAnchor   Kind = 2 // a held span
	KindParents  Kind = 3 // links of ordinary spans without their processes: it is read, and no longer written
	KindClosed   Kind = 4 // record.Evidence of a trace that has closed
	KindMCPSpan  Kind = 5 // record.MCPEvidence
	KindSummary  Kind = 6 // record.Summary
	KindSlots    Kind = 7 // how many slots are in use, at most; under SlotsKey
	// A long resource that several held spans share is stored once.
	KindOrigin    Kind = 8 // a resource and scopes of it
	KindReferring Kind = 9 // a held span, and the record of its resource and scope
	// The links of a batch are grouped by trace and process.
	KindParentsByProcess Kind = 10
)

// Version is the version of the stored bytes. A processor reads records of its own version only.
const Version = 1

const recordHeader = 14

// These errors say how the bytes of a record are wrong.
var (
	ErrVersion = errors.New("the record is of another version of this processor")
	ErrCorrupt = errors.New("the record is not as it was written")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// IsHeldSpan reports whether a record is that of a held span.
func (k Kind) IsHeldSpan() bool { return k == KindAnchor || k == KindReferring }

// ReplayOrder says when records of a kind are replayed. Links of ordinary spans and closed runs are first, because others
// need them. Anchors are last: their runs are open, whatever another record says.
func (k Kind) ReplayOrder() int {
	switch k {
	case KindParents, KindParentsByProcess, KindClosed, KindOrigin:
		return 0
	case KindAnchor, KindReferring:
		return 2
	}
	return 1
}

// EncodeRecord returns the bytes of a record.
func EncodeRecord(kind Kind, at time.Time, body []byte) []byte {
	b := make([]byte, recordHeader, recordHeader+len(body))
	b[0], b[5] = Version, byte(kind)
	binary.LittleEndian.PutUint64(b[6:], uint64(at.UnixNano()))
	b = append(b, body...)
	binary.LittleEndian.PutUint32(b[1:], crc32.Checksum(b[5:], castagnoli))
	return b
}

// DecodeRecord reads the bytes of a record, without its slot. The error is [ErrVersion] or [ErrCorrupt].
func DecodeRecord(b []byte) (Record, error) {
	switch {
	case len(b) == 0:
		return Record{}, ErrCorrupt
	case b[0] != Version:
		return Record{}, fmt.Errorf("%w: its version is %d, and this one reads %d", ErrVersion, b[0], Version)
	case len(b) < recordHeader, binary.LittleEndian.Uint32(b[1:]) != crc32.Checksum(b[5:], castagnoli):
		return Record{}, ErrCorrupt
	}
	return Record{Kind: Kind(b[5]), At: time.Unix(0, int64(binary.LittleEndian.Uint64(b[6:]))), Body: b[recordHeader:]}, nil
}

// KeyOfSlot is the storage key of the record in a slot.
func KeyOfSlot(slot uint32) string { return strconv.FormatUint(uint64(slot), 36) }

// encodeAnchor returns the body of a held span: its kind, agent and conversation, and the span with its origin as OTLP.
func encodeAnchor(a *agentrun.Anchor) ([]byte, error) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	a.Origin.Resource.CopyTo(rs)
	ss := rs.ScopeSpans().AppendEmpty()
	a.Origin.Scope.CopyTo(ss)
	a.Held.CopyTo(ss.Spans().AppendEmpty())
	otlp, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	if err != nil {
		return nil, err
	}
	return append(appendAnchor(nil, a), otlp...), nil
}

// appendAnchor appends what the processor knows about a held span, without the span.
func appendAnchor(b []byte, a *agentrun.Anchor) []byte {
	b = append(b, byte(a.Kind))
	for _, text := range [...]string{a.Agent, a.Conversation} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return b
}

func decodeAnchor(b []byte) (agentrun.Anchor, error) {
	a, rs, err := decodeSpan(b)
	if err != nil {
		return a, err
	}
	takeSpan(&a, rs, originsOf(rs), 0)
	return a, nil
}

// decodeSpan reads what appendAnchor wrote, and one span with its scope and resource.
func decodeSpan(b []byte) (a agentrun.Anchor, rs ptrace.ResourceSpans, err error) {
	if len(b) == 0 || agentrun.AnchorKind(b[0]) > agentrun.Tool {
		return a, rs, ErrCorrupt
	}
	kind, b := agentrun.AnchorKind(b[0]), b[1:]
	var texts [2]string
	for i := range texts {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return a, rs, ErrCorrupt
		}
		texts[i], b = string(b[size:size+int(n)]), b[size+int(n):]
	}
	td, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(b)
	if err != nil || td.SpanCount() != 1 || td.ResourceSpans().Len() != 1 || td.ResourceSpans().At(0).ScopeSpans().Len() != 1 {
		return a, rs, ErrCorrupt
	}
	a.Kind, a.Agent, a.Conversation = kind, texts[0], texts[1]
	return a, td.ResourceSpans().At(0), nil
}

// takeSpan takes the one span below a resource. No bound applies, because the span was held before.
func takeSpan(a *agentrun.Anchor, rs ptrace.ResourceSpans, from storedOrigins, scope int) {
	span := rs.ScopeSpans().At(0).Spans().At(0)
	a.Span, a.Origin, a.Held = agentrun.Of(span), from.scopes[scope], ptrace.NewSpan()
	a.Scope, a.Process = agentrun.ScopeOf(a.Origin.Scope.Scope().Name()), from.process
	w, _ := heldspans.SpanWeight(span)
	a.Size, a.Wire = int(w.Heap), w.Wire
	span.MoveTo(a.Held)
}

// EncodeParents returns the body of the links of a batch: for each trace and process their IDs, the number of links, and the
// links.
func EncodeParents(links *lookup.ParentBatch) []byte {
	b := make([]byte, 0, len(links.Links)*16+len(links.Traces)*28)
	rest := links.Links
	for _, t := range links.Traces {
		b = binary.LittleEndian.AppendUint64(append(b, t.ID[:]...), uint64(t.Process))
		b = binary.AppendUvarint(b, uint64(t.N))
		for _, l := range rest[:t.N] {
			b = append(append(b, l.ID[:]...), l.Parent[:]...)
		}
		rest = rest[t.N:]
	}
	return b
}

// Parents returns the links of ordinary spans in a record of [KindParents] or [KindParentsByProcess].
func (e Record) Parents() (*lookup.ParentBatch, error) {
	b := e.Body
	links := new(lookup.ParentBatch)
	const linkBytes, processBytes = 16, 8
	for len(b) > 0 {
		var id pcommon.TraceID
		b = b[copy(id[:], b):]
		if e.Kind == KindParentsByProcess {
			if len(b) < processBytes {
				return nil, ErrCorrupt
			}
			links.Process, b = agentrun.Process(binary.LittleEndian.Uint64(b)), b[processBytes:]
		}
		n, size := binary.Uvarint(b)
		if size <= 0 || n == 0 || n > uint64(len(b)-size)/linkBytes {
			return nil, ErrCorrupt
		}
		b = b[size:]
		for range n {
			var l lookup.ParentLink
			copy(l.ID[:], b)
			copy(l.Parent[:], b[len(l.ID):])
			b = b[linkBytes:]
			links.Add(id, l)
		}
	}
	return links, nil
}
