package conditions

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	// MaxShared is how many bytes of long attributes the conditions of one run may read. They are read again for each of its calls.
	MaxShared = 16 << 20
	// shortValue is the size in bytes up to which reading an attribute costs no more than the rest of the evaluation.
	shortValue = 256
	// maxSide bounds the text of a side in bytes.
	maxSide = 80
)

// A CallCondition is a compiled condition on a call. It is safe for concurrent use, except by [Run.Sides].
type CallCondition struct {
	text              string
	compiled          *ottl.Condition[*call]
	explain           func() []comparison
	arguments, output bool
}

var _ scoring.Condition = (*CallCondition)(nil)

// String is the condition as it was written.
func (c *CallCondition) String() string { return c.text }

// Reads says which payloads of a call the condition may read.
func (c *CallCondition) Reads() (arguments, output bool) { return c.arguments, c.output }

// A Run evaluates conditions on the calls of one run. Its memory is used again: see [Run.Reset]. It is for one goroutine.
type Run struct {
	// Context is passed to OTTL.
	Context context.Context //nolint:containedctx // a Run lasts as long as one verdict
	// Calls are the calls of the run.
	Calls []scoring.Call
	// Duration is how long a call took. It reports false if the telemetry does not say.
	Duration func(call int) (time.Duration, bool)
	// Anchor is the span that represents the run. It is nil if there is none.
	Anchor *Place
	// Observe is called with each result. err is not nil if the evaluation failed. It may quote values.
	Observe func(c *CallCondition, call int, result scoring.ConditionResult, err error)

	// Quote lets [Run.Sides] quote values.
	Quote bool

	call call
	read int // bytes of long attributes
}

var _ scoring.Conditions = (*Run)(nil)

// Reset prepares r for another run, whose fields the caller sets.
func (r *Run) Reset() {
	memory := r.call.payloads
	for i := range memory {
		memory[i].decoder.Forget()
		memory[i].value, memory[i].of = nil, 0
	}
	*r = Run{call: call{payloads: memory}}
}

// A comparison must hold for a condition to hold. It has those of its sides that are no constants, as they are written and compiled.
type comparison struct {
	whole *ottl.Condition[*call]
	texts []string
	sides []*ottl.ValueExpression[*call]
}

// explanation returns a function that compiles the comparisons of a condition when it is first called. Nobody else may use the function
// or p at that time.
func (p *Parser) explanation(condition string) func() []comparison {
	var list []comparison
	compiled := false
	return func() []comparison {
		if compiled {
			return list
		}
		compiled = true
		p.compiling = new(CallCondition) // its payloads are those of the condition, which are known
		for _, texts := range comparisons(condition) {
			whole, err := p.calls.ParseCondition(texts[0])
			c := comparison{whole: whole, texts: texts[1:]}
			for _, text := range c.texts {
				side, errSide := p.calls.ParseValueExpression(text)
				err = errors.Join(err, errSide)
				c.sides = append(c.sides, side)
			}
			if err == nil {
				list = append(list, c)
			}
		}
		return list
	}
}

// at makes a call the one in hand.
func (r *Run) at(index int) {
	r.call.run, r.call.index, r.call.missing = r, index, scoring.ConditionMet
}

// Sides says what the sides of the first comparison that does not hold are, except constants: `arguments["amount"] is 250`. It is empty if
// [Run.Quote] is false, and for a condition that consists of more than comparisons joined with "and".
func (r *Run) Sides(c scoring.Condition, index int) string {
	own, ok := c.(*CallCondition)
	if !ok || !r.Quote {
		return ""
	}
	r.at(index)
	for _, part := range own.explain() {
		if holds, err := part.whole.Eval(r.Context, &r.call); err == nil && holds {
			continue
		}
		var texts []string
		for i, side := range part.sides {
			v, err := side.Eval(r.Context, &r.call)
			if err != nil {
				return ""
			}
			texts = append(texts, scoring.SafeName(part.texts[i], maxSide)+" is "+shown(v))
		}
		return strings.Join(texts, ", ")
	}
	return ""
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
	own, ok := c.(*CallCondition)
	if !ok {
		return scoring.ConditionFailed
	}
	r.at(index)
	holds, err := own.compiled.Eval(r.Context, &r.call)
	result := scoring.ConditionUnmet
	switch {
	case r.call.missing != scoring.ConditionMet:
		// A function may have swallowed the error, so the result would be a guess.
		result, err = r.call.missing, nil
	case errors.Is(err, ErrTooLarge):
		result, err = scoring.ConditionTooLong, nil
	case err != nil:
		result = scoring.ConditionFailed
	case holds:
		result = scoring.ConditionMet
	}
	if r.Observe != nil {
		r.Observe(own, index, result, err)
	}
	return result
}

// A call is the context in which OTTL evaluates a condition.
type call struct {
	run      *Run
	index    int
	payloads [3]payload // the arguments and the output of the call, and the output of an earlier one
	// missing says what the condition read that is not there, and is ConditionMet if there is nothing.
	missing scoring.ConditionResult
}

// A payload is what the arguments or the output of a call were decoded to.
type payload struct {
	decoder scoring.Decoder
	value   any // as OTTL has it
	of      int // the call, from 1; 0 for none
}

func (c *call) called() *scoring.Call { return &c.run.Calls[c.index] }

// errMissing is the error of a path whose value is not known. [Run.Evaluate] reports what is missing.
var errMissing = errors.New("a value is not known")

func (c *call) cannot(result scoring.ConditionResult) error {
	if c.missing == scoring.ConditionMet {
		c.missing = result
	}
	return errMissing
}

// readArguments returns the arguments of the call. Those that are null are known to be none.
func (c *call) readArguments() (any, error) {
	p, of := &c.payloads[0], c.index+1
	if !c.called().Arguments.Captured() {
		return nil, c.cannot(scoring.ConditionNoArguments)
	}
	if p.of != of {
		p.value, p.of = fromJSON(c.called().Arguments.ValueIn(&p.decoder)), of
		if p.value == nil {
			p.value = pcommon.NewMap()
		}
	}
	return p.value, nil
}

func (c *call) readOutput() (any, error) {
	return c.outputOf(c.index, &c.payloads[1], scoring.ConditionNoOutput)
}

// readEarlier returns the output of the last call of a name before the call in hand, or nil.
func (c *call) readEarlier(name string) (any, error) {
	for at := c.index - 1; at >= 0; at-- {
		if c.run.Calls[at].Name == name {
			return c.outputOf(at, &c.payloads[2], scoring.ConditionNoEarlier)
		}
	}
	return nil, nil
}

func (c *call) outputOf(at int, p *payload, missing scoring.ConditionResult) (any, error) {
	output := &c.run.Calls[at].Output
	if !output.Captured() {
		return nil, c.cannot(missing)
	}
	if p.of != at+1 {
		p.value, p.of = fromJSON(output.ResultIn(&p.decoder)), at+1
	}
	return p.value, nil
}

func (c *call) readDuration() (any, error) {
	if c.run.Duration != nil {
		if d, ok := c.run.Duration(c.index); ok {
			return d, nil
		}
	}
	return nil, nil
}
