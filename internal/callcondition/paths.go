package callcondition

import (
	"context"
	"errors"
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlattributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Paths are the paths of a call, as users write them.
var Paths = []string{"name", "arguments", "output", "status", "duration", "index", "run.attributes", "run.resource.attributes"}

// A getter reads one path of a call.
type getter = func(context.Context, *call) (any, error)

// path is the getter of a path. It notes the payloads that the condition reads.
func (p *Parser) path(path ottl.Path[*call]) (ottl.GetSetter[*call], error) {
	if path == nil {
		return nil, errors.New("a path has no name")
	}
	full, _, _ := strings.Cut(path.String(), "[")
	last := path
	segments := path.Name()
	for next := last.Next(); next != nil; next = next.Next() {
		if len(last.Keys()) > 0 {
			return p.unknown(full, `has a part behind its key: write another key, as in arguments["a"]["b"]`)
		}
		last, segments = next, segments+"."+next.Name()
	}
	get, keyed := p.getter(segments, last.Keys())
	switch {
	case get == nil && strings.HasPrefix(segments, "arguments."), get == nil && strings.HasPrefix(segments, "output."):
		return p.unknown(full, `has no parts: write a key in brackets, as in arguments["a"]["b"]`)
	case get == nil:
		return p.unknown(full, unknownPath+": a call has "+strings.Join(Paths, ", "))
	case !keyed && len(last.Keys()) > 0:
		return p.unknown(full, "has no keys")
	}
	return ottl.StandardGetSetter[*call]{Getter: get, Setter: readOnly}, nil
}

// unknownPath is the rule for an unknown path.
const unknownPath = "is unknown"

// unknown notes the first path that is wrong, as far as its first key.
func (p *Parser) unknown(full, rule string) (ottl.GetSetter[*call], error) {
	err := &PathError{Path: full, Rule: rule, Unknown: strings.HasPrefix(rule, unknownPath)}
	if p.fault == nil {
		p.fault = err
	}
	return nil, err
}

func readOnly(context.Context, *call, any) error { return errors.New("a condition changes no call") }

// getter is the getter of a path without its keys, or nil. keyed says that it takes keys.
func (p *Parser) getter(path string, keys []ottl.Key[*call]) (get getter, keyed bool) {
	switch path {
	case "name":
		return func(_ context.Context, c *call) (any, error) { return c.called().Name, nil }, false
	case "status":
		return func(_ context.Context, c *call) (any, error) { return c.called().Status.String(), nil }, false
	case "index":
		return func(_ context.Context, c *call) (any, error) { return int64(c.index), nil }, false
	case "duration":
		return func(_ context.Context, c *call) (any, error) { return c.duration(), nil }, false
	case "arguments":
		p.compiling.arguments = true
		return ofPayload(keys, (*call).arguments), true
	case "output":
		p.compiling.output = true
		return ofPayload(keys, (*call).output), true
	case "run.attributes":
		return ofRun(keys, ottlattributes.OfSpan, func(r *Run) pcommon.Map { return r.Attributes }), true
	case "run.resource.attributes":
		return ofRun(keys, ottlattributes.OfOrigin, func(r *Run) pcommon.Map { return r.Resource }), true
	}
	return nil, false
}

// ofPayload is the getter of a payload, or of a value in it.
func ofPayload(keys []ottl.Key[*call], payload func(*call) (scoring.Value, error)) getter {
	return func(ctx context.Context, c *call) (any, error) {
		v, err := payload(c)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if v.Kind() == scoring.Null {
				return nil, nil
			}
			name, index, err := resolve(ctx, c, key)
			if err != nil {
				return nil, err
			}
			if v, err = step(v, name, index); err != nil {
				return nil, err
			}
		}
		return asOTTL(v), nil
	}
}

// ofRun is the getter of attributes of the run, or of a value in them.
func ofRun(keys []ottl.Key[*call], find ottlattributes.Lookup, attributes func(*Run) pcommon.Map) getter {
	return func(ctx context.Context, c *call) (any, error) {
		if !c.run.HasAnchor {
			return nil, c.cannot(scoring.ConditionNoAnchor)
		}
		v := pcommon.NewValueEmpty()
		m, whole := attributes(c.run), true
		for _, key := range keys {
			name, index, err := resolve(ctx, c, key)
			if err != nil {
				return nil, err
			}
			if v, err = stepAttributes(ctx, find, m, v, whole, name, index); err != nil {
				return nil, err
			}
			if v.Type() == pcommon.ValueTypeEmpty {
				return nil, nil
			}
			whole = false
		}
		if whole {
			return m, c.shared(sizeOfMap(m))
		}
		return ottlattributes.Raw(v), c.shared(sizeOf(v))
	}
}

// resolve is the value of a key: a name, or else an index.
func resolve(ctx context.Context, c *call, key ottl.Key[*call]) (name *string, index *int64, err error) {
	if name, err = key.String(ctx, c); name != nil || err != nil {
		return name, nil, err
	}
	if index, err = key.Int(ctx, c); index != nil || err != nil {
		return nil, index, err
	}
	expression, err := key.ExpressionGetter(ctx, c)
	if err != nil || expression == nil {
		return nil, nil, errors.Join(err, errKey)
	}
	switch v, err := expression.Get(ctx, c); v := v.(type) {
	case string:
		return &v, nil, err
	case int64:
		return nil, &v, err
	default:
		return nil, nil, errors.Join(err, errKey)
	}
}
