//go:build !collector_v0_160 && !collector_v0_161

package ottlcontext

import (
	"context"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
)

// The getters below read values that may be missing. Releases before v0.160 have a nil for a missing text; newer ones have a
// bool beside the value.

type checkedText[K any] struct {
	ottl.StringLikeGetter[K]
	check func(bytes int) error
}

func (g checkedText[K]) Get(ctx context.Context, of K) (*string, error) {
	text, err := g.StringLikeGetter.Get(ctx, of)
	if err != nil || text == nil {
		return text, err
	}
	if err := g.check(len(*text)); err != nil {
		return nil, err
	}
	return text, nil
}

// Text reads a text, or "" if there is none.
func Text[K any](ctx context.Context, g ottl.StringLikeGetter[K], of K) (string, error) {
	text, err := g.Get(ctx, of)
	if err != nil || text == nil {
		return "", err
	}
	return *text, nil
}

// IsLiteralText reports whether a getter has a constant.
func IsLiteralText[K any](g ottl.StringLikeGetter[K]) bool {
	_, is := ottl.GetLiteralValue(g)
	return is
}

type checkedBytes[K any] struct {
	ottl.ByteSliceLikeGetter[K]
	check func(bytes int) error
}

func (g checkedBytes[K]) Get(ctx context.Context, of K) ([]byte, error) {
	b, err := g.ByteSliceLikeGetter.Get(ctx, of)
	if err != nil {
		return nil, err
	}
	if err := g.check(len(b)); err != nil {
		return nil, err
	}
	return b, nil
}
