package calltimes

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"

// SetRanks notes the places of calls in the responses of models.
func SetRanks(calls []agentrun.PendingCall, responses []agentrun.ModelResponse) {
	ranks := ranksOf(responses)
	for i := range calls {
		calls[i].Rank = ranks[agentrun.ProcessCallID{Process: calls[i].Process, ID: calls[i].CallID}]
	}
}

// ranksOf returns the places of calls in the responses of models, by call ID and process. The requests of a group are of
// many responses, so they have no such place. Calls in the first place are left out. If several responses have an ID, its lowest place counts.
func ranksOf(responses []agentrun.ModelResponse) map[agentrun.ProcessCallID]uint16 {
	var ranks map[agentrun.ProcessCallID]uint16
	for i := range responses {
		if responses[i].Shares != nil {
			continue
		}
		requests := responses[i].Requests
		for place := 1; place < len(requests); place++ {
			id := agentrun.ProcessCallID{Process: responses[i].Process, ID: requests[place].ID}
			if id.ID == "" {
				continue
			}
			if ranks == nil {
				ranks = make(map[agentrun.ProcessCallID]uint16)
			}
			at := agentrun.RankOf(place)
			if known, ok := ranks[id]; ok {
				at = min(at, known)
			}
			ranks[id] = at
		}
	}
	return ranks
}
