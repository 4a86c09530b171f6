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
)

// entry is one record in the storage. In front of its body stand
//
//	byte 0     the version of all that follows, entryVersion
//	bytes 1-4  a checksum of what follows, CRC-32C, little endian
//	byte 5     the kind of the body
//	bytes 6-13 when it was told, in nanoseconds since 1970, little endian
type entry struct {
	kind kind
	at   time.Time
	body []byte
	slot uint32 // where it stands
}

// kind says what the body of an entry is. The numbers are stored, so they never change.
type kind byte

const (
	kindEvidence kind = 1 // agentrun.Evidence of an open trace
	kindAnchor   kind = 2 // a held span
	kindLinks    kind = 3 // links of ordinary spans
	kindClosed   kind = 4 // agentrun.Evidence of a trace that has closed
	kindEcho     kind = 5 // agentrun.EchoEvidence
	kindOutline  kind = 6 // what agentrun.Settings.Outlined was given
	kindSlots    kind = 7 // how many slots are in use, at most; under slotsKey
)

const (
	entryVersion = 1
	entryHeader  = 14
)

// What may be wrong with the bytes of an entry.
var (
	errVersion = errors.New("the record is of another version of this processor")
	errCorrupt = errors.New("the record is not as it was written")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encodeEntry(kind kind, at time.Time, body []byte) []byte {
	b := make([]byte, entryHeader, entryHeader+len(body))
	b[0], b[5] = entryVersion, byte(kind)
	binary.LittleEndian.PutUint64(b[6:], uint64(at.UnixNano()))
	b = append(b, body...)
	binary.LittleEndian.PutUint32(b[1:], crc32.Checksum(b[5:], castagnoli))
	return b
}

func decodeEntry(b []byte) (entry, error) {
	switch {
	case len(b) == 0:
		return entry{}, errCorrupt
	case b[0] != entryVersion:
		return entry{}, fmt.Errorf("%w: its version is %d, and this one reads %d", errVersion, b[0], entryVersion)
	case len(b) < entryHeader, binary.LittleEndian.Uint32(b[1:]) != crc32.Checksum(b[5:], castagnoli):
		return entry{}, errCorrupt
	}
	return entry{kind: kind(b[5]), at: time.Unix(0, int64(binary.LittleEndian.Uint64(b[6:]))), body: b[entryHeader:]}, nil
}

// keyOfSlot is the key under which an entry stands in the storage.
func keyOfSlot(slot uint32) string { return strconv.FormatUint(uint64(slot), 36) }

// encodeAnchor is the body of a held span: its tier, agent and conversation, and the span with its origin as OTLP.
func encodeAnchor(a *agentrun.Anchor) ([]byte, error) {
	c := newParcel()
	held := *a
	held.Held = ptrace.NewSpan()
	a.Held.CopyTo(held.Held)
	c.place(&held)
	otlp, err := new(ptrace.ProtoMarshaler).MarshalTraces(c.traces)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, 1+2*binary.MaxVarintLen64+len(a.Agent)+len(a.Conversation)+len(otlp))
	b = append(b, byte(a.Tier))
	for _, text := range [...]string{a.Agent, a.Conversation} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return append(b, otlp...), nil
}

func decodeAnchor(b []byte) (agentrun.Anchor, error) {
	if len(b) == 0 || agentrun.Tier(b[0]) > agentrun.Tool {
		return agentrun.Anchor{}, errCorrupt
	}
	tier, b := agentrun.Tier(b[0]), b[1:]
	var texts [2]string
	for i := range texts {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return agentrun.Anchor{}, errCorrupt
		}
		texts[i], b = string(b[size:size+int(n)]), b[size+int(n):]
	}
	td, err := new(ptrace.ProtoUnmarshaler).UnmarshalTraces(b)
	if err != nil || td.SpanCount() != 1 || td.ResourceSpans().Len() != 1 || td.ResourceSpans().At(0).ScopeSpans().Len() != 1 {
		return agentrun.Anchor{}, errCorrupt
	}
	a := storedSpan(td.ResourceSpans().At(0))
	a.Tier, a.Agent, a.Conversation = tier, texts[0], texts[1]
	return a, nil
}

// storedSpan takes the one span below a resource. No bound applies: it was held before.
func storedSpan(rs ptrace.ResourceSpans) agentrun.Anchor {
	ss := rs.ScopeSpans().At(0)
	span := ss.Spans().At(0)
	o := &agentrun.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	o.First = o
	rs.Resource().MoveTo(o.Resource.Resource())
	o.Resource.SetSchemaUrl(rs.SchemaUrl())
	ss.Scope().MoveTo(o.Scope.Scope())
	o.Scope.SetSchemaUrl(ss.SchemaUrl())
	o.OfResource, _ = resourceWeight(o.Resource)
	o.OfScope, _ = scopeWeight(o.Scope)
	a := agentrun.Anchor{Span: agentrun.Of(span), Scope: agentrun.ScopeOf(o.Scope.Scope().Name()), Origin: o, Held: ptrace.NewSpan()}
	a.Process = agentrun.ProcessOf(o.Resource.Resource())
	w, _ := spanWeight(span)
	a.Size, a.Wire = int(w.Heap), w.Wire
	span.MoveTo(a.Held)
	return a
}

// encodeLinks is the body of the links of a batch: for each trace its id, how many they are, and the links.
func encodeLinks(links *linkBatch) []byte {
	b := make([]byte, 0, len(links.links)*16+len(links.traces)*20)
	rest := links.links
	for _, t := range links.traces {
		b = append(b, t.id[:]...)
		b = binary.AppendUvarint(b, uint64(t.n))
		for _, l := range rest[:t.n] {
			b = append(append(b, l.id[:]...), l.parent[:]...)
		}
		rest = rest[t.n:]
	}
	return b
}

func decodeLinks(b []byte) (*linkBatch, error) {
	links := new(linkBatch)
	const linkBytes = 16
	for len(b) > 0 {
		var id pcommon.TraceID
		b = b[copy(id[:], b):]
		n, size := binary.Uvarint(b)
		if size <= 0 || n == 0 || n > uint64(len(b)-size)/linkBytes {
			return nil, errCorrupt
		}
		b = b[size:]
		for range n {
			var l link
			copy(l.id[:], b)
			copy(l.parent[:], b[len(l.id):])
			b = b[linkBytes:]
			links.add(id, l)
		}
	}
	return links, nil
}
