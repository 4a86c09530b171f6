package callcondition

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	// MaxShared is how many bytes of long attributes the conditions of one run may read, over all its calls.
	MaxShared = 16 << 20
	// shortValue is the size in bytes up to which reading an attribute costs no more than the rest of the evaluation.
	shortValue = 256
)

// A Run evaluates conditions on the calls of one run. Its memory is used again: see [Run.Reset]. It is for one goroutine.
type Run struct {
	// Context is passed to OTTL.
	Context context.Context //nolint:containedctx // a Run lasts as long as one verdict
	// Calls are the calls of the run.
	Calls []scoring.Call
	// Duration is how long a call took. It reports false if the telemetry does not say.
	Duration func(call int) (time.Duration, bool)
	// Attributes are those of the span that represents the run, and Resource those of its resource. HasAnchor says that
	// there is such a span.
	Attributes, Resource pcommon.Map
	HasAnchor            bool
	// Observe is called with each result. err is not nil if the evaluation failed. It may quote values.
	Observe func(c *Condition, call int, result scoring.ConditionResult, err error)

	call call
	read int
}

var _ scoring.Conditions = (*Run)(nil)

// Reset prepares r for another run, whose fields the caller sets.
func (r *Run) Reset() {
	r.call.arg.forget()
	r.call.out.forget()
	*r = Run{call: call{arg: r.call.arg, out: r.call.out}}
}

// Evaluate evaluates a condition that a [Parser] made.
func (r *Run) Evaluate(c scoring.Condition, index int) scoring.ConditionResult {
	own, ok := c.(*Condition)
	if !ok {
		return scoring.ConditionFailed
	}
	if r.call.run != r || r.call.index != index {
		r.call.run, r.call.index = r, index
		r.call.arg.ready, r.call.out.ready = false, false
	}
	r.call.missing = scoring.ConditionMet
	holds, err := own.compiled.Eval(r.Context, &r.call)
	result := scoring.ConditionUnmet
	switch {
	case r.call.missing != scoring.ConditionMet:
		// A function may have swallowed the error, so the result would be a guess.
		result, err = r.call.missing, nil
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
	arg, out payload
	// missing says what the condition read that is not there, and is ConditionMet if there is nothing.
	missing scoring.ConditionResult
}

// A payload is what the arguments or the output of the call in hand were decoded to.
type payload struct {
	decoder scoring.Decoder
	value   scoring.Value
	ready   bool
}

func (p *payload) forget() {
	p.decoder.ForgetText()
	p.value, p.ready = scoring.Value{}, false
}

func (c *call) called() *scoring.Call { return &c.run.Calls[c.index] }

func (c *call) duration() any {
	if c.run.Duration != nil {
		if d, ok := c.run.Duration(c.index); ok {
			return d
		}
	}
	return nil
}

// errMissing is the error of a path whose value is not known. [Run.Evaluate] reports what is missing.
var errMissing = errors.New("a value is not known")

func (c *call) cannot(result scoring.ConditionResult) error {
	if c.missing == scoring.ConditionMet {
		c.missing = result
	}
	return errMissing
}

// shared counts what is read of a run's attributes, and fails beyond MaxShared.
func (c *call) shared(bytes int) error {
	if bytes <= shortValue {
		return nil
	}
	if c.run.read += bytes; c.run.read > MaxShared {
		return c.cannot(scoring.ConditionTooLong)
	}
	return nil
}

// noArguments is the value of arguments that are null, or known to be none.
var noArguments, _ = scoring.Decode("{}")

func (c *call) arguments() (scoring.Value, error) {
	p := c.called().Arguments
	if !p.Captured() {
		return scoring.Value{}, c.cannot(scoring.ConditionNoArguments)
	}
	if !c.arg.ready {
		c.arg.value, c.arg.ready = p.ValueIn(&c.arg.decoder), true
		if c.arg.value.Kind() == scoring.Null {
			c.arg.value = noArguments
		}
	}
	return c.arg.value, nil
}

func (c *call) output() (scoring.Value, error) {
	p := c.called().Output
	if !p.Captured() {
		return scoring.Value{}, c.cannot(scoring.ConditionNoOutput)
	}
	if !c.out.ready {
		c.out.value, c.out.ready = p.ResultIn(&c.out.decoder), true
	}
	return c.out.value, nil
}
