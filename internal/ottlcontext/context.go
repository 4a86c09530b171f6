//go:build !collector_v0_161

// Package ottlcontext holds what differs between the releases of the Collector that this module compiles against.
//
// The only difference is the name of one constructor of OTTL: releases before v0.161 have NewTransformContextPtr,
// v0.161 and newer have NewTransformContext, and no release has both. The build tag collector_v0_161 chooses the second.
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
