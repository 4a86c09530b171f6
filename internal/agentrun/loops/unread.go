package loops

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// LackRequests reports whether requests that could not be read would have changed the calls of a run. A tool span records its call,
// but the name may lack the spelling of the request. The requests of other processes than home count only where no call is known.
func LackRequests(calls []agentrun.PendingCall, responses []agentrun.ModelResponse, home agentrun.Process, sources agentrun.Sources) bool {
	for i := range responses {
		a := &responses[i]
		if !a.Unread || sources == agentrun.Spans && len(a.Requests) > 0 || len(calls) > 0 && home != 0 && a.Process.DiffersFrom(home) {
			continue
		}
		if a.MessagesOnly || sources == agentrun.Messages || slices.ContainsFunc(calls, func(r agentrun.PendingCall) bool { return r.Traits.NormalizedName }) {
			return true
		}
	}
	return false
}
