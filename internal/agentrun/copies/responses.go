package copies

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/results"
)

// DropResponses sorts responses and keeps one of those with the same span. Responses of one span that contradict
// each other are all kept.
func DropResponses(responses []agentrun.ModelResponse, w *compare.Work) (d DroppedResponses) {
	*w += compare.Work(len(responses))
	sortResponses(responses)
	n := 0
	for i := range responses {
		a := &responses[i] // a response is large, and mostly stays where it is
		if n > 0 && responses[n-1].Key() == a.Key() && !a.ID.IsEmpty() {
			if responses[n-1].Includes(a) {
				responses[n-1].Unread = responses[n-1].Unread || a.Unread
				d.Freed += a.Retained()
				d.Requests += len(a.Requests)
				continue
			}
			d.Contradicted = true
		}
		if n < i {
			responses[n] = *a
		}
		n++
	}
	clear(responses[n:])
	d.Kept = responses[:n]
	return d
}

// sortResponses sorts responses by their spans, and puts the longest of those with the same span first. Responses usually
// arrive in the order of their starts, and are not moved.
func sortResponses(responses []agentrun.ModelResponse) {
	for i := 1; i < len(responses); i++ {
		if responses[i].Start <= responses[i-1].Start {
			slices.SortFunc(responses, compareResponses)
			return
		}
	}
}

func compareResponses(a, b agentrun.ModelResponse) int {
	if order := cmp.Or(agentrun.CompareSpans(a.Span, b.Span), cmp.Compare(len(b.Requests), len(a.Requests)), cmp.Compare(len(b.Results), len(a.Results))); order != 0 {
		return order
	}
	if order := cmp.Or(slices.CompareFunc(a.Requests, b.Requests, compareRequests), agentrun.CompareShares(a, b)); order != 0 {
		return order
	}
	return cmp.Or(
		cmp.Compare(flagsOf(&a), flagsOf(&b)), cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Answered, b.Answered),
		slices.CompareFunc(a.Results, b.Results, results.Compare), cmp.Compare(agentrun.SpanNumber(a.Parent), agentrun.SpanNumber(b.Parent)),
	)
}

// flagsOf are the flags of a response as a number. A copy whose requests counted is first, because they count once. A copy whose
// requests may count is before one whose requests do not.
func flagsOf(a *agentrun.ModelResponse) (flags int) {
	for i, is := range [...]bool{a.Begins, a.OfAgent, a.Offered, !a.MessagesOnly, !a.Counted} {
		if is {
			flags |= 1 << i
		}
	}
	return flags
}

func compareRequests(a, b agentrun.ToolRequest) int {
	if order := cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name)); order != 0 {
		return order
	}
	return agentrun.ComparePayloads(a.Arguments, b.Arguments)
}

// DroppedResponses has the responses that are left. It says how many bytes and requests the others had, and whether some of
// those left contradict each other.
type DroppedResponses struct {
	Kept            []agentrun.ModelResponse
	Freed, Requests int
	Contradicted    bool
}
