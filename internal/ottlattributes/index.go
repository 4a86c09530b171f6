package ottlattributes

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Few is the most attributes that a look-up searches one by one.
const Few = 64

// A Lookup finds the value of a key. The second result is false if there is none.
type Lookup func(ctx context.Context, m pcommon.Map, key string) (pcommon.Value, bool)

// index has the values of a map by their keys.
type index map[string]pcommon.Value

// indexes are what a context keeps.
type indexes struct {
	ofSpan, ofOrigin map[pcommon.Map]index
	read             int
}

type indexesKey struct{}

// Keep returns a context that keeps indexes. The context is for one goroutine at a time. The caller must not keep it longer
// than the attributes.
func Keep(ctx context.Context) context.Context {
	return context.WithValue(ctx, indexesKey{}, new(indexes))
}

// NextRun forgets the indexes of span attributes. The caller must call it before it evaluates conditions on another span.
func NextRun(ctx context.Context) {
	if x := indexesOf(ctx); x != nil {
		clear(x.ofSpan)
	}
}

// Read is how many attributes were read to make the indexes of a context, the forgotten ones included.
func Read(ctx context.Context) int {
	if x := indexesOf(ctx); x != nil {
		return x.read
	}
	return 0
}

// OfSpan finds a value in the attributes of a span, or in a map below them.
func OfSpan(ctx context.Context, m pcommon.Map, key string) (pcommon.Value, bool) {
	if m.Len() > Few {
		if x := indexesOf(ctx); x != nil {
			v, ok := x.in(&x.ofSpan, m)[key]
			return v, ok
		}
	}
	return m.Get(key)
}

// OfOrigin finds a value in the attributes of a resource or a scope, or in a map below them.
func OfOrigin(ctx context.Context, m pcommon.Map, key string) (pcommon.Value, bool) {
	if m.Len() > Few {
		if x := indexesOf(ctx); x != nil {
			v, ok := x.in(&x.ofOrigin, m)[key]
			return v, ok
		}
	}
	return m.Get(key)
}

func indexesOf(ctx context.Context) *indexes {
	x, _ := ctx.Value(indexesKey{}).(*indexes)
	return x
}

// in returns the index of a map, which it makes if kept has none.
func (x *indexes) in(kept *map[pcommon.Map]index, m pcommon.Map) index {
	if i, ok := (*kept)[m]; ok {
		return i
	}
	if *kept == nil {
		*kept = map[pcommon.Map]index{}
	}
	x.read += m.Len()
	i := make(index, m.Len())
	for key, v := range m.All() {
		if _, repeated := i[key]; !repeated {
			i[key] = v
		}
	}
	(*kept)[m] = i
	return i
}
