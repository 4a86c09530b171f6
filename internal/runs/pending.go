package runs

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// IsPending reports whether the last model response of a log asked for a call that nothing answers: somebody has to approve it, or the
// user's own program runs the tool. The conversation continues when the result is there.
func IsPending(log *evidence.Log) bool {
	last := lastResponse(log)
	if last == nil || len(last.Response.Requests) == 0 {
		return false
	}
	ids, names := make(map[string]bool), make(map[string]bool) // what answers
	for i := range log.Traces {
		for k := range log.Traces[i].Facts {
			f := &log.Traces[i].Facts[k]
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
	for i := range last.Response.Requests {
		if q := &last.Response.Requests[i]; q.ID != "" && !q.Ran() && !ids[q.ID] && !names[toolname.Key(q.Name)] {
			return true
		}
	}
	return false
}

// lastResponse is the fact of the model response that ended last, or nil.
func lastResponse(log *evidence.Log) (last *evidence.Fact) {
	for i := range log.Traces {
		for k := range log.Traces[i].Facts {
			f := &log.Traces[i].Facts[k]
			if f.Response != nil && f.Response.Shares == nil && !f.Response.IsTranscript() && (last == nil || compareEnds(&last.Span, &f.Span) < 0) {
				last = f
			}
		}
	}
	return last
}
