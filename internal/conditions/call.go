package conditions

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A callPath is a path of a call.
type callPath struct {
	name  string // as users write it
	keyed bool   // it takes keys
	read  func(*Run) (any, error)
}

var callPaths = []callPath{
	{"name", false, func(r *Run) (any, error) { return r.called().Name, nil }},
	{"arguments", true, (*Run).readArguments},
	{"output", true, func(r *Run) (any, error) { return r.outputOf(r.index, &r.payloads[1], scoring.ConditionNoOutput) }},
	{"status", false, func(r *Run) (any, error) { return r.called().Status.String(), nil }},
	{"duration", false, func(r *Run) (any, error) {
		if r.Duration != nil {
			if d, ok := r.Duration(r.index); ok {
				return d, nil
			}
		}
		return nil, nil
	}},
	{"index", false, func(r *Run) (any, error) { return int64(r.index), nil }},
	{`calls["NAME"].output`, true, nil}, // see [Parser.earlier]
	{"run.attributes", true, func(r *Run) (any, error) {
		return r.ofAnchor(func(at *Place) pcommon.Map { return at.Span.Attributes() })
	}},
	{"run.resource.attributes", true, func(r *Run) (any, error) {
		return r.ofAnchor(func(at *Place) pcommon.Map { return at.Resource.Resource().Attributes() })
	}},
	{"run.start_time", false, func(r *Run) (any, error) {
		if r.Anchor == nil {
			return nil, r.cannot(scoring.ConditionNoAnchor)
		}
		return r.Anchor.Span.StartTimestamp().AsTime(), nil
	}},
}

// pathNames are the names of the paths.
func pathNames() (names []string) {
	for _, p := range callPaths {
		names = append(names, p.name)
	}
	return names
}

// A pathError is a path of a call that does not exist. path ends before its first key.
type pathError struct {
	path, rule string
	known      []string // the paths of which one was meant, if there is no such path
}

func (e *pathError) Error() string { return fmt.Sprintf("the path %q %s", e.path, e.rule) }

// path is the getter of a path. It notes the payloads that the condition reads.
func (p *Parser) path(path ottl.Path[*Run]) (ottl.GetSetter[*Run], error) {
	if path.Name() == "calls" {
		return p.earlier(path)
	}
	name, _, _ := strings.Cut(path.String(), "[")
	last := path
	for next := path.Next(); next != nil; next = next.Next() {
		if len(last.Keys()) > 0 {
			return nil, &pathError{path: name, rule: `has a part behind its key: write another key, as in arguments["a"]["b"]`}
		}
		last = next
	}
	keys := last.Keys()
	i := slices.IndexFunc(callPaths, func(known callPath) bool { return known.name == name })
	switch {
	case i < 0 && (strings.HasPrefix(name, "arguments.") || strings.HasPrefix(name, "output.")):
		return nil, &pathError{path: name, rule: `has no parts: write a key in brackets, as in arguments["a"]["b"]`}
	case i < 0:
		return nil, &pathError{name, "is unknown: a call has " + strings.Join(pathNames(), ", "), pathNames()}
	case !callPaths[i].keyed && len(keys) > 0:
		return nil, &pathError{path: name, rule: "has no keys"}
	}
	p.compiling.arguments = p.compiling.arguments || name == "arguments"
	p.compiling.output = p.compiling.output || name == "output"
	return readOnly(path, callPaths[i].read, keys), nil
}

// readOnly is the getter for OTTL of the value that keys lead to in what is read for a path.
func readOnly(path ottl.Path[*Run], read func(*Run) (any, error), keys []ottl.Key[*Run]) ottl.GetSetter[*Run] {
	text, shared := spelledPath(path), path.Name() == "run"
	return ottl.StandardGetSetter[*Run]{Getter: func(ctx context.Context, r *Run) (any, error) {
		v, err := read(r)
		if err == nil {
			v, err = r.follow(ctx, v, keys)
		}
		if err == nil && shared {
			err = r.spend(v)
		}
		if r.noting && err == nil {
			if said := scoring.SafeName(text, maxPath) + " is " + shown(v); !slices.Contains(r.noted, said) {
				r.noted = append(r.noted, said)
			}
		}
		return v, err
	}}
}

// spelledPath is a path as it was written, except for keys that are expressions.
func spelledPath(path ottl.Path[*Run]) string {
	var text []byte
	for ; path != nil; path = path.Next() {
		text = append(append(text, '.'), path.Name()...)
		for _, key := range path.Keys() {
			if name, _ := key.String(context.Background(), nil); name != nil {
				text = append(strconv.AppendQuote(append(text, '['), *name), ']')
			} else if index, _ := key.Int(context.Background(), nil); index != nil {
				text = append(strconv.AppendInt(append(text, '['), *index, 10), ']')
			} else {
				text = append(text, "[...]"...)
			}
		}
	}
	return string(text[1:])
}

// earlier is the getter of the output of the last call of a tool before the call in hand, or of a value in it. It is nil if there was no
// such call.
func (p *Parser) earlier(path ottl.Path[*Run]) (ottl.GetSetter[*Run], error) {
	output := path.Next()
	if len(path.Keys()) != 1 || output == nil || output.Name() != "output" || output.Next() != nil {
		return nil, &pathError{path: "calls", rule: `has the name of a tool as its key, and the part output: calls["search"].output`}
	}
	p.compiling.output = true
	key := path.Keys()[0]
	read := func(r *Run) (any, error) {
		tool, err := r.resolve(r.Context, key)
		if err != nil {
			return nil, err
		}
		name, ok := tool.(string)
		if !ok {
			return nil, errNoName
		}
		for at := r.index - 1; at >= 0; at-- {
			if r.Calls[at].Name == name {
				return r.outputOf(at, &r.payloads[2], scoring.ConditionNoEarlier)
			}
		}
		return nil, nil
	}
	return readOnly(path, read, output.Keys()), nil
}

// follow returns the value that keys lead to. A key that is missing leads to nil, and so do the keys behind it.
func (r *Run) follow(ctx context.Context, v any, keys []ottl.Key[*Run]) (any, error) {
	for i := 0; i < len(keys) && v != nil; i++ {
		key, err := r.resolve(ctx, keys[i])
		if err != nil {
			return nil, err
		}
		if v, err = member(v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// member returns the value of a key in a map or a list, or nil if a map lacks it. The errors have no value.
func member(of, key any) (any, error) {
	switch of := of.(type) {
	case pcommon.Map:
		name, ok := key.(string)
		if !ok {
			return nil, errNoName
		}
		if v, ok := of.Get(name); ok {
			return asOTTL(v), nil
		}
		return nil, nil
	case pcommon.Slice:
		at, ok := key.(int64)
		switch {
		case !ok:
			return nil, ottl.TypeError("a key of a list is no integer")
		case at < 0 || at >= int64(of.Len()):
			return nil, ottl.TypeError("an index of a list is out of bounds")
		}
		return asOTTL(of.At(int(at))), nil
	}
	return nil, ottl.TypeError("a value that is neither a map nor a list has no keys")
}

const errNoName = ottl.TypeError("a key of a map is no string")

// resolve returns the value of a key, which may be an expression.
func (r *Run) resolve(ctx context.Context, key ottl.Key[*Run]) (any, error) {
	if name, err := key.String(ctx, r); name != nil {
		return *name, err
	}
	if index, err := key.Int(ctx, r); index != nil {
		return *index, err
	}
	expression, err := key.ExpressionGetter(ctx, r)
	if err != nil || expression == nil {
		return nil, err
	}
	return expression.Get(ctx, r)
}

// asOTTL is an attribute as OTTL's own contexts return it.
func asOTTL(v pcommon.Value) any {
	switch v.Type() {
	case pcommon.ValueTypeMap:
		return v.Map()
	case pcommon.ValueTypeSlice:
		return v.Slice()
	}
	return v.AsRaw()
}

// fromJSON returns a JSON value as OTTL's own contexts return an attribute.
func fromJSON(v scoring.Value) any {
	value := pcommon.NewValueEmpty()
	fill(value, v)
	return asOTTL(value)
}

// fill sets to to a JSON value, which nests at most 1,000 levels deep. A number without a fraction is an integer if it fits 64 bits.
func fill(to pcommon.Value, v scoring.Value) {
	switch v.Kind() {
	case scoring.Bool:
		to.SetBool(v.Bool())
	case scoring.String:
		to.SetStr(v.Text())
	case scoring.Number:
		if n, err := strconv.ParseInt(v.Lexeme(), 10, 64); err == nil {
			to.SetInt(n)
			return
		}
		x, _ := strconv.ParseFloat(v.Lexeme(), 64) // beyond the range it is an infinity
		to.SetDouble(x)
	case scoring.Array:
		list := to.SetEmptySlice()
		list.EnsureCapacity(v.Len())
		for element := range v.Elements() {
			fill(list.AppendEmpty(), element)
		}
	case scoring.Object:
		var b xpdata.MapBuilder // unlike a Map it does not search for each key, and no name occurs twice
		b.EnsureCapacity(v.Len())
		for name, member := range v.Members() {
			fill(b.AppendEmpty(name), member)
		}
		b.UnsafeIntoMap(to.SetEmptyMap())
	}
}
