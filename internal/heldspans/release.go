package heldspans

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

const (
	// MaxSpans is how many spans are released in one request at most. One run a request would flood the queues of
	// exporters, and one request for all would be more than some accept.
	MaxSpans = 512
	// MaxBytes bounds what is released in one request, on the wire and with the attributes that are written on its spans.
	// Only a single larger span exceeds it. Receivers of OTLP over gRPC accept 4 MiB by default, and refuse more for good.
	MaxBytes = 1 << 20
	// framing is how many bytes a span or an origin takes on the wire besides itself.
	framing = 6
	// queuedBytes is how many bytes of spans a queue takes before they leave. The attributes of verdicts may be much longer than the
	// spans, so scoring all runs at once could take many times the memory of the held spans. The spans of a log more may exceed it.
	queuedBytes = 8 << 20
)

// A Queue takes held spans, run by run, and gives them back in batches. The zero value is ready.
type Queue struct {
	// Batch is leaving, or nil.
	Batch *Batch
	taken [stages][]*evidence.Held
	left  []*evidence.Held // in the order in which they leave
	size  int64            // of the spans that are in no batch
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

// Next returns the batch that is leaving, or the next one if that is done, or nil if no span is left. Each batch copies
// resources, so it is made only when it is sent.
func (q *Queue) Next() *Batch {
	if q.Batch != nil && !q.Batch.done {
		return q.Batch
	}
	if len(q.left) == 0 {
		for _, spans := range q.taken {
			q.left = append(q.left, byOrigin(spans)...)
		}
		q.taken = [stages][]*evidence.Held{}
	}
	if len(q.left) == 0 {
		q.left, q.Batch = nil, nil
		return nil
	}
	q.Batch = NewBatch()
	for len(q.left) > 0 && q.Batch.hasRoom(q.left[0]) {
		q.size -= int64(q.left[0].Size)
		q.Batch.Place(q.left[0])
		q.left = q.left[1:]
	}
	return q.Batch
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

// A Batch is what is released in one request.
type Batch struct {
	// Traces are the part to be delivered next: all of it, until that is refused for good and divided. rest are the parts behind it, the
	// last of them first. Once no part is left, the batch is done.
	Traces ptrace.Traces
	rest   []ptrace.Traces
	done   bool
	// Spans is how many were placed, and Wire their length as OTLP, with what is written on them.
	Spans, Wire int
	// Lost has the spans that the next consumer refused for good.
	Lost Loss
	// resources has the place of each resource by its first origin, and scopes that of each origin's spans.
	resources map[*evidence.Origin]ptrace.ResourceSpans
	scopes    map[*evidence.Origin]ptrace.SpanSlice
}

// newTraces makes traces with an owner. Without one, a next consumer with the gate pdata.useProtoPooling frees their memory
// when its call ends, even if it refused them.
func newTraces() ptrace.Traces {
	traces := ptrace.NewTraces()
	pref.MarkPipelineOwnedTraces(traces)
	return traces
}

// NewBatch returns an empty batch.
func NewBatch() *Batch {
	return &Batch{Traces: newTraces(), resources: make(map[*evidence.Origin]ptrace.ResourceSpans), scopes: make(map[*evidence.Origin]ptrace.SpanSlice)}
}

// hasRoom reports whether a span fits. An empty batch has room for any span.
func (c *Batch) hasRoom(a *evidence.Held) bool {
	return c.Spans == 0 || c.Spans < MaxSpans && c.Wire+c.wireOf(a) <= MaxBytes
}

// wireOf is how much longer c gets by a span.
func (c *Batch) wireOf(a *evidence.Held) int {
	wire := int(a.Wire) + framing
	if _, has := c.scopes[a.Origin]; !has {
		wire += int(a.Origin.OfScope.Wire) + framing
		if _, has := c.resources[a.Origin.First]; !has {
			wire += int(a.Origin.First.OfResource.Wire) + framing
		}
	}
	return wire
}

// Place moves a held span into the batch. All spans of one resource are below one copy of it.
func (c *Batch) Place(a *evidence.Held) {
	c.Wire += c.wireOf(a)
	c.Spans++
	o := a.Origin
	spans, has := c.scopes[o]
	if !has {
		resource, has := c.resources[o.First]
		if !has {
			resource = c.Traces.ResourceSpans().AppendEmpty()
			o.Resource.CopyTo(resource)
			c.resources[o.First] = resource
		}
		scope := resource.ScopeSpans().AppendEmpty()
		o.Scope.CopyTo(scope)
		spans = scope.Spans()
		c.scopes[o] = spans
	}
	a.Data.MoveTo(spans.AppendEmpty())
}
