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
func (p Path) of(at Place, find Lookup) (value string, ok bool) {
	switch p.Of {
	case SpanName:
		return at.Span.Name(), true
	case ScopeName:
		return at.Scope.Scope().Name(), true
	case SpanAttribute:
		return p.stringIn(at.Span.Attributes(), find)
	case ScopeAttribute:
		return p.stringIn(at.Scope.Scope().Attributes(), find)
	case ResourceAttribute:
		return p.stringIn(at.Resource.Resource().Attributes(), find)
	}
	return "", false
}

// A Lookup finds an attribute of an origin. The second result is false if there is none.
type Lookup func(o Origin, attributes pcommon.Map, key string) (pcommon.Value, bool)

func (p Path) stringIn(attributes pcommon.Map, find Lookup) (string, bool) {
	v, ok := find(p.Of, attributes, p.Key)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return v.Str(), true
}
