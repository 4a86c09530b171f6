package ottlfunctions

import (
	"context"
	"errors"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	// MaxText is the longest text that a function reads, in bytes.
	MaxText = 64 << 10
	// MaxNested is how many bytes of text a map or a list may have that a function reads; each element counts as one more.
	MaxNested = 16 << 10
)

// Errors of values that are too large. They contain no value of the span.
var (
	ErrText   = errors.New("a text has more than 64 KiB, the most that a function reads")
	ErrNested = errors.New("a map or a list has more than 16 KiB, the most that a function reads")
)

// Each of these is a getter of OTTL that fails on values that are too large.
type (
	boundedString[K any] struct{ ottl.StringGetter[K] }
	boundedAny[K any]    struct{ ottl.Getter[K] }
	boundedMap[K any]    struct{ ottl.PMapGetter[K] }
	boundedSlice[K any]  struct{ ottl.PSliceGetter[K] }
)

func (g boundedString[K]) Get(ctx context.Context, s K) (string, error) {
	text, err := g.StringGetter.Get(ctx, s)
	if len(text) > MaxText {
		return "", ErrText
	}
	return text, err
}

// withinText fails if a text or bytes are too long to be read.
func withinText(bytes int) error {
	if bytes > MaxText {
		return ErrText
	}
	return nil
}

func (g boundedAny[K]) Get(ctx context.Context, s K) (any, error) {
	v, err := g.Getter.Get(ctx, s)
	if err != nil {
		return v, err
	}
	return v, check(v)
}

func (g boundedMap[K]) Get(ctx context.Context, s K) (pcommon.Map, error) {
	m, err := g.PMapGetter.Get(ctx, s)
	if err != nil {
		return m, err
	}
	return m, check(m)
}

func (g boundedSlice[K]) Get(ctx context.Context, s K) (pcommon.Slice, error) {
	list, err := g.PSliceGetter.Get(ctx, s)
	if err != nil {
		return list, err
	}
	return list, check(list)
}

// check returns an error if a value is larger than MaxText or MaxNested allows.
func check(v any) error {
	switch v := v.(type) {
	case string:
		if len(v) > MaxText {
			return ErrText
		}
	case []byte:
		if len(v) > MaxText {
			return ErrText
		}
	case pcommon.Value:
		switch v.Type() {
		case pcommon.ValueTypeStr:
			return check(v.Str())
		case pcommon.ValueTypeMap:
			return check(v.Map())
		case pcommon.ValueTypeSlice:
			return check(v.Slice())
		}
	case pcommon.Map:
		if leftByMap(v, MaxNested) < 0 {
			return ErrNested
		}
	case pcommon.Slice:
		if leftBySlice(v, MaxNested) < 0 {
			return ErrNested
		}
	}
	return nil
}

// leftBy is the rest of a number of bytes after a value. It stops when the rest is negative. Each level of nesting takes one
// byte, so deep values end as well.
func leftBy(v pcommon.Value, left int) int {
	switch left--; v.Type() {
	case pcommon.ValueTypeStr:
		return left - len(v.Str())
	case pcommon.ValueTypeBytes:
		return left - v.Bytes().Len()
	case pcommon.ValueTypeMap:
		return leftByMap(v.Map(), left)
	case pcommon.ValueTypeSlice:
		return leftBySlice(v.Slice(), left)
	}
	return left
}

func leftByMap(m pcommon.Map, left int) int {
	for key, v := range m.All() {
		if left -= len(key); left < 0 {
			break
		}
		left = leftBy(v, left)
	}
	return left
}

func leftBySlice(list pcommon.Slice, left int) int {
	for i := 0; i < list.Len() && left >= 0; i++ {
		left = leftBy(list.At(i), left)
	}
	return left
}
