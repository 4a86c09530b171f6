package byprocess

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"

// NoteOthers notes in a run what leads to runs of the other processes that recorded calls or requests of it. These are given
// as they were before the run's own process took some of them for its own. If conversations is false, the conversations of
// these processes do not count.
func NoteOthers(r *agentrun.Run, calls []agentrun.PendingCall, responses []agentrun.ModelResponse, known *Table, in *Conversations, conversations bool) {
	own, last := r.Process(), agentrun.Process(0)
	note := func(p agentrun.Process, callID string) {
		if agentrun.IsUniqueCallID(callID) {
			r.OthersIDs = append(r.OthersIDs, agentrun.ProcessCallID{Process: p, ID: callID})
		}
		if p == last {
			return
		}
		last = p
		r.OthersShare = r.OthersShare || known.Of(p)&SharesCalls != 0
		if id := in.Own(p); conversations && id != "" && id != r.Conversation {
			r.OthersIn = append(r.OthersIn, id)
		}
	}
	for i := range calls {
		if p := calls[i].Process; p.DiffersFrom(own) {
			note(p, calls[i].CallID)
		}
	}
	for i := range responses {
		if p := responses[i].Process; p.DiffersFrom(own) {
			for j := range responses[i].Requests {
				note(p, responses[i].Requests[j].ID)
			}
		}
	}
}
