//go:build !collector_v0_161

// Package ottlcontext holds what differs between the releases of the Collector that this module compiles against.
//
// Two things differ, both in OTTL. From v0.160 on, a getter of an optional value says by a bool whether there is one. From
// v0.161 on, the constructor NewTransformContextPtr is called NewTransformContext. No release has both forms, so build tags
// choose: collector_v0_160 for v0.160, and collector_v0_161 for v0.161 and newer.
package ottlcontext

import (
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// New returns the context in which OTTL evaluates a condition on a span. The caller must close the context, and must not
// use it afterwards.
//
// If the compiler does not know NewTransformContextPtr, the Collector is v0.161 or newer: build with -tags collector_v0_161.
func New(resource ptrace.ResourceSpans, scope ptrace.ScopeSpans, span ptrace.Span) *ottlspan.TransformContext {
	return ottlspan.NewTransformContextPtr(resource, scope, span)
}
