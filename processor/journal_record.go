package processor

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
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// record is one record in the storage. In front of its body stand
//
//	byte 0     the version of all that follows, entryVersion
//	bytes 1-4  a checksum of what follows, CRC-32C, little endian
//	byte 5     the kind of the body
//	bytes 6-13 when it was told, in nanoseconds since 1970, little endian
type record struct {
	kind recordKind
	at   time.Time
	body []byte
	slot uint32 // where it stands
}

// recordKind says what the body of a record is. The numbers are stored, so they never change.
type recordKind byte

const (
	kindEvidence recordKind = 1 // tracebuffer.Evidence of an open trace
	kindAnchor   recordKind = 2 // a held span
	kindParents  recordKind = 3 // links of ordinary spans without their processes: it is read, and no longer written
	kindClosed   recordKind = 4 // tracebuffer.Evidence of a trace that has closed
	kindMCPSpan  recordKind = 5 // tracebuffer.MCPEvidence
	kindSummary  recordKind = 6 // what tracebuffer.Settings.OnSummary was given
	kindSlots    recordKind = 7 // how many slots are in use, at most; under slotsKey
	// Held spans that share a long resource have it stored once.
	kindOrigin    recordKind = 8 // a resource and scopes of it
	kindReferring recordKind = 9 // a held span, and where its resource and scope stand
	// The links of a batch stand in groups, each of one trace and one process.
	kindParentsByProcess recordKind = 10
)

const (
	recordVersion = 1
	recordHeader  = 14
)

// What may be wrong with the bytes of a record.
var (
	errVersion = errors.New("the record is of another version of this processor")
	errCorrupt = errors.New("the record is not as it was written")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encodeRecord(kind recordKind, at time.Time, body []byte) []byte {
	b := make([]byte, recordHeader, recordHeader+len(body))
	b[0], b[5] = recordVersion, byte(kind)
	binary.LittleEndian.PutUint64(b[6:], uint64(at.UnixNano()))
	b = append(b, body...)
	binary.LittleEndian.PutUint32(b[1:], crc32.Checksum(b[5:], castagnoli))
	return b
}

func decodeRecord(b []byte) (record, error) {
	switch {
	case len(b) == 0:
		return record{}, errCorrupt
	case b[0] != recordVersion:
		return record{}, fmt.Errorf("%w: its version is %d, and this one reads %d", errVersion, b[0], recordVersion)
	case len(b) < recordHeader, binary.LittleEndian.Uint32(b[1:]) != crc32.Checksum(b[5:], castagnoli):
		return record{}, errCorrupt
	}
	return record{kind: recordKind(b[5]), at: time.Unix(0, int64(binary.LittleEndian.Uint64(b[6:]))), body: b[recordHeader:]}, nil
}

// keyOfSlot is the key under which a record stands in the storage.
func keyOfSlot(slot uint32) string { return strconv.FormatUint(uint64(slot), 36) }

// encodeAnchor is the body of a held span: its kind, agent and conversation, and the span with its origin as OTLP.
func encodeAnchor(a *agentrun.Anchor) ([]byte, error) {
	c := newReleaseBatch()
	held := *a
	held.Held = ptrace.NewSpan()
	a.Held.CopyTo(held.Held)
	c.place(&held)
	otlp, err := new(ptrace.ProtoMarshaler).MarshalTraces(c.traces)
	if err != nil {
		return nil, err
	}
	return append(appendAnchor(nil, a), otlp...), nil
}

// appendAnchor appends what is known of a held span besides the span.
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

// decodeSpan is what appendAnchor wrote, and one span below a scope and a resource.
func decodeSpan(b []byte) (a agentrun.Anchor, rs ptrace.ResourceSpans, err error) {
	if len(b) == 0 || agentrun.AnchorKind(b[0]) > agentrun.Tool {
		return a, rs, errCorrupt
	}
	kind, b := agentrun.AnchorKind(b[0]), b[1:]
	var texts [2]string
	for i := range texts {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return a, rs, errCorrupt
		}
		texts[i], b = string(b[size:size+int(n)]), b[size+int(n):]
	}
	td, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(b)
	if err != nil || td.SpanCount() != 1 || td.ResourceSpans().Len() != 1 || td.ResourceSpans().At(0).ScopeSpans().Len() != 1 {
		return a, rs, errCorrupt
	}
	a.Kind, a.Agent, a.Conversation = kind, texts[0], texts[1]
	return a, td.ResourceSpans().At(0), nil
}

// takeSpan takes the one span below a resource, which came from one of some scopes. No bound applies: it was held before.
func takeSpan(a *agentrun.Anchor, rs ptrace.ResourceSpans, from storedOrigins, scope int) {
	span := rs.ScopeSpans().At(0).Spans().At(0)
	a.Span, a.Origin, a.Held = agentrun.Of(span), from.scopes[scope], ptrace.NewSpan()
	a.Scope, a.Process = agentrun.ScopeOf(a.Origin.Scope.Scope().Name()), from.process
	w, _ := spanWeight(span)
	a.Size, a.Wire = int(w.Heap), w.Wire
	span.MoveTo(a.Held)
}

// encodeParents is the body of the links of a batch: for each trace and process their ids, how many they are, and the links.
func encodeParents(links *lookup.ParentBatch) []byte {
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

func decodeParents(k recordKind, b []byte) (*lookup.ParentBatch, error) {
	links := new(lookup.ParentBatch)
	const linkBytes, processBytes = 16, 8
	for len(b) > 0 {
		var id pcommon.TraceID
		b = b[copy(id[:], b):]
		if k == kindParentsByProcess {
			if len(b) < processBytes {
				return nil, errCorrupt
			}
			links.Process, b = agentrun.Process(binary.LittleEndian.Uint64(b)), b[processBytes:]
		}
		n, size := binary.Uvarint(b)
		if size <= 0 || n == 0 || n > uint64(len(b)-size)/linkBytes {
			return nil, errCorrupt
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
