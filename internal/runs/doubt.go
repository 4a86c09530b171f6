package runs

import (
	"math/bits"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// Doubts are the reasons why a run is not complete: evidence of it is missing, or says two things. A run without doubts is
// complete, and no other.
type Doubts uint16

const (
	AnchorMissing     Doubts = 1 << iota // no span that represents the run arrived
	AnchorLate                           // the run was judged before the span that represents it arrived
	Limit                                // a limit closed the run, or left out calls
	Shutdown                             // the processor shut down before the run was due
	Restarted                            // the run began before the processor did, which does not know what came before
	OwnerUnknown                         // the chain of parents above a call is broken, and more than one run may have it
	CopiesDiffer                         // copies of a span, or records with one call ID, contradict each other
	ResultAmbiguous                      // the result of a call may be that of another one
	ContentUnreadable                    // a message that may have calls, or a name, could not be read, or was cut off
	EvidenceDropped                      // a bounded table had no room for something that may be of the run
	PartIncomplete                       // the run was joined from several, and one of them is not complete
	Pending                              // the last response of the conversation asked for a call that has no result yet
)

// words are the words of doubts on spans and in metrics, in the order of the constants.
var words = [...]string{
	"anchor_missing", "anchor_late", "limit", "shutdown", "restarted", "owner_unknown", "copies_differ", "result_ambiguous",
	"content_unreadable", "evidence_dropped", "part_incomplete", "pending",
}

// Complete reports whether nothing is missing.
func (d Doubts) Complete() bool { return d == 0 }

// Names returns the words of the doubts, in the order of the constants.
func (d Doubts) Names() (all []string) {
	for rest := d; rest != 0; rest &= rest - 1 { // the lowest bit is that of the first doubt
		all = append(all, words[bits.TrailingZeros(uint(rest))])
	}
	return all
}

// AllDoubts are the words of all doubts.
func AllDoubts() []string { return slices.Clone(words[:]) }

// doubtIf returns a doubt where something holds.
func doubtIf(holds bool, doubt Doubts) Doubts {
	if holds {
		return doubt
	}
	return 0
}

// doubtsOf says what is doubtful about a run of a trace that closes. Doubts of several traces are added in join.go.
func (t *tree) doubtsOf(r *run) Doubts {
	stands := r.Kind != evidence.Agent // calls of forgotten runs inside of it count for it
	return r.doubts |
		doubtIf(len(r.held) == 0, AnchorMissing) |
		doubtIf(r.ClosedBy == evidence.ByLimit || r.cut || t.x.Parted || t.in.Cut > 0 && r.Start <= t.in.Cut, Limit) |
		doubtIf(r.ClosedBy == evidence.ByShutdown, Shutdown) |
		doubtIf(t.differ, CopiesDiffer) |
		doubtIf(t.takenFrom(r) || t.x.Lost > 0 && stands && int64(r.Start) <= t.x.Lost, EvidenceDropped) |
		doubtIf(lacksRequests(r, t.o.Sources) || t.eq.over, ContentUnreadable)
}

// takenFrom reports whether another run of the trace may have calls of r: a limit closed it, or it closed without its anchor in the time
// of r.
func (t *tree) takenFrom(r *run) bool {
	return contains(t.facts, func(f *evidence.Fact) bool {
		return f.Closed && (f.ClosedBy == evidence.ByLimit || f.ID.IsEmpty() && f.ClosedBy != evidence.ByAnchor && f.Overlaps(&r.Span))
	})
}

// lacksRequests reports whether requests that were not recorded, or could not be read, would have changed the calls of a run. A tool span
// records its call, but its name may lack the spelling of the request.
func lacksRequests(r *run, sources Sources) bool {
	for _, a := range r.responses {
		if a.Response.Unrecorded && len(r.calls) == 0 {
			return true
		}
		if !a.Response.Unread || sources == Spans && len(a.Response.Requests) > 0 {
			continue
		}
		if a.Response.MessagesOnly || sources == Messages || contains(r.calls, func(c *Call) bool { return c.NormalizedName }) {
			return true
		}
	}
	return false
}
