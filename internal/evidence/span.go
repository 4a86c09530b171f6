package evidence

import (
	"bytes"
	"cmp"
	"hash/fnv"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Span is what grouping needs to know about any span: its IDs, its time and the process that sent it.
type Span struct {
	Trace   pcommon.TraceID   `cbor:"-"`
	ID      pcommon.SpanID    `cbor:"1,keyasint,omitzero"`
	Parent  pcommon.SpanID    `cbor:"2,keyasint,omitzero"`
	Start   pcommon.Timestamp `cbor:"3,keyasint,omitzero"`
	End     pcommon.Timestamp `cbor:"4,keyasint,omitzero"`
	Process Process           `cbor:"5,keyasint,omitzero"`
}

// SpanOf reads the IDs and times of a span. An end before the start counts as the start.
func SpanOf(span ptrace.Span, p Process) Span {
	start := span.StartTimestamp()
	return Span{
		Trace: span.TraceID(), ID: span.SpanID(), Parent: span.ParentSpanID(), Process: p, Start: start, End: max(start, span.EndTimestamp()),
	}
}

// Contains reports whether t lies within s in time.
func (s *Span) Contains(t *Span) bool { return s.Start <= t.Start && t.End <= s.End }

// Overlaps reports whether s and t have time in common.
func (s *Span) Overlaps(t *Span) bool { return s.Start <= t.End && t.Start <= s.End }

// CompareSpans orders spans of all traces: by start, end and IDs.
func CompareSpans(a, b *Span) int {
	if a.Start != b.Start {
		return cmp.Compare(a.Start, b.Start)
	}
	return cmp.Or(
		cmp.Compare(a.End, b.End),
		bytes.Compare(a.ID[:], b.ID[:]),
		bytes.Compare(a.Trace[:], b.Trace[:]),
	)
}

// CompareStarts orders spans by start, and those that began together by ID.
func CompareStarts(a, b *Span) int {
	if a.Start != b.Start {
		return cmp.Compare(a.Start, b.Start)
	}
	return bytes.Compare(a.ID[:], b.ID[:])
}

// CommonTime is the share of the time of both spans in which they overlap, from 0 to 1.
func CommonTime(a, b *Span) float64 {
	if !a.Overlaps(b) {
		return 0
	}
	all := max(a.End, b.End) - min(a.Start, b.Start)
	if all == 0 {
		return 1
	}
	return float64(min(a.End, b.End)-max(a.Start, b.Start)) / float64(all)
}

// ClockSlack is how far the clocks of two instrumentations in one process may be apart: JavaScript's tick in milliseconds.
const ClockSlack = pcommon.Timestamp(2 * time.Millisecond)

// Process identifies the process that sent a span, by its resource. It never decides who owns a call: it only finds records
// of one call that have neither a trace nor an ID in common. The zero Process is unknown.
type Process uint64

// A Sender is a process in a partition.
type Sender struct {
	Process   Process
	Partition uint64
}

// ProcessOf is the process that a resource describes, by the attributes that tell processes apart. It does not depend on their order,
// because they are added up.
func ProcessOf(r pcommon.Resource) Process {
	sum := uint64(0)
	for key, value := range r.Attributes().All() {
		switch key {
		case "service.name", "service.namespace", "service.instance.id", "process.pid", "host.name", "host.id", "k8s.pod.uid",
			"k8s.pod.name", "container.id", "telemetry.sdk.language":
			h := fnv.New64a()
			_, _ = h.Write([]byte(key))
			switch value.Type() { // no other has a nested value
			case pcommon.ValueTypeStr:
				_, _ = h.Write([]byte(value.Str()))
			case pcommon.ValueTypeInt:
				_, _ = h.Write(strconv.AppendInt(nil, value.Int(), 10))
			}
			sum += h.Sum64()
		}
	}
	return Process(cmp.Or(sum, 1))
}

// Key identifies the evidence of a trace. Spans of two partitions never meet, even if their traces have one ID.
type Key struct {
	Trace     pcommon.TraceID `cbor:"1,keyasint,omitzero"`
	Partition uint64          `cbor:"2,keyasint,omitzero"`
}

// Scope identifies an instrumentation, by the name of its scope. The zero Scope is unknown.
type Scope uint32

// ScopeOf is the scope of that name.
func ScopeOf(name string) Scope {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return Scope(cmp.Or(h.Sum32(), 1))
}

// MayDiffer reports whether s and o may be different scopes: they differ, or both are unknown.
func (s Scope) MayDiffer(o Scope) bool { return s != o || s == 0 }

// Kind says what a span may represent. Of several kinds in a trace, the lowest represents runs.
type Kind uint8

const (
	Agent    Kind = iota // an agent's span represents a run
	Workflow             // represents a run in a trace without agents' spans
	Root                 // a local root: represents a run if there is no workflow's span either
	Tool                 // a tool call's span: represents no run, and leaves with the run of its call
	None                 // represents nothing
)
