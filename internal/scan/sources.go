package scan

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// assignSources says which process and which instrumentation sent each recognized span. Spans of one scope are neighbours.
func (b *Batch) assignSources(td ptrace.Traces) {
	for i := range b.Recognized {
		k := &b.Recognized[i]
		k.Span.Process = b.Processes[k.resource]
		if before := i - 1; before >= 0 && b.Recognized[before].resource == k.resource && b.Recognized[before].scopePlace == k.scopePlace {
			k.Scope = b.Recognized[before].Scope
		} else {
			k.Scope = agentrun.ScopeOf(td.ResourceSpans().At(k.resource).ScopeSpans().At(k.scopePlace).Scope().Name())
		}
		k.Response.Process, k.Response.Scope = k.Span.Process, k.Scope
	}
}
