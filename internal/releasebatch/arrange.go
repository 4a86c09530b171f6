package releasebatch

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// A release batch has each resource and scope once, and is full at [MaxBytes]. If spans of large origins alternate, every batch
// has each of these origins for a few spans. So a small request could make many large ones. Therefore spans of one origin leave
// behind each other.

// arrange puts the spans of each stage in the order in which they leave.
func (k *Builder) arrange() {
	k.arranged = true
	for stage := range k.waiting {
		byOrigin(k.waiting[stage])
	}
}

// group is an origin, and how many spans of it leave. Once the order is known, next is the place of the next of them.
type group struct {
	origin                *evidence.Origin
	resource, count, next int // resource is the place of the first span of the resource
}

// byOrigin puts spans of one resource behind each other, and among these the spans of one scope, if that saves more than a
// batch. Resources, and the scopes of a resource, keep the order in which they occur first.
func byOrigin(all []leaving) {
	if wireOfOrigins(all) <= MaxBytes {
		return
	}
	resources := make(map[*evidence.Origin]int)
	numbers := make(map[*evidence.Origin]int) // of the origins, in the order in which they occur first
	var origins []group
	for i := range all {
		o := all[i].anchor.Origin
		n, seen := numbers[o]
		if !seen {
			if _, seen := resources[o.First]; !seen {
				resources[o.First] = i
			}
			n = len(origins)
			numbers[o], origins = n, append(origins, group{origin: o, resource: resources[o.First]})
		}
		origins[n].count++
	}
	slices.SortStableFunc(origins, func(a, b group) int { return cmp.Compare(a.resource, b.resource) })
	place := 0
	for n := range origins {
		numbers[origins[n].origin], origins[n].next = n, place
		place += origins[n].count
	}
	ordered := make([]leaving, len(all))
	for i := range all {
		of := &origins[numbers[all[i].anchor.Origin]]
		ordered[of.next] = all[i]
		of.next++
	}
	copy(all, ordered)
}

// wireOfOrigins is how many bytes the origins take on the wire, if each is written wherever it differs from the one before.
func wireOfOrigins(all []leaving) (wire int) {
	var last *evidence.Origin
	for i := range all {
		if o := all[i].anchor.Origin; o != last {
			wire += int(o.First.OfResource.Wire) + int(o.OfScope.Wire)
			last = o
		}
	}
	return wire
}
