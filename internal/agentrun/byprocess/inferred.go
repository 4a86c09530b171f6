package byprocess

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

const (
	// maxInferred bounds how many agents of a trace one process may show by their steps alone.
	maxInferred = 128
	// inferredBytes is the size of one.
	inferredBytes = 24
)

// InferredAgents are the spans of each process below which an agent took steps, though nothing else says that they ran one.
type InferredAgents map[agentrun.Process]map[pcommon.SpanID]bool

// Add notes that there were steps of an agent below a span of their process, and returns by how many bytes s grew. full: there
// is no room for it.
func (s *InferredAgents) Add(above agentrun.SpanKey) (grown int, full bool) {
	of := (*s)[above.Process]
	if above.ID.IsEmpty() || of[above.ID] || len(of) >= maxInferred {
		return 0, !above.ID.IsEmpty() && !of[above.ID]
	}
	if of == nil {
		of = make(map[pcommon.SpanID]bool)
		if *s == nil {
			*s = make(InferredAgents)
		}
		(*s)[above.Process] = of
		grown = processBytes
	}
	of[above.ID] = true
	return grown + inferredBytes, false
}

// Forget drops a span that is itself an agent's. It returns by how many bytes s grew, which is not positive.
func (s InferredAgents) Forget(span agentrun.SpanKey) (grown int) {
	if s[span.Process][span.ID] {
		delete(s[span.Process], span.ID)
		grown = -inferredBytes
	}
	return grown
}

// Has reports whether there were steps below a span, of its process or of an unknown one.
func (s InferredAgents) Has(span agentrun.SpanKey) bool {
	return s[span.Process][span.ID] || s[0][span.ID]
}

// All yields each span below which there were steps.
func (s InferredAgents) All(yield func(agentrun.SpanKey) bool) {
	for process, of := range s {
		for above := range of {
			if !yield(agentrun.SpanKey{Process: process, ID: above}) {
				return
			}
		}
	}
}

// Bytes is how many bytes s keeps alive.
func (s InferredAgents) Bytes() (n int) {
	for _, of := range s {
		n += processBytes + len(of)*inferredBytes
	}
	return n
}
