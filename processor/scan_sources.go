package processor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// identify finds out which processes sent the batch, by the places of their resources.
func (p *Processor) identify(b *batch, td ptrace.Traces) {
	resources := td.ResourceSpans()
	b.processes = slices.Grow(b.processes[:0], resources.Len())[:resources.Len()]
	for i := range b.processes {
		b.processes[i], b.room = p.processes.Of(resources.At(i).Resource(), b.room)
	}
}

// assignSources says of all that is known which process and which instrumentation told it. Spans of one scope stand together.
func (b *batch) assignSources(td ptrace.Traces) {
	for i := range b.recognized {
		k := &b.recognized[i]
		k.span.Process = b.processes[k.resource]
		if before := i - 1; before >= 0 && b.recognized[before].resource == k.resource && b.recognized[before].scopePlace == k.scopePlace {
			k.scope = b.recognized[before].scope
		} else {
			k.scope = agentrun.ScopeOf(td.ResourceSpans().At(k.resource).ScopeSpans().At(k.scopePlace).Scope().Name())
		}
		k.response.Process, k.response.Scope = k.span.Process, k.scope
	}
}
