package ottlcontext

import (
	"context"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
)

type checkedText[K any] struct {
	ottl.StringLikeGetter[K]
	check func(bytes int) error
}

func (g checkedText[K]) Get(ctx context.Context, of K) (string, bool, error) {
	text, found, err := g.StringLikeGetter.Get(ctx, of)
	if err != nil || !found {
		return text, found, err
	}
	if err := g.check(len(text)); err != nil {
		return "", false, err
	}
	return text, true, nil
}

// Text reads a text, or "" if there is none.
func Text[K any](ctx context.Context, g ottl.StringLikeGetter[K], of K) (string, error) {
	text, _, err := g.Get(ctx, of)
	return text, err
}

// IsLiteralText reports whether a getter has a constant.
func IsLiteralText[K any](g ottl.StringLikeGetter[K]) bool {
	_, _, is := ottl.TryGetLiteralValue[K, string](g)
	return is
}

type checkedBytes[K any] struct {
	ottl.ByteSliceLikeGetter[K]
	check func(bytes int) error
}

func (g checkedBytes[K]) Get(ctx context.Context, of K) ([]byte, bool, error) {
	b, found, err := g.ByteSliceLikeGetter.Get(ctx, of)
	if err != nil || !found {
		return b, found, err
	}
	if err := g.check(len(b)); err != nil {
		return nil, false, err
	}
	return b, true, nil
}
