package condition

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// An Equality says that a path has one of some values, as a string. No value stands twice.
type Equality struct {
	Path   Path
	Values []string
}

// A Path is where a span, its scope or its resource has a value.
type Path struct {
	Of Origin
	// Key is that of an attribute, and empty for a name.
	Key string
}

// An Origin is what a path begins with.
type Origin uint8

// The origins that have a string.
const (
	SpanAttribute Origin = iota
	ResourceAttribute
	ScopeAttribute
	SpanName
	ScopeName
)

// A Place is a span with the scope and the resource that it stands in.
type Place struct {
	Resource ptrace.ResourceSpans
	Scope    ptrace.ScopeSpans
	Span     ptrace.Span
}

// of is the string at the path. In OTTL a string equals no value of another type.
func (p Path) of(at Place) (value string, ok bool) {
	switch p.Of {
	case SpanName:
		return at.Span.Name(), true
	case ScopeName:
		return at.Scope.Scope().Name(), true
	case SpanAttribute:
		return stringAt(at.Span.Attributes(), p.Key)
	case ScopeAttribute:
		return stringAt(at.Scope.Scope().Attributes(), p.Key)
	case ResourceAttribute:
		return stringAt(at.Resource.Resource().Attributes(), p.Key)
	}
	return "", false
}

func stringAt(attributes pcommon.Map, key string) (string, bool) {
	v, ok := attributes.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return v.Str(), true
}
