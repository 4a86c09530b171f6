// Package processid computes which process a resource describes.
//
//	service.name: shop, host.name: a   ──>  bytes, in the order of the keys  ──>  SHA-256  ──>  8 bytes: a Process
//
// A process is stored, and it decides which sender is trusted. So it depends on nothing but the resource, and no sender can
// make another resource that has the same process. [Append] gives cheaper bytes, in the order of the resource. By these,
// package lookup finds a process that was computed before.
//
// # What it costs
//
// A resource is read once, and sorted by key in each of its maps. OTLP allows several entries of one key. Their values are
// written once, and then sorted, because a value may be a map that has such entries again. Values that nest deeper than
// [MaxNesting] are not read.
package processid

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Of returns the process that a resource describes, whatever the order of its attributes.
func Of(r pcommon.Resource) agentrun.Process {
	const usual = 512 // bytes of a resource
	sum := sha256.Sum256(appendMap(make([]byte, 0, usual), r.Attributes(), 0))
	return agentrun.Process(max(1, binary.LittleEndian.Uint64(sum[:])))
}

// Append appends the parts of a resource that Of reads, in the order of the resource. Equal bytes are equal
// processes, so a caller that sees one resource repeatedly can remember its process.
func Append(b []byte, r pcommon.Resource) []byte {
	for key, value := range r.Attributes().All() {
		b = appendValue(appendText(b, key), value, 0)
	}
	return b
}

// MaxNesting is how deep nested values of a resource are compared. Real values are lists at most.
const MaxNesting = 8

// mapEntry is an entry of a map. OTLP allows several of one key.
type mapEntry struct {
	key   string
	value pcommon.Value
}

// appendMap appends the entries of m in the order of their keys. Each length precedes its text, so that two maps never give
// the same bytes.
func appendMap(b []byte, m pcommon.Map, depth int) []byte {
	var usual [32]mapEntry // more are allocated
	entries := usual[:0]
	for key, value := range m.All() {
		entries = append(entries, mapEntry{key, value})
	}
	slices.SortFunc(entries, func(x, y mapEntry) int { return strings.Compare(x.key, y.key) })
	b = binary.AppendUvarint(b, uint64(len(entries)))
	for len(entries) > 0 {
		alike := 1
		for alike < len(entries) && entries[alike].key == entries[0].key {
			alike++
		}
		if alike == 1 {
			b = appendValue(appendText(b, entries[0].key), entries[0].value, depth)
		} else {
			b = appendAlike(b, entries[:alike], depth)
		}
		entries = entries[alike:]
	}
	return b
}

// appendAlike appends entries of one key in the order of their values' bytes. Each value is written once, because it may be a
// map that has such entries again.
func appendAlike(b []byte, entries []mapEntry, depth int) []byte {
	values := make([][]byte, len(entries))
	for i := range entries {
		values[i] = appendValue(nil, entries[i].value, depth)
	}
	slices.SortFunc(values, bytes.Compare)
	for _, value := range values {
		b = append(appendText(b, entries[0].key), value...)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendValue(b []byte, v pcommon.Value, depth int) []byte {
	b = append(b, byte(v.Type()))
	if depth == MaxNesting {
		return b
	}
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return appendText(b, v.Str())
	case pcommon.ValueTypeInt:
		return binary.LittleEndian.AppendUint64(b, uint64(v.Int()))
	case pcommon.ValueTypeDouble:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Double()))
	case pcommon.ValueTypeBool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case pcommon.ValueTypeBytes:
		return appendText(b, string(v.Bytes().AsRaw()))
	case pcommon.ValueTypeMap:
		return appendMap(b, v.Map(), depth+1)
	case pcommon.ValueTypeSlice:
		b = binary.AppendUvarint(b, uint64(v.Slice().Len()))
		for _, item := range v.Slice().All() {
			b = appendValue(b, item, depth+1)
		}
	}
	return b
}
