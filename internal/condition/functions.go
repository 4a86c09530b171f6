package condition

import (
	"context"
	"reflect"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
)

// span is the context in which a condition is evaluated.
type span = *ottlspan.TransformContext

// Functions are the functions that a condition may call, by name: OTTL's own, with bounds.
func Functions() map[string]ottl.Factory[span] {
	functions := ottlfuncs.StandardConverters[span]()
	for name, f := range functions {
		functions[name] = bounded(f)
	}
	return functions
}

// bounded returns a factory of the same function whose calls are bounded.
func bounded(f ottl.Factory[span]) ottl.Factory[span] {
	create := func(fCtx ottl.FunctionContext, arguments ottl.Arguments) (ottl.ExprFunc[span], error) {
		b := new(function)
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
type function struct {
	call ottl.ExprFunc[span]
	// depends is how many arguments are not constants, and text the last of them that is a text.
	depends int
	text    func(context.Context, span) (string, error)
}

// answer is the result of the function. If it reads nothing but one long text, the result is remembered.
func (b *function) answer(ctx context.Context, s span) (any, error) {
	m := memoryOf(ctx)
	if m == nil {
		return b.call(ctx, s)
	}
	text, err := b.text(ctx, s)
	if err != nil || len(text) < longText {
		return b.call(ctx, s)
	}
	key := asked{b, text}
	if told, known := m.answers[key]; known {
		return told.value, told.err
	}
	value, err := b.call(ctx, s)
	m.note(key, answer{value, err})
	return value, err
}

// bind puts a bound in front of each argument that is read from a span.
func (b *function) bind(arguments ottl.Arguments) {
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

func (b *function) bindField(field reflect.Value) {
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
	if isLiteral(field.Interface()) {
		return
	}
	b.depends++
	switch getter := field.Addr().Interface().(type) {
	case *ottl.StringGetter[span]:
		bound := boundedString{*getter}
		*getter, b.text = bound, bound.Get
	case *ottl.StringLikeGetter[span]:
		bound := ottlcontext.CheckedText(*getter, withinText)
		*getter, b.text = bound, func(ctx context.Context, s span) (string, error) { return ottlcontext.Text(ctx, bound, s) }
	case *ottl.Getter[span]:
		*getter = boundedAny{*getter}
	case *ottl.ByteSliceLikeGetter[span]:
		*getter = ottlcontext.CheckedBytes(*getter, withinText)
	case *ottl.PMapGetter[span]:
		*getter = boundedMap{*getter}
	case *ottl.PSliceGetter[span]:
		*getter = boundedSlice{*getter}
	}
}

// isLiteral reports whether a getter returns a constant. Functions prepare themselves for constants, so such getters stay as
// they are.
func isLiteral(getter any) bool {
	switch getter := getter.(type) {
	case ottl.StringGetter[span]:
		_, is := ottl.GetLiteralValue(getter)
		return is
	case ottl.StringLikeGetter[span]:
		return ottlcontext.IsLiteralText(getter)
	case ottl.Getter[span]:
		_, is := ottl.GetLiteralValue(getter)
		return is
	case ottl.IntGetter[span]:
		_, is := ottl.GetLiteralValue(getter)
		return is
	}
	return false
}
