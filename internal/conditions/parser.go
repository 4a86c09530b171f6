package conditions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
)

// span is the context of `when` and of keys.
type span = *ottlspan.TransformContext

// A Parser compiles texts. It is for one goroutine. What it compiled is safe for concurrent use.
type Parser struct {
	spans ottl.Parser[span]
	calls ottl.Parser[*Run]
	// compiling is the condition on a call that is being compiled.
	compiling *CallCondition
	// known has the conditions on calls by their texts. To compile one takes as long as to read a hundred cases, which often share one.
	known map[string]*CallCondition
}

// A CallCondition is a compiled condition on a call, as package scoring asks for it. It is safe for concurrent use.
type CallCondition struct {
	text              string
	compiled          *ottl.Condition[*Run]
	arguments, output bool
}

// String is the condition as it was written.
func (c *CallCondition) String() string { return c.text }

// Reads says which payloads of a call the condition may read.
func (c *CallCondition) Reads() (arguments, output bool) { return c.arguments, c.output }

// maxKnown bounds how many conditions are remembered.
const maxKnown = 10_000

// NewParser returns a parser. OTTL logs to telemetry.
func NewParser(telemetry component.TelemetrySettings) (*Parser, error) {
	p := &Parser{known: map[string]*CallCondition{}}
	var err, errCalls error
	p.spans, err = ottlspan.NewParser(functions[span](), telemetry)
	p.calls, errCalls = ottl.NewParser(functions[*Run](), p.path, telemetry)
	return p, errors.Join(err, errCalls)
}

// When compiles a condition on a run. The error quotes the text.
func (p *Parser) When(text string) (*ottl.Condition[span], error) {
	compiled, err := p.spans.ParseCondition(text)
	return compiled, explain("OTTL condition", text, err)
}

// Key compiles a value, such as attributes["test.case.name"]. The error quotes the text.
func (p *Parser) Key(text string) (*ottl.ValueExpression[span], error) {
	compiled, err := p.spans.ParseValueExpression(text)
	return compiled, explain("OTTL value", text, err)
}

// Literal compiles a value, as [Parser.Key], to what a condition compares it with at a place: "a", 1 or true. It is empty if there is no
// such value.
func (p *Parser) Literal(text string) (func(at *Place) string, error) {
	key, err := p.Key(text)
	if err != nil {
		return nil, err
	}
	return func(at *Place) string {
		place := at.Open()
		defer place.Close()
		switch v, _ := key.Eval(context.Background(), place); v := v.(type) {
		case string:
			return strconv.Quote(v)
		case int64, float64, bool:
			return fmt.Sprint(v)
		}
		return ""
	}, nil
}

// Where compiles a condition on a call, or returns what it compiled before. The error quotes the text.
func (p *Parser) Where(text string) (*CallCondition, error) {
	if known := p.known[text]; known != nil {
		return known, nil
	}
	p.compiling = &CallCondition{text: text}
	compiled, err := p.calls.ParseCondition(text)
	if err != nil {
		return nil, explain("condition on a call", text, err)
	}
	p.compiling.compiled = compiled
	if len(p.known) == maxKnown {
		clear(p.known)
	}
	p.known[text] = p.compiling
	return p.compiling, nil
}

// What OTTL says of a function or a path that does not exist, and of places.
var (
	undefinedFunction = regexp.MustCompile(`undefined function "([^"]+)"`)
	unknownSpanPath   = regexp.MustCompile(`segment "[^"]*" from path "([^"[]+)[^"]*" is not a valid path`)
	place             = regexp.MustCompile(`^\d+:\d+: `)
)

// spanPaths are the paths of the span context that texts are likely to mean.
var spanPaths = []string{
	"attributes", "name", "kind", "kind.string", "status", "status.code", "status.message", "trace_id.string", "span_id.string",
	"parent_span_id.string", "trace_state", "start_time", "end_time", "start_time_unix_nano", "end_time_unix_nano", "events", "links",
	"span.attributes", "span.name", "span.kind", "span.status.code", "span.status.message", "span.start_time", "span.end_time",
	"resource.attributes", "scope.attributes", "scope.name", "scope.version",
	"instrumentation_scope.attributes", "instrumentation_scope.name", "instrumentation_scope.version",
}

// explain is an error of OTTL, with its place in the text and the name that was probably meant. what says what the text is not.
func explain(what, text string, err error) error {
	if err == nil {
		return nil
	}
	at, said := place.FindString(err.Error()), place.ReplaceAllString(err.Error(), "")
	name, known := "", []string(nil)
	var path *pathError
	if errors.As(err, &path) {
		said, name, known = path.Error(), path.path, path.known
	} else if found := undefinedFunction.FindStringSubmatch(said); found != nil {
		name, known = found[1], slices.Sorted(maps.Keys(functions[span]()))
	} else if found := unknownSpanPath.FindStringSubmatch(said); found != nil {
		name, known = strings.TrimRight(found[1], "."), spanPaths
	}
	if at == "" {
		at = locate(text, name)
	}
	return fmt.Errorf("%q is no %s: %s%s%s", text, what, at, said, configcheck.Suggestion(name, known))
}

// locate is the line and column of a name in a text, from 1 and in characters. OTTL does not say those of a path with a dot. It
// is empty if the name is not there, or more than once.
func locate(text, name string) string {
	before, after, found := strings.Cut(text, name)
	if name == "" || !found || strings.Contains(after, name) {
		return ""
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("%d:%d: ", 1+strings.Count(before, "\n"), 1+utf8.RuneCountInString(line))
}

// A Place is a span with the scope and the resource that it stands in.
type Place struct {
	Resource ptrace.ResourceSpans
	Scope    ptrace.ScopeSpans
	Span     ptrace.Span
}

// Open returns the context in which OTTL evaluates a condition at the place. The caller must close it.
func (at *Place) Open() *ottlspan.TransformContext {
	return ottlspan.NewTransformContext(at.Resource, at.Scope, at.Span)
}

// MaxAttributes is how many attributes a span, its scope and its resource may have each, if a condition reads them. OTTL searches
// them one by one.
const MaxAttributes = 4096

// TooWide reports whether there are more attributes than a condition may read.
func (at *Place) TooWide() bool {
	return at.Span.Attributes().Len() > MaxAttributes || at.Scope.Scope().Attributes().Len() > MaxAttributes ||
		at.Resource.Resource().Attributes().Len() > MaxAttributes
}

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
