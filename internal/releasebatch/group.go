package releasebatch

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"

// A release batch has each resource and scope once, and is full at [MaxBytes]. If spans of two large resources alternate, every
// batch has both for a few spans. So a small request could make many large ones. Group prevents that between runs. It does not
// prevent it within a run: its spans leave together, and may be of several large resources.

// groupedAtOnce is how many runs or spans are grouped together. It bounds the memory for that.
const groupedAtOnce = 1 << 13

// Group puts runs with spans of one origin behind each other, and likewise spans without a verdict, if that saves more than a
// release batch. Otherwise their order stays.
func Group(h *agentrun.ClosedBatch) {
	group(h.Runs, func(r *agentrun.Run) *agentrun.Origin {
		for _, held := range [...][]agentrun.Anchor{r.Anchors, r.Companions} {
			if len(held) > 0 {
				return held[0].Origin
			}
		}
		return nil
	})
	group(h.Passthrough, func(a *agentrun.Anchor) *agentrun.Origin { return a.Origin })
}

// group puts elements of one origin behind each other, in the order in which the origins occur first.
func group[T any](all []T, of func(*T) *agentrun.Origin) {
	for len(all) > 0 {
		part := all[:min(len(all), groupedAtOnce)]
		all = all[len(part):]
		if wireOfOrigins(part, of) <= MaxBytes {
			continue
		}
		places := make(map[*agentrun.Origin]int) // of each origin: first how many there are, then the next one's place
		var origins []*agentrun.Origin
		for i := range part {
			o := of(&part[i])
			if places[o] == 0 {
				origins = append(origins, o)
			}
			places[o]++
		}
		next := 0
		for _, o := range origins {
			next, places[o] = next+places[o], next
		}
		grouped := make([]T, len(part))
		for i := range part {
			o := of(&part[i])
			grouped[places[o]] = part[i]
			places[o]++
		}
		copy(part, grouped)
	}
}

// wireOfOrigins is how many bytes the origins take on the wire, if each is written wherever it differs from the one before.
func wireOfOrigins[T any](part []T, of func(*T) *agentrun.Origin) (wire int) {
	var last *agentrun.Origin
	for i := range part {
		if o := of(&part[i]); o != last && o != nil {
			wire += int(o.First.OfResource.Wire) + int(o.OfScope.Wire)
			last = o
		}
	}
	return wire
}
