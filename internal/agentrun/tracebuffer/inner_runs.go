package tracebuffer

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
)

// closeInnerLoops makes runs of inner loops. They have no anchors.
func (b *Buffer) closeInnerLoops(t *trace, loops []ownership.Candidate, reason agentrun.CloseReason, h *agentrun.ClosedBatch) {
	for i := range loops {
		s := &loops[i]
		s.Span = agentrun.Span{Trace: t.id, Start: s.Start, End: s.End, Process: s.Process}
		r := b.run(t, s, reason, h)
		if r.IsEmpty() && !wereOffered(s.Responses) {
			continue
		}
		r.Conversation = t.conversations.Of(r.Process())
		h.Runs = append(h.Runs, r)
	}
}

// wereOffered reports whether a model was offered tools. Then a run without calls is one.
func wereOffered(responses []agentrun.ModelResponse) bool {
	return slices.ContainsFunc(responses, func(a agentrun.ModelResponse) bool { return a.Offered })
}

// begunInVain reports whether a model was offered tools and given no result yet. If it requested none, its run has no calls.
// A later model call of a closed run was given results, so it does not count.
func begunInVain(responses []agentrun.ModelResponse) bool {
	return slices.ContainsFunc(responses, func(a agentrun.ModelResponse) bool { return a.Offered && a.Answered == "" })
}
