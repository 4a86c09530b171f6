package releasebatch

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
)

// builtBytes is how much is judged before it is sent. The attributes of verdicts may be much longer than the spans. So
// scoring all runs at once could take many times the memory of the held spans.
const builtBytes = 8 << 20

// A Builder puts held spans into release batches, run by run.
type Builder struct {
	// Batches are the full ones, and after [Builder.Close] all.
	Batches []*Batch
	// Own are the copies of the own span of the run that was placed last, and Calls are the spans of its calls. Own has at
	// most [agentrun.MaxAnchorCopies], and none if the span never arrived.
	Own   []condition.Place
	Calls []ptrace.Span

	open  *Batch // may have room for more spans
	bytes int64  // of the full batches
	// own has the batch of each of Own. reserved is how many bytes are kept free there for what will be written on a copy.
	own      [agentrun.MaxAnchorCopies]*Batch
	reserved int
}

// Full reports whether there is enough to send.
func (k *Builder) Full() bool { return k.bytes >= builtBytes }

// Close adds the current batch to the full ones.
func (k *Builder) Close() {
	if k.open != nil && k.open.Spans > 0 {
		k.bytes += k.open.Size
		k.Batches = append(k.Batches, k.open)
	}
	k.open = nil
}

// room returns a batch with room for a span, and for more bytes that will be written on it.
func (k *Builder) room(a *agentrun.Anchor, more int) *Batch {
	if k.open == nil || !k.open.HasRoom(a, more) {
		k.Close()
		k.open = New()
	}
	return k.open
}

// Pass places a span without a verdict.
func (k *Builder) Pass(a *agentrun.Anchor) { k.room(a, 0).Add(a) }

// PassRun places the spans of a run without a verdict, and returns how many they are. Stored records of a run without a span
// stay in the storage.
func (k *Builder) PassRun(run *agentrun.Run) int {
	for _, held := range [...][]agentrun.Anchor{run.Companions, run.Anchors} {
		for i := range held {
			k.Pass(&held[i])
		}
	}
	return len(run.Companions) + len(run.Anchors)
}

// PlaceRun places the spans of a run. onCall and onRun bound the bytes that will be written on the span of a call and on a
// copy of the run's own span.
//
// The run's own span is released last. While it is stored, a start after a crash can score the spans of calls that were not
// released. The records of the run's parts are removed with its own span too: without one part, the others would be judged as
// the whole run. So a part may be released twice, the second time without a verdict. If Own is empty afterwards, the caller
// must acknowledge the checkpoints of the run.
func (k *Builder) PlaceRun(run *agentrun.Run, onCall, onRun int) {
	k.companions(run.Companions, onCall)
	k.Own, k.reserved = k.Own[:0], onRun
	for i := range run.Anchors {
		k.copy(&run.Anchors[i])
	}
	if len(k.Own) > 0 {
		own := k.own[0]
		own.Checkpoints = append(own.Checkpoints, run.Checkpoints...)
		own.OwnRecords(run.Companions)
	} else if len(run.Companions) > 0 {
		k.open.OwnRecords(run.Companions)
	}
}

// companions places the parts of a run, and remembers the spans of its calls. more is how many bytes may be written on each
// of those.
func (k *Builder) companions(all []agentrun.Anchor, more int) {
	k.Calls = k.Calls[:0]
	for i := range all {
		a := &all[i]
		if a.Kind != agentrun.Tool {
			k.room(a, 0).Place(a)
			continue
		}
		c := k.room(a, more)
		k.Calls = append(k.Calls, c.Add(a).Span)
		c.Grow(more, 2)
	}
}

// copy places a copy of the run's own span. For all but the first copy, the size of the attributes is not known yet, so the
// most that is possible is reserved. Only a bounded number of copies gets a verdict.
func (k *Builder) copy(a *agentrun.Anchor) {
	n, most := len(k.Own), k.reserved
	if n == agentrun.MaxAnchorCopies {
		k.Pass(a)
		return
	}
	if n == 0 {
		most = 0
	}
	c := k.room(a, most)
	k.Own, k.own[n] = append(k.Own, c.Add(a)), c
	c.Wire += most
	c.Remember(a)
}

// Wrote counts what was written on the copy of that number: bytes on the wire, and attributes and elements of lists.
func (k *Builder) Wrote(number, wire, parts int) {
	c := k.own[number]
	if number > 0 {
		c.Wire -= k.reserved
	}
	c.Grow(wire, parts)
}
