package heldspans

import (
	"errors"
	"iter"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Next drops the current part, and takes the next one. It returns false if there is none.
func (c *Batch) Next() bool {
	pref.UnrefTraces(c.Traces) // each reader still has a reference
	last := len(c.rest) - 1
	if c.done = last < 0; c.done {
		return false
	}
	c.Traces, c.rest = c.rest[last], c.rest[:last]
	return true
}

// Divide has two halves of the spans follow the current part. It returns false for a single span.
func (c *Batch) Divide() bool {
	half := c.Traces.SpanCount() / 2
	if half == 0 {
		return false
	}
	first := part(c.Traces, func(i int, _ ptrace.Span) bool { return i < half })
	second := part(c.Traces, func(i int, _ ptrace.Span) bool { return i >= half })
	c.rest = append(c.rest, second, first) // the last one is the next
	return true
}

// Divisible reports whether parts of a batch may be accepted that was refused for good with an error. It is false if the
// consumer did not examine the content: it does not know the sender, or does not have the service.
func Divisible(err error) bool {
	s, ok := alone[interface{ GRPCStatus() *status.Status }](err)
	if !ok {
		return true
	}
	code := s.GRPCStatus().Code()
	return code != codes.Unauthenticated && code != codes.Unimplemented
}

// alone returns the first error of a type in the chain of err. It does not look at errors that were joined: several consumers may have
// answered, each something else.
func alone[T any](err error) (of T, ok bool) {
	for ; err != nil && !ok; err = errors.Unwrap(err) {
		of, ok = err.(T)
	}
	return of, ok
}

// part copies those spans of td for which wanted holds. It is asked in order, with their numbers. Others may read the original.
func part(td ptrace.Traces, wanted func(i int, span ptrace.Span) bool) ptrace.Traces {
	to := newTraces()
	td.CopyTo(to)
	i := -1
	to.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				i++
				return !wanted(i, span)
			})
			return ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
	return to
}

// idsOf are the IDs of a span, as the log has them.
func idsOf(span ptrace.Span) string { return span.TraceID().String() + "/" + span.SpanID().String() }

// Narrow leaves in the current part the spans that the next consumer has not accepted, if its error names them, and returns how many
// it has accepted. An error of several consumers is not used.
func (c *Batch) Narrow(refusal error) (accepted int) {
	partial, ok := alone[consumererror.Traces](refusal)
	if !ok {
		return 0
	}
	said := partial.Data()
	accepted = c.Traces.SpanCount() - said.SpanCount()
	if said.SpanCount() == 0 || accepted <= 0 {
		return 0
	}
	left := make(map[string]int)
	for span := range spansOf(said) {
		left[idsOf(span)]++
	}
	rest := part(c.Traces, func(_ int, span ptrace.Span) bool {
		id := idsOf(span)
		left[id]--
		return left[id] >= 0
	})
	if rest.SpanCount() != said.SpanCount() { // it speaks of other spans
		pref.UnrefTraces(rest)
		return 0
	}
	pref.UnrefTraces(c.Traces)
	c.Traces = rest
	return accepted
}

func spansOf(td ptrace.Traces) iter.Seq[ptrace.Span] {
	return func(yield func(ptrace.Span) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(span) {
						return
					}
				}
			}
		}
	}
}

// A Loss has the lost spans of a release batch.
type Loss struct {
	Spans int
	IDs   []string // trace and span ids of the first ones
	Err   error    // the last refusal
}

// loggedIDs is how many lost spans of a release batch the log names.
const loggedIDs = 32

// Add counts traces as lost, because of err.
func (l *Loss) Add(td ptrace.Traces, err error) {
	l.Spans += td.SpanCount()
	l.Err = err
	for span := range spansOf(td) {
		if len(l.IDs) == loggedIDs {
			return
		}
		l.IDs = append(l.IDs, idsOf(span))
	}
}
