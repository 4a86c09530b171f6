// Package ottlcontext has what conditions need of OTTL beside its parser: the context of a span, and getters that are checked
// before they are read.
package ottlcontext

import (
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// New returns the context in which OTTL evaluates a condition on a span. The caller must close the context, and must not
// use it afterwards.
func New(resource ptrace.ResourceSpans, scope ptrace.ScopeSpans, span ptrace.Span) *ottlspan.TransformContext {
	return ottlspan.NewTransformContext(resource, scope, span)
}
