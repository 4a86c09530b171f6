package runs

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// rejectedOf returns the requests of a run that came to nothing. The run has those that were refused, and the spans that say that there
// is no such tool. Of a tool that was not offered, a call proves that the list of tools is not whole.
func (t *tree) rejectedOf(r *run) []Call {
	all, called := r.rejected, map[uint64]bool(nil)
	for _, a := range r.responses {
		for place := range a.Response.NotOffered {
			if called == nil {
				called = make(map[uint64]bool, len(r.calls))
				for i := range r.calls {
					called[toolname.Key(r.calls[i].Name)] = true
				}
			}
			if q := asked(a, a.Response.NotOffered, place); len(all) < t.o.MaxCalls && !called[toolname.Key(q.Name)] {
				all = append(all, q)
			}
		}
	}
	return onceRejected(all, r.calls)
}

// onceRejected puts rejected requests in order, and leaves out those that the calls have after all. Of the records of one request the
// first one stays. Without an ID of its own, each tool is rejected once.
func onceRejected(rejected, calls []Call) []Call {
	if len(rejected) == 0 {
		return nil
	}
	sortCalls(rejected)
	seen := make(map[callKey]bool)
	for i := range calls {
		seen[callKey{id: calls[i].CallID}] = true
	}
	for i := range rejected {
		if c := &rejected[i]; unique(c.CallID) {
			seen[keyOf("", c.Name)] = true
		}
	}
	return slices.DeleteFunc(rejected, func(c Call) bool {
		key := callKey{id: c.CallID}
		if !unique(c.CallID) {
			key = keyOf("", c.Name)
		}
		again := seen[key]
		seen[key] = true
		return again
	})
}

// IsPending reports whether the last model response of a log asked for a call that nothing answers: somebody has to approve it, or the
// user's own program runs the tool. The conversation continues when the result is there.
func IsPending(log *evidence.Log) bool {
	var last *evidence.Fact // with a response of a model, the one that ended last
	for i := range log.Traces {
		for _, f := range each(log.Traces[i].Facts) {
			if f.Response != nil && f.Response.Shares == nil && !f.Response.IsTranscript() && (last == nil || compareEnds(&last.Span, &f.Span) < 0) {
				last = f
			}
		}
	}
	if last == nil || len(last.Response.Requests) == 0 {
		return false
	}
	ids, names := make(map[string]bool), make(map[uint64]bool) // what answers
	for i := range log.Traces {
		for _, f := range each(log.Traces[i].Facts) {
			if c := f.Call; c != nil {
				ids[c.ID] = true
				if c.ID == "" && f.Start >= last.Start {
					names[toolname.Key(c.Name)] = true
				}
			}
			if r := f.Response; r != nil {
				for o := range r.Results {
					ids[r.Results[o].ID] = true
				}
				for _, id := range slices.Concat(r.Made, r.Refused) {
					ids[id] = true
				}
			}
		}
	}
	return contains(last.Response.Requests, func(q *evidence.ToolRequest) bool {
		return q.ID != "" && !q.Ran() && !ids[q.ID] && !names[toolname.Key(q.Name)]
	})
}
