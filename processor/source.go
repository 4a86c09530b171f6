package processor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// process is that of a resource of td, by its place. It is read once, however many spans of agents there are.
func (b *batch) process(td ptrace.Traces, resource int) agentrun.Process {
	if len(b.processes) == 0 {
		b.processes = slices.Grow(b.processes, td.ResourceSpans().Len())[:td.ResourceSpans().Len()]
		clear(b.processes)
	}
	if b.processes[resource] == 0 {
		b.processes[resource] = agentrun.ProcessOf(td.ResourceSpans().At(resource).Resource())
	}
	return b.processes[resource]
}

// identify says of all that is known which process and which instrumentation told it. Spans of one scope stand together.
func (b *batch) identify(td ptrace.Traces) {
	for i := range b.known {
		k := &b.known[i]
		k.span.Process = b.process(td, k.resource)
		if before := i - 1; before >= 0 && b.known[before].resource == k.resource && b.known[before].within == k.within {
			k.scope = b.known[before].scope
		} else {
			k.scope = agentrun.ScopeOf(td.ResourceSpans().At(k.resource).ScopeSpans().At(k.within).Scope().Name())
		}
		k.answer.Process, k.answer.Scope = k.span.Process, k.scope
	}
}
