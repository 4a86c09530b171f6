package processor

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

// releaseOrigins notes that spans are not held any more.
func (p *Processor) releaseOrigins(held []agentrun.Anchor) { p.origins.Add(-heldspans.LeaveAll(held)) }

// separateOrigins notes that the runs of h are not open any more. It returns how many bytes those origins take that only
// spans of h use. The caller must count these bytes from now on.
func (p *Processor) separateOrigins(h *agentrun.ClosedBatch) (bytes int64) {
	for i := range h.Runs {
		bytes += heldspans.LeaveAll(h.Runs[i].Anchors) + heldspans.LeaveAll(h.Runs[i].Companions)
	}
	bytes += heldspans.LeaveAll(h.Passthrough)
	p.origins.Add(-bytes)
	return bytes
}

// rejoin undoes separateOrigins.
func (p *Processor) rejoin(h *agentrun.ClosedBatch) {
	var bytes int64
	for i := range h.Runs {
		bytes += heldspans.UseAll(h.Runs[i].Anchors) + heldspans.UseAll(h.Runs[i].Companions)
	}
	p.origins.Add(bytes + heldspans.UseAll(h.Passthrough))
}

// closeOrigins counts the origins of closed runs as undelivered until all of these are in release batches. The caller must
// hold ticking.
func (p *Processor) closeOrigins(h *agentrun.ClosedBatch) {
	bytes := p.separateOrigins(h)
	p.closing += bytes
	p.undelivered.Add(bytes)
}
