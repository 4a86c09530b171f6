package conditions

import (
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A Place is a span with the scope and the resource that it stands in.
type Place struct {
	Resource ptrace.ResourceSpans
	Scope    ptrace.ScopeSpans
	Span     ptrace.Span
}

// Open returns the context in which OTTL evaluates a condition at the place. The caller must close it.
func (at *Place) Open() *ottlspan.TransformContext {
	return ottlspan.NewTransformContext(at.Resource, at.Scope, at.Span)
}

// MaxAttributes is how many attributes a span, its scope and its resource may have each, if a condition reads them. OTTL searches
// them one by one.
const MaxAttributes = 4096

// TooWide reports whether there are more attributes than a condition may read.
func (at *Place) TooWide() bool {
	return at.Span.Attributes().Len() > MaxAttributes || at.Scope.Scope().Attributes().Len() > MaxAttributes ||
		at.Resource.Resource().Attributes().Len() > MaxAttributes
}
