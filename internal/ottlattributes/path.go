package ottlattributes

import (
	"context"
	"errors"
	"fmt"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Get returns the value that keys lead to, as OTTL's own contexts do. It is nil if a key is missing. The error says which
// kind of key a value does not have. keys must not be empty.
func Get[K any](ctx context.Context, of K, find Lookup, m pcommon.Map, keys []ottl.Key[K]) (any, error) {
	var v pcommon.Value // the first key sets it
	for i, key := range keys {
		switch {
		case i == 0 || v.Type() == pcommon.ValueTypeMap:
			if i > 0 {
				m = v.Map()
			}
			name, err := nameOf(ctx, of, key)
			if err != nil {
				return nil, fmt.Errorf("cannot get map value: %w", err)
			}
			found, ok := find(ctx, m, name)
			if !ok {
				return nil, nil
			}
			v = found
		case v.Type() == pcommon.ValueTypeSlice:
			at, err := indexOf(ctx, of, key)
			if err != nil {
				return nil, err
			}
			if at < 0 || at >= int64(v.Slice().Len()) {
				return nil, fmt.Errorf("index %d out of bounds", at)
			}
			v = v.Slice().At(int(at))
		default:
			return nil, fmt.Errorf("type %v does not support string indexing", v.Type())
		}
	}
	return Raw(v), nil
}

// nameOf is a key of a map.
func nameOf[K any](ctx context.Context, of K, key ottl.Key[K]) (string, error) {
	name, err := key.String(ctx, of)
	if err != nil {
		return "", err
	}
	if name != nil {
		return *name, nil
	}
	text, err := expressed[K, string](ctx, of, key)
	if err != nil {
		return "", fmt.Errorf("unable to resolve a string index in map: %w", err)
	}
	return text, nil
}

// indexOf is a key of a list.
func indexOf[K any](ctx context.Context, of K, key ottl.Key[K]) (int64, error) {
	number, err := key.Int(ctx, of)
	if err != nil {
		return 0, err
	}
	if number != nil {
		return *number, nil
	}
	at, err := expressed[K, int64](ctx, of, key)
	if err != nil {
		return 0, fmt.Errorf("unable to resolve an integer index in slice: %w", err)
	}
	return at, nil
}

// expressed is the value of a key that is an expression.
func expressed[K any, V any](ctx context.Context, of K, key ottl.Key[K]) (value V, err error) {
	expression, err := key.ExpressionGetter(ctx, of)
	if err != nil {
		return value, err
	}
	if expression == nil {
		return value, errors.New("invalid key type")
	}
	got, err := expression.Get(ctx, of)
	if err != nil {
		return value, err
	}
	value, ok := got.(V)
	if !ok {
		return value, fmt.Errorf("a key is of type %T, and not %T", got, value)
	}
	return value, nil
}

// Raw is an attribute as OTTL's own contexts return it.
func Raw(v pcommon.Value) any {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return v.Str()
	case pcommon.ValueTypeBool:
		return v.Bool()
	case pcommon.ValueTypeInt:
		return v.Int()
	case pcommon.ValueTypeDouble:
		return v.Double()
	case pcommon.ValueTypeMap:
		return v.Map()
	case pcommon.ValueTypeSlice:
		return v.Slice()
	case pcommon.ValueTypeBytes:
		return v.Bytes().AsRaw()
	}
	return nil
}
