package runtest

import (
	"fmt"
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/processid"
)

// ID returns a span id that begins with name. Most names are one letter.
func ID(name string) (id pcommon.SpanID) {
	copy(id[:], name)
	return id
}

// Letter returns the name of an [ID].
func Letter(id pcommon.SpanID) string { return strings.TrimRight(string(id[:]), "\x00") }

// At makes a span from "id<parent start-end", say "c<a 2-3"; the times are in seconds. It panics on any other text.
func At(spec string) agentrun.Span {
	names, times, _ := strings.Cut(spec, " ")
	name, parent, _ := strings.Cut(names, "<")
	var start, end int
	if _, err := fmt.Sscanf(times, "%d-%d", &start, &end); err != nil {
		panic(spec)
	}
	return agentrun.Span{Trace: pcommon.TraceID{1}, ID: ID(name), Parent: ID(parent),
		Start: pcommon.Timestamp(start) * 1e9, End: pcommon.Timestamp(end) * 1e9}
}

// SpanOf is the i-th span id of a kind.
func SpanOf(kind byte, i int) pcommon.SpanID {
	return pcommon.SpanID{kind, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)}
}

// TraceNumber is the n-th trace ID.
func TraceNumber(n int) pcommon.TraceID {
	return pcommon.TraceID{byte(n), byte(n >> 8), byte(n >> 16), 1}
}

// ProcessOf is the process of a service.
func ProcessOf(service string) agentrun.Process {
	r := pcommon.NewResource()
	r.Attributes().PutStr("service.name", service)
	return processid.Of(r)
}

// AnySpan is a span within times, or now and then one of no length, of all time, or that ends before it starts. below returns a
// random number below n.
func AnySpan(below func(n uint64) uint64, times uint64) agentrun.Span {
	start := pcommon.Timestamp(below(times))
	s := agentrun.Span{ID: pcommon.SpanID{byte(below(8))}, Start: start, End: start + pcommon.Timestamp(below(times))}
	switch below(12) {
	case 0:
		s.End = s.Start
	case 1:
		s.Start, s.End = 0, math.MaxUint64
	case 2:
		s.Start, s.End = s.End, s.Start
	case 3:
		s.End = math.MaxUint64
	}
	return s
}
