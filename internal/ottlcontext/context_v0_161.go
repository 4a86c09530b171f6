//go:build collector_v0_161

package ottlcontext

import (
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// New is as in context.go.
func New(resource ptrace.ResourceSpans, scope ptrace.ScopeSpans, span ptrace.Span) *ottlspan.TransformContext {
	return ottlspan.NewTransformContext(resource, scope, span)
}
