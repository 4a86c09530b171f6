package conditions

import (
	"context"
	"errors"
	"reflect"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// MaxBytes is the largest value that a function reads: the bytes of a text, or those of all texts and keys in a map or a list,
// where each element counts as one more. A regular expression takes some 50 ns for each byte.
const MaxBytes = 64 << 10

// ErrTooLarge says that a function would have read a value of more than [MaxBytes]. It reads no part of it, because the condition
// could then hold where it does not.
var ErrTooLarge = errors.New("a function reads at most 64 KiB of a value")

// functions are OTTL's own by name, with bounds on the arguments that are read from a span or a call.
func functions[K any]() map[string]ottl.Factory[K] {
	all := ottlfuncs.StandardConverters[K]()
	for name, f := range all {
		create := func(fCtx ottl.FunctionContext, arguments ottl.Arguments) (ottl.ExprFunc[K], error) {
			if v := reflect.ValueOf(arguments); v.Kind() == reflect.Pointer {
				for _, field := range v.Elem().Fields() {
					bind[K](field)
				}
			}
			return f.CreateFunction(fCtx, arguments)
		}
		all[name] = ottl.NewFactory(f.Name(), f.CreateDefaultArguments(), create)
	}
	return all
}

// bind puts the bound before an argument, which OTTL gives as a getter of the type that the function asks for. Functions prepare
// themselves for constants, so these stay as they are.
func bind[K any](argument reflect.Value) {
	switch {
	case argument.Kind() == reflect.Slice:
		for i := range argument.Len() {
			bind[K](argument.Index(i))
		}
		return
	case argument.Kind() != reflect.Interface, argument.IsNil(), !argument.CanSet():
		return
	}
	switch getter := argument.Addr().Interface().(type) {
	case *ottl.StringGetter[K]:
		if _, constant := ottl.GetLiteralValue(*getter); !constant {
			*getter = bounded[K, string]{*getter}
		}
	case *ottl.StringLikeGetter[K]:
		if _, _, constant := ottl.TryGetLiteralValue(*getter); !constant {
			*getter = boundedLike[K, string]{*getter}
		}
	case *ottl.Getter[K]:
		if _, constant := ottl.GetLiteralValue(*getter); !constant {
			*getter = bounded[K, any]{*getter}
		}
	case *ottl.ByteSliceLikeGetter[K]:
		*getter = boundedLike[K, []byte]{*getter}
	case *ottl.PMapGetter[K]:
		*getter = bounded[K, pcommon.Map]{*getter}
	case *ottl.PSliceGetter[K]:
		*getter = bounded[K, pcommon.Slice]{*getter}
	}
}

// bounded and boundedLike are getters that fail with [ErrTooLarge].
type (
	bounded[K, V any]     struct{ ottl.TypedGetter[K, V] }
	boundedLike[K, V any] struct{ ottl.OptionalGetter[K, V] }
)

func (g bounded[K, V]) Get(ctx context.Context, of K) (V, error) {
	v, err := g.TypedGetter.Get(ctx, of)
	if err == nil && attributes.Size(v, MaxBytes) > MaxBytes {
		err = ErrTooLarge
	}
	return v, err
}

func (g boundedLike[K, V]) Get(ctx context.Context, of K) (V, bool, error) {
	v, found, err := g.OptionalGetter.Get(ctx, of)
	if err == nil && attributes.Size(v, MaxBytes) > MaxBytes {
		err = ErrTooLarge
	}
	return v, found, err
}

// Failure is what may be logged of an error of OTTL, whose text may quote private values: the text if values says so, or if the error is
// about types alone.
func Failure(err error, values bool) string {
	var wrongType ottl.TypeError
	switch {
	case values:
		return err.Error()
	case errors.As(err, &wrongType):
		return wrongType.Error()
	}
	return "annotate.values: true logs its text, which may quote attributes"
}
