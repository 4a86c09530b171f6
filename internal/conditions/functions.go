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
		all[name] = boundedFactory(f)
	}
	return all
}

func boundedFactory[K any](f ottl.Factory[K]) ottl.Factory[K] {
	create := func(fCtx ottl.FunctionContext, arguments ottl.Arguments) (ottl.ExprFunc[K], error) {
		b := new(function[K])
		if v := reflect.ValueOf(arguments); v.Kind() == reflect.Pointer {
			for _, field := range v.Elem().Fields() {
				b.bind(field)
			}
		}
		call, err := f.CreateFunction(fCtx, arguments)
		if err != nil || b.variables != 1 || b.text == nil {
			return call, err
		}
		b.call = call
		return b.answer, nil
	}
	return ottl.NewFactory(f.Name(), f.CreateDefaultArguments(), create)
}

// function is one place where a condition calls a function.
type function[K any] struct {
	call ottl.ExprFunc[K]
	// variables is how many arguments are not known to be constants. text is the last of them that is a text.
	variables int
	text      func(context.Context, K) (string, error)
}

// bind puts the bound before an argument, which OTTL gives as a getter of the type that the function asks for. Functions prepare
// themselves for constants, so these stay as they are.
func (b *function[K]) bind(argument reflect.Value) {
	switch argument.Kind() {
	case reflect.Slice:
		for i := range argument.Len() {
			b.bind(argument.Index(i))
		}
		return
	case reflect.String, reflect.Bool, reflect.Int64, reflect.Float64:
		return
	case reflect.Interface:
		if argument.IsNil() || !argument.CanSet() {
			return
		}
	default: // an optional argument, or a function
		b.variables += 2
		return
	}
	switch getter := argument.Addr().Interface().(type) {
	case *ottl.StringGetter[K]:
		if _, constant := ottl.GetLiteralValue(*getter); constant {
			return
		}
		*getter = bounded[K, string]{*getter}
		b.text = (*getter).Get
	case *ottl.StringLikeGetter[K]:
		if _, _, constant := ottl.TryGetLiteralValue(*getter); constant {
			return
		}
		like := boundedLike[K, string]{*getter}
		*getter = like
		b.text = func(ctx context.Context, of K) (string, error) { text, _, err := like.Get(ctx, of); return text, err }
	case *ottl.Getter[K]:
		if _, constant := ottl.GetLiteralValue(*getter); constant {
			return
		}
		*getter = bounded[K, any]{*getter}
	case *ottl.ByteSliceLikeGetter[K]:
		*getter = boundedLike[K, []byte]{*getter}
	case *ottl.PMapGetter[K]:
		*getter = bounded[K, pcommon.Map]{*getter}
	case *ottl.PSliceGetter[K]:
		*getter = bounded[K, pcommon.Slice]{*getter}
	}
	b.variables++
}

// bounded and boundedLike are getters that fail with [ErrTooLarge].
type (
	bounded[K, V any]     struct{ ottl.TypedGetter[K, V] }
	boundedLike[K, V any] struct{ ottl.OptionalGetter[K, V] }
)

func (g bounded[K, V]) Get(ctx context.Context, of K) (V, error) {
	v, err := g.TypedGetter.Get(ctx, of)
	if err == nil && sizeOf(v) > MaxBytes {
		err = ErrTooLarge
	}
	return v, err
}

func (g boundedLike[K, V]) Get(ctx context.Context, of K) (V, bool, error) {
	v, found, err := g.OptionalGetter.Get(ctx, of)
	if err == nil && sizeOf(v) > MaxBytes {
		err = ErrTooLarge
	}
	return v, found, err
}

// sizeOf returns how many bytes count for a value. It stops beyond MaxBytes.
func sizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	case pcommon.Map:
		return attributes.Size(v, MaxBytes)
	case pcommon.Slice:
		return attributes.SizeOfSlice(v, MaxBytes)
	}
	return 0
}

const (
	// longText is the size in bytes from which the answer for a text is remembered. To read a shorter one again takes less time than
	// the rest of a verdict.
	longText = 256
	// mostAnswers is how many answers are remembered. A sender of more different texts only slows its own request.
	mostAnswers = 1 << 12
)

// memory has the answers of functions for long texts.
type memory map[question]answer

type question struct {
	of   any // a function
	text string
}

type answer struct {
	value any
	err   error
}

type memoryKey struct{}

// Remember returns a context for evaluating conditions on many spans, one after the other: a function reads a long text of a
// resource once for all of its runs. The context is for one goroutine at a time, and no longer than the spans.
func Remember(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryKey{}, memory{})
}

// answer is the result of the function. It is remembered if the function reads one long text and nothing else.
func (b *function[K]) answer(ctx context.Context, of K) (any, error) {
	m, _ := ctx.Value(memoryKey{}).(memory)
	if m == nil {
		return b.call(ctx, of)
	}
	text, err := b.text(ctx, of)
	if err != nil || len(text) < longText {
		return b.call(ctx, of)
	}
	asked := question{b, text}
	if known, ok := m[asked]; ok {
		return known.value, known.err
	}
	value, err := b.call(ctx, of)
	if len(m) >= mostAnswers {
		clear(m)
	}
	m[asked] = answer{value, err}
	return value, err
}
