package ottlcontext

import "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"

// CheckedText returns a getter that fails where the check of the text's length does.
func CheckedText[K any](g ottl.StringLikeGetter[K], check func(bytes int) error) ottl.StringLikeGetter[K] {
	return checkedText[K]{g, check}
}

// CheckedBytes returns a getter that fails where the check of the bytes' length does.
func CheckedBytes[K any](g ottl.ByteSliceLikeGetter[K], check func(bytes int) error) ottl.ByteSliceLikeGetter[K] {
	return checkedBytes[K]{g, check}
}
