package ottltext

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlattributes"
)

// span is the context of a condition on a run.
type span = *ottlspan.TransformContext

// keyed are the paths whose keys are looked up in attributes. OTTL's own getters would walk all attributes for each look-up.
var keyed = map[string]func(context.Context, span, []ottl.Key[span]) (any, error){
	"attributes":                       ofSpan,
	"span.attributes":                  ofSpan,
	"resource.attributes":              ofResource,
	"scope.attributes":                 ofScope,
	"instrumentation_scope.attributes": ofScope,
}

func ofSpan(ctx context.Context, s span, keys []ottl.Key[span]) (any, error) {
	return ottlattributes.Get(ctx, s, ottlattributes.OfSpan, s.GetSpan().Attributes(), keys)
}

func ofResource(ctx context.Context, s span, keys []ottl.Key[span]) (any, error) {
	return ottlattributes.Get(ctx, s, ottlattributes.OfOrigin, s.GetResource().Attributes(), keys)
}

func ofScope(ctx context.Context, s span, keys []ottl.Key[span]) (any, error) {
	return ottlattributes.Get(ctx, s, ottlattributes.OfOrigin, s.GetInstrumentationScope().Attributes(), keys)
}

// path is the getter of a path. OTTL's own getters read all but attributes with keys.
func (p *SpanParser) path(path ottl.Path[span]) (ottl.GetSetter[span], error) {
	if path == nil {
		return nil, errors.New("a path has no name")
	}
	var names, text []string
	var keys []ottl.Key[span]
	for ; path != nil; path = path.Next() {
		names = append(names, path.Name())
		if len(keys) > 0 {
			names = nil // a part behind a key is for OTTL
		}
		keys = path.Keys()
		keysText, err := textOf(keys)
		if err != nil && keyed[strings.Join(names, ".")] == nil {
			return nil, err
		}
		text = append(text, path.Name()+keysText)
	}
	if get := keyed[strings.Join(names, ".")]; get != nil && len(keys) > 0 {
		return readOnly(func(ctx context.Context, s span) (any, error) { return get(ctx, s, keys) }), nil
	}
	value, err := p.plain.ParseValueExpression(strings.Join(text, "."))
	if err != nil {
		return nil, err
	}
	return readOnly(value.Eval), nil
}

func readOnly(get func(context.Context, span) (any, error)) ottl.GetSetter[span] {
	return ottl.StandardGetSetter[span]{
		Getter: get,
		Setter: func(context.Context, span, any) error { return errors.New("a condition changes no span") },
	}
}

// textOf is how keys are written. It fails if one of them is an expression.
func textOf(keys []ottl.Key[span]) (string, error) {
	var b strings.Builder
	for _, key := range keys {
		name, err := key.String(context.Background(), nil)
		if err != nil {
			return "", err
		}
		index, err := key.Int(context.Background(), nil)
		switch {
		case err != nil:
			return "", err
		case name != nil:
			b.WriteString("[" + strconv.Quote(*name) + "]")
		case index != nil:
			b.WriteString("[" + strconv.FormatInt(*index, 10) + "]")
		default:
			return "", errors.New("a key is an expression")
		}
	}
	return b.String(), nil
}

// enum is the number of a name that OTTL knows, such as STATUS_CODE_ERROR.
func (p *SpanParser) enum(symbol *ottl.EnumSymbol) (*ottl.Enum, error) {
	if symbol == nil {
		return nil, errors.New("an enum has no name")
	}
	value, err := p.plain.ParseValueExpression(string(*symbol))
	if err != nil {
		return nil, err
	}
	got, err := value.Eval(context.Background(), nil)
	number, ok := got.(int64)
	if err != nil || !ok {
		return nil, fmt.Errorf("%s is no enum", *symbol)
	}
	enum := ottl.Enum(number)
	return &enum, nil
}
