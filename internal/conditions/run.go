package conditions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	// MaxShared is how many bytes of long attributes the conditions of one run may read. They are read again for each of its calls.
	MaxShared = 16 << 20
	// shortValue is the size in bytes up to which reading an attribute costs no more than the rest of the evaluation.
	shortValue = 256
	// maxPath bounds the text of a path in bytes.
	maxPath = 80
)

// A Run evaluates conditions on the calls of one run as [scoring.Conditions]: it is the context in which OTTL evaluates them. It is for one
// goroutine.
type Run struct {
	// Context is passed to OTTL.
	Context context.Context //nolint:containedctx // a Run lasts as long as one verdict
	// Calls are the calls of the run.
	Calls []scoring.Call
	// Duration is how long a call took. It reports false if the telemetry does not say.
	Duration func(call int) (time.Duration, bool)
	// Anchor is the span that represents the run. It is nil if there is none.
	Anchor *Place
	// Failed is called if an evaluation failed. err may quote values.
	Failed func(c *CallCondition, call int, err error)

	// Quote lets [Run.Sides] quote values.
	Quote bool

	decoder  scoring.Decoder
	index    int        // of the call in hand
	payloads [3]payload // the arguments and the output of the call in hand, and the output of an earlier one
	read     int        // bytes of long attributes
	noting   bool       // for [Run.Sides]
	noted    []string
	// missing says what the condition read that is not there, and is ConditionMet if there is nothing.
	missing scoring.ConditionResult
}

// Sides says what a condition reads of a call, as far as it decides: `arguments["amount"] is 250`. It is empty if [Run.Quote] is false.
func (r *Run) Sides(c scoring.Condition, index int) string {
	if !r.Quote {
		return ""
	}
	r.index, r.missing = index, scoring.ConditionMet
	r.noting, r.noted = true, nil
	_, _ = c.(*CallCondition).compiled.Eval(r.Context, r) // its result is known
	r.noting = false
	return strings.Join(r.noted, ", ")
}

// shown is a value in a few characters.
func shown(v any) string {
	const limit = 40
	switch v := v.(type) {
	case nil:
		return "nil"
	case string:
		return `"` + scoring.SafeName(v, limit) + `"`
	case bool, int64, float64, time.Duration:
		return fmt.Sprint(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case pcommon.Map:
		return fmt.Sprintf("a map of %d", v.Len())
	case pcommon.Slice:
		return fmt.Sprintf("a list of %d", v.Len())
	}
	return "a value"
}

// Evaluate evaluates a condition that a [Parser] made.
func (r *Run) Evaluate(c scoring.Condition, index int) scoring.ConditionResult {
	own := c.(*CallCondition)
	r.index, r.missing = index, scoring.ConditionMet
	holds, err := own.compiled.Eval(r.Context, r)
	switch {
	case r.missing != scoring.ConditionMet:
		return r.missing // a function may have swallowed the error, so the result would be a guess
	case errors.Is(err, ErrTooLarge):
		return scoring.ConditionTooLong
	case err != nil:
		if r.Failed != nil {
			r.Failed(own, index, err)
		}
		return scoring.ConditionFailed
	case holds:
		return scoring.ConditionMet
	}
	return scoring.ConditionUnmet
}

// A payload is what the arguments or the output of a call were decoded to.
type payload struct {
	value any // as OTTL has it
	of    int // the call, from 1; 0 for none
}

func (r *Run) called() *scoring.Call { return &r.Calls[r.index] }

// errMissing is the error of a path whose value is not known. [Run.Evaluate] reports what is missing.
var errMissing = errors.New("a value is not known")

func (r *Run) cannot(result scoring.ConditionResult) error {
	if r.missing == scoring.ConditionMet {
		r.missing = result
	}
	return errMissing
}

// readArguments returns the arguments of the call. Those that are null are known to be none.
func (r *Run) readArguments() (any, error) {
	p, of := &r.payloads[0], r.index+1
	if !r.called().Arguments.Captured() {
		return nil, r.cannot(scoring.ConditionNoArguments)
	}
	if p.of != of {
		v, _ := r.called().Arguments.ValueIn(&r.decoder)
		p.value, p.of = fromJSON(v), of
		if p.value == nil {
			p.value = pcommon.NewMap()
		}
	}
	return p.value, nil
}

func (r *Run) outputOf(at int, p *payload, missing scoring.ConditionResult) (any, error) {
	output := &r.Calls[at].Output
	if !output.Captured() {
		return nil, r.cannot(missing)
	}
	if p.of != at+1 {
		p.value, p.of = fromJSON(output.ResultIn(&r.decoder)), at+1
	}
	return p.value, nil
}

// ofAnchor reads attributes of the span that represents the run.
func ofAnchor(of func(*Place) pcommon.Map) func(*Run) (any, error) {
	return func(r *Run) (any, error) {
		switch {
		case r.Anchor == nil:
			return nil, r.cannot(scoring.ConditionNoAnchor)
		case r.Anchor.TooWide():
			return nil, r.cannot(scoring.ConditionTooLong)
		}
		return of(r.Anchor), nil
	}
}

// spend counts what is read of a long attribute.
func (r *Run) spend(v any) error {
	size := attributes.Size(v, MaxBytes)
	if size <= shortValue {
		return nil
	}
	if r.read += size; r.read > MaxShared {
		return r.cannot(scoring.ConditionTooLong)
	}
	return nil
}

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
	{"run.attributes", true, ofAnchor(func(at *Place) pcommon.Map { return at.Span.Attributes() })},
	{"run.resource.attributes", true, ofAnchor(func(at *Place) pcommon.Map { return at.Resource.Resource().Attributes() })},
	{"run.start_time", false, func(r *Run) (any, error) {
		if r.Anchor == nil {
			return nil, r.cannot(scoring.ConditionNoAnchor)
		}
		return r.Anchor.Span.StartTimestamp().AsTime(), nil
	}},
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
		var known []string
		for _, p := range callPaths {
			known = append(known, p.name)
		}
		return nil, &pathError{name, "is unknown: a call has " + strings.Join(known, ", "), known}
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
