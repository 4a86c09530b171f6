package heldspans

import (
	"cmp"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// spansOfResources are traces with the given number of spans for each resource, in two scopes. Each span has its number as
// its ID.
func spansOfResources(counts ...int) ptrace.Traces {
	td := newTraces()
	id := byte(0)
	for _, n := range counts {
		rs := td.ResourceSpans().AppendEmpty()
		scopes := [2]ptrace.ScopeSpans{rs.ScopeSpans().AppendEmpty(), rs.ScopeSpans().AppendEmpty()}
		for i := range n {
			id++
			span := scopes[i*2/n].Spans().AppendEmpty()
			span.SetTraceID(pcommon.TraceID{1})
			span.SetSpanID(pcommon.SpanID{id})
		}
	}
	return td
}

// Repeated division of a batch leads to each of its spans alone, in order, in at most twice as many parts as spans.
func TestDivideComesToEachSpan(t *testing.T) {
	for _, counts := range [][]int{{1}, {2}, {7}, {1, 1}, {3, 1, 4}, {5, 9, 2, 6}} {
		t.Run(fmt.Sprint(counts), func(t *testing.T) {
			c := NewBatch()
			c.Traces = spansOfResources(counts...)
			total := c.Traces.SpanCount()
			var came []byte
			parts := 0
			for more := true; more; more = c.Next() {
				parts++
				if c.Divide() {
					continue // the halves come next
				}
				require.Equal(t, 1, c.Traces.SpanCount(), "only a single span is not divided")
				for span := range spansOf(c.Traces) {
					id := span.SpanID()
					came = append(came, id[0])
				}
			}
			require.Len(t, came, total)
			for i, id := range came {
				require.EqualValues(t, i+1, id, "in order, each once")
			}
			require.LessOrEqual(t, parts, 2*total)
		})
	}
}

func TestDivisible(t *testing.T) {
	for _, tc := range []struct {
		name   string
		err    error
		want   bool
		reason string
	}{
		{"any error", errors.New("no"), true, "some of the spans may be the cause"},
		{"a bad argument", status.Error(codes.InvalidArgument, "no"), true, "the consumer looked at the spans"},
		{"a sender that is not known", status.Error(codes.Unauthenticated, "no"), false, "no part would be accepted"},
		{"no such service", fmt.Errorf("export: %w", status.Error(codes.Unimplemented, "no")), false, "no part would be accepted"},
		{"two consumers", errors.Join(errors.New("no"), status.Error(codes.Unauthenticated, "no")), true, "the other may have looked"},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, Divisible(tc.err), tc.reason) })
	}
}

func TestNarrow(t *testing.T) {
	all := spansOfResources(2, 2)
	for _, tc := range []struct {
		name   string
		err    error
		want   int // spans that are tried again; 0: all of them
		reason string
	}{
		{"no detail", errors.New("no"), 0, "the error does not say what was accepted"},
		{"one span", consumererror.NewTraces(errors.New("no"), spansOfResources(1)), 1, "the others were accepted"},
		{"all", consumererror.NewTraces(errors.New("no"), all), 0, "nothing was accepted"},
		{"none", consumererror.NewTraces(errors.New("no"), newTraces()), 0, "an error without spans says nothing"},
		{"others", consumererror.NewTraces(errors.New("no"), otherSpan()), 0, "it speaks of other spans"},
		{"of several consumers", errors.Join(consumererror.NewTraces(errors.New("no"), spansOfResources(1))), 0, "each may have accepted something else"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := NewBatch()
			c.Traces = spansOfResources(2, 2)
			accepted := c.Narrow(tc.err)
			require.Equal(t, tc.want > 0, accepted > 0, tc.reason)
			require.Equal(t, cmp.Or(tc.want, 4), c.Traces.SpanCount(), tc.reason)
			require.Equal(t, 4, accepted+c.Traces.SpanCount(), tc.reason)
		})
	}
}

func otherSpan() ptrace.Traces {
	td := spansOfResources(1)
	td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).SetSpanID(pcommon.SpanID{99})
	return td
}

// A loss counts all spans, and names the first ones only.
func TestLossNamesAFewSpans(t *testing.T) {
	var l Loss
	l.Add(spansOfResources(loggedIDs), errors.New("first"))
	l.Add(spansOfResources(5), errors.New("last"))
	require.Equal(t, loggedIDs+5, l.Spans)
	require.Len(t, l.IDs, loggedIDs)
	require.EqualError(t, l.Err, "last")
}
