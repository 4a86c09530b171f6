package correlate

import (
	"bytes"
	"cmp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// runBytes is how many bytes r, its anchors and its place in a Correlator keep alive, without the texts that runs share.
func runBytes(r *agentrun.Run) int {
	size := bundleBytes + int(r.Retained()) + (len(r.Anchors)+len(r.Companions))*anchorBytes
	for _, id := range r.AnsweredIDs {
		size += answeredBytes + len(id)
	}
	return size
}

// The sizes of a run in a Correlator besides its contents, in bytes, measured once and rounded up.
const (
	bundleBytes   = 420 // a Run, and a bundle of one
	anchorBytes   = 220
	keyBytes      = 110 // a key that leads to a bundle
	answeredBytes = 32
)

// hasOthersCalls reports whether only another process than the run's recorded one of the calls.
func hasOthersCalls(r *agentrun.Run) bool { return len(r.OwnCalls()) < len(r.Calls) }

// compareRuns orders runs by start. If two began together, the one that ended last is first, because it encloses the other.
func compareRuns(a, b agentrun.Run) int {
	x, y := a.Span(), b.Span()
	return cmp.Or(
		cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End),
		bytes.Compare(x.Trace[:], y.Trace[:]), bytes.Compare(x.ID[:], y.ID[:]),
	)
}

// compareCalls is the order of calls of several traces.
func compareCalls(a, b agentrun.Call) int {
	return cmp.Or(
		cmp.Compare(a.Start, b.Start), cmp.Compare(a.Rank, b.Rank),
		agentrun.CompareSpans(a.Span, b.Span), bytes.Compare(a.Trace[:], b.Trace[:]),
	)
}

// compareEnds orders spans by end.
func compareEnds(a, b agentrun.Span) int {
	return cmp.Or(
		cmp.Compare(a.End, b.End), cmp.Compare(a.Start, b.Start),
		bytes.Compare(a.Trace[:], b.Trace[:]), bytes.Compare(a.ID[:], b.ID[:]),
	)
}
