package ottlfunctions

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
)

// span is the context in which a condition is evaluated.
type span = *ottlspan.TransformContext

// Functions are the functions that a condition on a span may call, by name: OTTL's own, with bounds.
func Functions() map[string]ottl.Factory[span] { return FunctionsOf[span]() }

// FunctionNames are the names of the functions that a condition may call, sorted.
func FunctionNames() []string { return slices.Sorted(maps.Keys(Functions())) }

// FunctionsOf are the functions that a condition in the context K may call, by name: OTTL's own, with bounds.
func FunctionsOf[K any]() map[string]ottl.Factory[K] {
	functions := ottlfuncs.StandardConverters[K]()
	for name, f := range functions {
		functions[name] = bounded(f)
	}
	return functions
}

// bounded returns a factory of the same function whose calls are bounded.
func bounded[K any](f ottl.Factory[K]) ottl.Factory[K] {
	create := func(fCtx ottl.FunctionContext, arguments ottl.Arguments) (ottl.ExprFunc[K], error) {
		b := new(function[K])
		b.bind(arguments)
		call, err := f.CreateFunction(fCtx, arguments)
		if err != nil || b.depends != 1 || b.text == nil {
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
	// depends is how many arguments are not constants, and text the last of them that is a text.
	depends int
	text    func(context.Context, K) (string, error)
}

// answer returns the result of the function. If it reads only one long text, the result is remembered.
func (b *function[K]) answer(ctx context.Context, s K) (any, error) {
	m := memoryOf(ctx)
	if m == nil {
		return b.call(ctx, s)
	}
	text, err := b.text(ctx, s)
	if err != nil || len(text) < longText {
		return b.call(ctx, s)
	}
	key := asked{b, text}
	if before, known := m.answers[key]; known {
		return before.value, before.err
	}
	value, err := b.call(ctx, s)
	m.note(key, answer{value, err})
	return value, err
}

// bind puts a bound in front of each argument that is read from a span.
func (b *function[K]) bind(arguments ottl.Arguments) {
	v := reflect.ValueOf(arguments)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return // a function without arguments
	}
	for _, field := range v.Elem().Fields() {
		if field.CanSet() {
			b.bindField(field)
		}
	}
}

func (b *function[K]) bindField(field reflect.Value) {
	switch field.Kind() {
	case reflect.Slice:
		for i := range field.Len() {
			b.bindField(field.Index(i))
		}
		return
	case reflect.Interface:
		if field.IsNil() {
			return
		}
	case reflect.String, reflect.Bool, reflect.Int64, reflect.Float64:
		return // a constant
	default: // an optional argument, or a function in a list: it may depend on anything
		b.depends += 2
		return
	}
	if isLiteral[K](field.Interface()) {
		return
	}
	b.depends++
	switch getter := field.Addr().Interface().(type) {
	case *ottl.StringGetter[K]:
		bound := boundedString[K]{*getter}
		*getter, b.text = bound, bound.Get
	case *ottl.StringLikeGetter[K]:
		bound := ottlcontext.CheckedText(*getter, withinText)
		*getter, b.text = bound, func(ctx context.Context, s K) (string, error) { return ottlcontext.Text(ctx, bound, s) }
	case *ottl.Getter[K]:
		*getter = boundedAny[K]{*getter}
	case *ottl.ByteSliceLikeGetter[K]:
		*getter = ottlcontext.CheckedBytes(*getter, withinText)
	case *ottl.PMapGetter[K]:
		*getter = boundedMap[K]{*getter}
	case *ottl.PSliceGetter[K]:
		*getter = boundedSlice[K]{*getter}
	}
}

// isLiteral reports whether a getter returns a constant. Functions prepare themselves for constants, so such getters stay as
// they are.
func isLiteral[K any](getter any) bool {
	switch getter := getter.(type) {
	case ottl.StringGetter[K]:
		_, is := ottl.GetLiteralValue(getter)
		return is
	case ottl.StringLikeGetter[K]:
		return ottlcontext.IsLiteralText(getter)
	case ottl.Getter[K]:
		_, is := ottl.GetLiteralValue(getter)
		return is
	case ottl.IntGetter[K]:
		_, is := ottl.GetLiteralValue(getter)
		return is
	}
	return false
}
