package releasebatch

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// queuedBytes is how many bytes of spans a queue takes before they leave. The attributes of verdicts may be much longer than the
// spans, so scoring all runs at once could take many times the memory of the held spans. The spans of a log more may exceed it.
const queuedBytes = 8 << 20

// A Queue takes held spans, run by run, and gives them back in batches. The zero value is ready.
type Queue struct {
	taken [stages][]*evidence.Held
	left  []*evidence.Held // in the order in which they leave
	size  int64            // of the spans that have not left
}

// Spans leave in stages, so that the own span of a run leaves after all other spans of the run.
const (
	partsAndCalls = iota
	ownSpans
	withoutVerdict
	stages
)

// Full reports whether the queue has taken enough.
func (q *Queue) Full() bool { return q.size >= queuedBytes }

// Size is how many bytes the spans in it keep alive, without their origins.
func (q *Queue) Size() int64 { return q.size }

// Pass takes spans without a verdict. The caller must not change them any more.
func (q *Queue) Pass(held []evidence.Held) { q.take(withoutVerdict, held) }

// PassRun takes the spans of a run without a verdict.
func (q *Queue) PassRun(run *runs.Run) {
	q.Pass(run.Companions)
	q.Pass(run.Anchors)
}

// Take takes the spans of a run, with its verdict on them. At most [evidence.MaxCopies] copies of its own span have one.
func (q *Queue) Take(run *runs.Run) {
	copies := min(len(run.Anchors), evidence.MaxCopies)
	q.take(partsAndCalls, run.Companions)
	q.take(ownSpans, run.Anchors[:copies])
	q.take(withoutVerdict, run.Anchors[copies:])
}

func (q *Queue) take(stage int, held []evidence.Held) {
	for i := range held {
		q.taken[stage] = append(q.taken[stage], &held[i])
		q.size += int64(held[i].Size)
	}
}

// Next returns the next batch, or nil if no span is left. Each batch copies resources, so it is made only when it is sent.
func (q *Queue) Next() *Batch {
	if len(q.left) == 0 {
		for _, spans := range q.taken {
			q.left = append(q.left, byOrigin(spans)...)
		}
		q.taken = [stages][]*evidence.Held{}
	}
	if len(q.left) == 0 {
		return nil
	}
	c := New()
	for len(q.left) > 0 && c.hasRoom(q.left[0]) {
		q.size -= int64(q.left[0].Size)
		c.Place(q.left[0])
		q.left = q.left[1:]
	}
	if len(q.left) == 0 {
		q.left = nil
	}
	return c
}

// byOrigin puts spans of one resource behind each other, and among these the spans of one scope. Resources, and the scopes of a
// resource, keep the order in which they occur first.
//
// A batch has each resource and scope once, and is full at [MaxBytes]. If spans of large origins alternated, every batch would
// have each of these origins for a few spans. So a small request could make many large ones.
func byOrigin(all []*evidence.Held) []*evidence.Held {
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
	return all
}
