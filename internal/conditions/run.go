package conditions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

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

// A CallCondition is a compiled condition on a call. It is safe for concurrent use.
type CallCondition struct {
	text              string
	compiled          *ottl.Condition[*Run]
	arguments, output bool
}

var _ scoring.Condition = (*CallCondition)(nil)

// String is the condition as it was written.
func (c *CallCondition) String() string { return c.text }

// Reads says which payloads of a call the condition may read.
func (c *CallCondition) Reads() (arguments, output bool) { return c.arguments, c.output }

// A Run evaluates conditions on the calls of one run: it is the context in which OTTL evaluates them. It is for one goroutine.
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

var _ scoring.Conditions = (*Run)(nil)

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

// ofAnchor returns attributes of the span that represents the run.
func (r *Run) ofAnchor(of func(*Place) pcommon.Map) (any, error) {
	switch {
	case r.Anchor == nil:
		return nil, r.cannot(scoring.ConditionNoAnchor)
	case r.Anchor.TooWide():
		return nil, r.cannot(scoring.ConditionTooLong)
	}
	return of(r.Anchor), nil
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
