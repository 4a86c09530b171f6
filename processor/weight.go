package processor

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// What held spans take on the heap beside their size on the wire, in bytes, as measured.
const (
	spanBytes      = 200
	attributeBytes = 80 // each attribute, event and link
	originBytes    = 300
)

// spanWeight is what a span keeps alive, in bytes.
func spanWeight(s ptrace.Span) int {
	var sizer ptrace.ProtoMarshaler
	parts := s.Attributes().Len() + s.Events().Len() + s.Links().Len()
	for _, e := range s.Events().All() {
		parts += e.Attributes().Len()
	}
	return spanBytes + sizer.SpanSize(s) + parts*attributeBytes
}

// originWeight is what a resource and a scope keep alive, in bytes.
func originWeight(o *agentrun.Origin) int {
	var sizer ptrace.ProtoMarshaler
	attributes := o.Resource.Resource().Attributes().Len() + o.Scope.Scope().Attributes().Len()
	return originBytes + sizer.ResourceSpansSize(o.Resource) + sizer.ScopeSpansSize(o.Scope) + attributes*attributeBytes
}
