package processor

import (
	"sync/atomic"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Held spans of one batch share their resource, and those of one scope their scope. What that takes counts once, for as
// long as one of them is held, and is not a part of any span's size: spans of one batch close at different times, and the
// last of them keeps all of it alive.

// use notes that one more span of an origin is held. It returns how many bytes are kept alive by that.
func use(o *agentrun.Origin) (bytes int64) {
	if atomic.AddInt32(&o.Users, 1) == 1 {
		bytes = int64(o.OfScope.Heap)
		if atomic.AddInt32(&o.First.ResourceUsers, 1) == 1 {
			bytes += int64(o.First.OfResource.Heap)
		}
	}
	return bytes
}

// leave notes that one span of an origin is not held any more. It returns how many bytes that lets go of.
func leave(o *agentrun.Origin) (bytes int64) {
	if atomic.AddInt32(&o.Users, -1) == 0 {
		bytes = int64(o.OfScope.Heap)
		if atomic.AddInt32(&o.First.ResourceUsers, -1) == 0 {
			bytes += int64(o.First.OfResource.Heap)
		}
	}
	return bytes
}

// leaveAll notes that spans are not held any more, and returns how many bytes that lets go of.
func leaveAll(held []agentrun.Anchor) (bytes int64) {
	for i := range held {
		bytes += leave(held[i].Origin)
	}
	return bytes
}

// releaseOrigins notes that spans are not held any more.
func (p *Processor) releaseOrigins(held []agentrun.Anchor) { p.origins.Add(-leaveAll(held)) }

// separateOrigins notes that the runs of h are not open any more. It returns how many bytes their origins take that no other
// span uses: whoever has h counts them from now on.
func (p *Processor) separateOrigins(h *agentrun.ClosedBatch) (bytes int64) {
	for i := range h.Runs {
		bytes += leaveAll(h.Runs[i].Anchors) + leaveAll(h.Runs[i].Companions)
	}
	bytes += leaveAll(h.Passthrough)
	p.origins.Add(-bytes)
	return bytes
}

// rejoin undoes part.
func (p *Processor) rejoin(h *agentrun.ClosedBatch) {
	var bytes int64
	for i := range h.Runs {
		bytes += useAll(h.Runs[i].Anchors) + useAll(h.Runs[i].Companions)
	}
	p.origins.Add(bytes + useAll(h.Passthrough))
}

// useAll notes that spans are held, and returns how many bytes are kept alive by that.
func useAll(held []agentrun.Anchor) (bytes int64) {
	for i := range held {
		bytes += use(held[i].Origin)
	}
	return bytes
}

// closeOrigins counts the origins of what has closed as undelivered until all of it is packed. The caller holds ticking.
func (p *Processor) closeOrigins(h *agentrun.ClosedBatch) {
	bytes := p.separateOrigins(h)
	p.closing += bytes
	p.undelivered.Add(bytes)
}
