package byprocess

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"

// NoteOthers notes in a run what leads to runs of the other processes that recorded calls of it. If conversations is false, the
// conversations of these processes do not count.
func NoteOthers(r *agentrun.Run, known *Table, in *Conversations, conversations bool) {
	own, last := r.Process(), agentrun.Process(0)
	for i := range r.Calls {
		p := r.Calls[i].Process
		if p == last || !p.DiffersFrom(own) {
			continue
		}
		last = p
		r.OthersShare = r.OthersShare || known.Of(p)&SharesCalls != 0
		if id := in.Own(p); conversations && id != "" && id != r.Conversation {
			r.OthersIn = append(r.OthersIn, id)
		}
	}
}
