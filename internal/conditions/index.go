package conditions

import (
	"slices"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A configuration may have thousands of conditions, and a Collector may receive thousands of runs in a second. Nearly every
// condition requires an equality, such as attributes["gen_ai.agent.name"] == "support". So an index looks the values of a span up,
// and only the conditions that may hold are evaluated.

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

// An Equality says that a path has a value, as a string.
type Equality struct {
	Path  Path
	Value string
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

// in is the string at the path. In OTTL a string equals no value of another type.
func (p Path) in(at *Place) (value string, ok bool) {
	var attributes pcommon.Map
	switch p.Of {
	case SpanName:
		return at.Span.Name(), true
	case ScopeName:
		return at.Scope.Scope().Name(), true
	case SpanAttribute:
		attributes = at.Span.Attributes()
	case ScopeAttribute:
		attributes = at.Scope.Scope().Attributes()
	case ResourceAttribute:
		attributes = at.Resource.Resource().Attributes()
	}
	v, ok := attributes.Get(p.Key)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return v.Str(), true
}

// An Index finds the conditions that may hold on a span. Every condition is in one place: under one equality that it requires, or in
// rest.
type Index struct {
	by    map[Equality][]int
	paths []Path // those of by
	rest  []int  // the conditions that may hold on every span
}

// NewIndex indexes conditions by the equalities that each requires: see [Required]. Those for which asked is false are left out. A
// condition that requires several equalities is indexed by the one that the fewest conditions share: by agent rather than by a
// common environment.
func NewIndex(required [][]Equality, asked func(i int) bool) Index {
	x := Index{by: map[Equality][]int{}}
	sharing := map[Equality]int{}
	for _, equalities := range required {
		for _, e := range equalities {
			sharing[e]++
		}
	}
	known := map[Path]bool{}
	for i := range required {
		switch {
		case !asked(i):
			continue
		case len(required[i]) == 0:
			x.rest = append(x.rest, i)
			continue
		}
		rarest := slices.MinFunc(required[i], func(a, b Equality) int { return sharing[a] - sharing[b] })
		x.by[rarest] = append(x.by[rarest], i)
		if !known[rarest.Path] {
			known[rarest.Path] = true
			x.paths = append(x.paths, rarest.Path)
		}
	}
	return x
}

// Candidates appends to list the conditions that may hold at a place, and sorts it.
func (x *Index) Candidates(list []int, at *Place) []int {
	list = append(list, x.rest...)
	for _, path := range x.paths {
		if value, ok := path.in(at); ok {
			list = append(list, x.by[Equality{path, value}]...)
		}
	}
	slices.Sort(list)
	return list
}
