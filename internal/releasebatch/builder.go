package releasebatch

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// builtBytes is how many bytes of spans a builder takes before they leave, and how many bytes of batches it builds at once.
// The attributes of verdicts may be much longer than the spans. So scoring all runs at once could take many times the memory
// of the held spans. A run, a span or a batch more may exceed it.
const builtBytes = 8 << 20

// A Builder takes held spans, run by run, and puts them into release batches. The zero value is ready.
type Builder struct {
	// waiting are the spans that were taken, each list in the order in which it leaves once it is arranged.
	waiting  [stages][]*evidence.Held
	next     [stages]int // the first of each list that has not left
	arranged bool
	size     int64 // of the spans that have not left

	open    *Batch   // may have room for more spans
	batches []*Batch // the full ones
	bytes   int64    // of those
}

// Spans leave in stages, so that the own span of a run leaves after all other spans of the run.
const (
	partsAndCalls = iota
	ownSpans
	withoutVerdict
	stages
)

// Full reports whether the builder has taken enough for [Builder.Build].
func (k *Builder) Full() bool { return k.size >= builtBytes }

// Len is how many spans were taken and are in no batch yet.
func (k *Builder) Len() (n int) {
	for stage := range k.waiting {
		n += len(k.waiting[stage]) - k.next[stage]
	}
	return n
}

// Size is how many bytes these spans keep alive, without their origins.
func (k *Builder) Size() int64 { return k.size }

// Pass takes a span without a verdict. The caller must not change it any more.
func (k *Builder) Pass(a *evidence.Held) { k.take(withoutVerdict, a) }

// PassRun takes the spans of a run without a verdict, and returns how many they are.
func (k *Builder) PassRun(run *runs.Run) int {
	for _, held := range [...][]evidence.Held{run.Companions, run.Anchors} {
		for i := range held {
			k.Pass(&held[i])
		}
	}
	return len(run.Companions) + len(run.Anchors)
}

// Take takes the spans of a run, with its verdict on them. At most [evidence.MaxCopies] copies of its own span have one.
func (k *Builder) Take(run *runs.Run) {
	for i := range run.Companions {
		k.take(partsAndCalls, &run.Companions[i])
	}
	for i := range run.Anchors {
		if i < evidence.MaxCopies {
			k.take(ownSpans, &run.Anchors[i])
		} else {
			k.take(withoutVerdict, &run.Anchors[i])
		}
	}
}

func (k *Builder) take(stage int, a *evidence.Held) {
	k.waiting[stage] = append(k.waiting[stage], a)
	k.size += int64(a.Size)
}

// Build puts the spans that were taken into batches and returns these. If [Builder.Len] is not 0 after that, the builder has
// more for another call. Until then, no further span may be taken.
func (k *Builder) Build() []*Batch {
	for stage := range k.waiting {
		if !k.arranged {
			byOrigin(k.waiting[stage])
		}
	}
	k.arranged = true
	for stage := range k.waiting {
		for k.next[stage] < len(k.waiting[stage]) && k.bytes < builtBytes {
			a := k.waiting[stage][k.next[stage]]
			k.next[stage]++
			k.size -= int64(a.Size)
			if k.open == nil || !k.open.HasRoom(a) {
				k.close()
				k.open = New()
			}
			k.open.Place(a)
		}
	}
	if k.Len() == 0 {
		k.forget()
	}
	k.close()
	built := k.batches
	k.batches, k.bytes = nil, 0
	return built
}

// close adds the current batch to the full ones.
func (k *Builder) close() {
	if k.open != nil {
		k.open.seal()
		k.bytes += k.open.Size
		k.batches = append(k.batches, k.open)
	}
	k.open = nil
}

// forget drops all that was taken. It keeps memory for the next spans if that is little.
func (k *Builder) forget() {
	const many = 1024
	for stage := range k.waiting {
		list := k.waiting[stage]
		clear(list)
		if k.waiting[stage] = list[:0]; cap(list) > many {
			k.waiting[stage] = nil
		}
	}
	k.next, k.arranged = [stages]int{}, false
}

// byOrigin puts spans of one resource behind each other, and among these the spans of one scope, if that saves more than a
// batch. Resources, and the scopes of a resource, keep the order in which they occur first.
//
// A release batch has each resource and scope once, and is full at [MaxBytes]. If spans of large origins alternate, every batch
// has each of these origins for a few spans. So a small request could make many large ones.
func byOrigin(all []*evidence.Held) {
	if wireOfOrigins(all) <= MaxBytes {
		return
	}
	resources := make(map[*evidence.Origin]int) // where they occur first
	spans := make(map[*evidence.Origin][]*evidence.Held)
	var origins []*evidence.Origin
	for i, a := range all {
		if _, seen := resources[a.Origin.First]; !seen {
			resources[a.Origin.First] = i
		}
		if _, seen := spans[a.Origin]; !seen {
			origins = append(origins, a.Origin)
		}
		spans[a.Origin] = append(spans[a.Origin], a)
	}
	slices.SortStableFunc(origins, func(a, b *evidence.Origin) int { return cmp.Compare(resources[a.First], resources[b.First]) })
	all = all[:0]
	for _, o := range origins {
		all = append(all, spans[o]...)
	}
}

// wireOfOrigins is how many bytes the origins take on the wire, if each is written wherever it differs from the one before.
func wireOfOrigins(all []*evidence.Held) (wire int) {
	var last *evidence.Origin
	for i := range all {
		if o := all[i].Origin; o != last {
			wire += int(o.First.OfResource.Wire) + int(o.OfScope.Wire)
			last = o
		}
	}
	return wire
}
