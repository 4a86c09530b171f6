package agentrun

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Span is what grouping needs to know about any span: its IDs, its time and the process that sent it.
type Span struct {
	Trace      pcommon.TraceID
	ID, Parent pcommon.SpanID
	Start, End pcommon.Timestamp
	Process    Process
}

// Of reads the IDs and times of a span. The caller sets the process. An end before the start counts as the start.
func Of(s ptrace.Span) Span {
	return Span{
		Trace:  s.TraceID(),
		ID:     s.SpanID(),
		Parent: s.ParentSpanID(),
		Start:  s.StartTimestamp(),
		End:    max(s.StartTimestamp(), s.EndTimestamp()),
	}
}

// Contains reports whether t lies within s in time.
func (s Span) Contains(t Span) bool { return s.Start <= t.Start && t.End <= s.End }

// CompareSpans is the order of calls: start, end, id, process.
func CompareSpans(a, b Span) int {
	return cmp.Or(
		cmp.Compare(a.Start, b.Start),
		cmp.Compare(a.End, b.End),
		bytes.Compare(a.ID[:], b.ID[:]),
		cmp.Compare(a.Process, b.Process),
	)
}

// CompareStart orders spans by start, and those that began together by ID.
func CompareStart(a, b Span) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), bytes.Compare(a.ID[:], b.ID[:]), cmp.Compare(a.Process, b.Process))
}

// SpanKey is a span as one process sent it.
type SpanKey struct {
	Process Process
	ID      pcommon.SpanID
}

// Key is the span as its process sent it.
func (s *Span) Key() SpanKey { return SpanKey{s.Process, s.ID} }

// Overlap reports whether two spans have time in common.
func Overlap(a, b Span) bool { return a.Start <= b.End && b.Start <= a.End }

// CommonTime is the share of the time of both spans in which they overlap, from 0 to 1.
func CommonTime(a, b Span) float64 {
	if !Overlap(a, b) {
		return 0
	}
	all := max(a.End, b.End) - min(a.Start, b.Start)
	if all == 0 {
		return 1
	}
	return float64(min(a.End, b.End)-max(a.Start, b.Start)) / float64(all)
}

// SpanNumber is a span id as a number, for comparisons.
func SpanNumber(id pcommon.SpanID) uint64 { return binary.BigEndian.Uint64(id[:]) }
