package processor

import (
	"context"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/maskederror"
)

// conditionErrors is how often the condition of one expectation failed, or the key of its dataset. It is guarded by ticking.
type conditionErrors struct {
	count int64
	// logged is the count that the log has, and next the one at which it is logged again.
	logged, next int64
	// what is what OTTL said last, as far as it was logged.
	what string
}

// An ottlText is a text of OTTL in an expectation that may fail on an anchor: the condition, or the key of its dataset.
type ottlText struct {
	expectation, text string
	// key is what the log calls the text: "when" or "dataset.key". subject is what failed, and effect what that means.
	key, subject, effect string
	eval                 func(context.Context, *ottlspan.TransformContext) error
}

// condition is the condition of the expectation.
func (x *Expectation) condition() ottlText {
	return ottlText{x.Name, x.Text, "when", "the condition of an expectation", "as false", func(ctx context.Context, tctx *ottlspan.TransformContext) error {
		_, err := x.When.Eval(ctx, tctx)
		return err
	}}
}

// caseKey is the key of the expectation's dataset.
func (x *Expectation) caseKey() ottlText {
	return ottlText{x.Name, x.Cases.Text, "dataset.key", "the key of a dataset", "as none", func(ctx context.Context, tctx *ottlspan.TransformContext) error {
		_, err := x.Cases.Key.Eval(ctx, tctx)
		return err
	}}
}

// failed notes that a text of an expectation failed on an anchor with err. It is logged at the first, the tenth, the
// hundredth failure and so on, and at shutdown: a condition that fails on every span must not fill the log.
func (p *Processor) failed(ctx context.Context, f *conditionErrors, t ottlText, anchor *condition.Place, err error) {
	p.telemetry.ProcessorToolCorrectnessConditionErrors.Add(ctx, 1)
	f.count++
	if p.set.ErrorMode == SilenceErrors || f.count < max(f.next, 1) {
		return
	}
	f.logged, f.next, f.what = f.count, 10*f.count, maskederror.OnSpan(t.text, t.eval, anchor, err)
	p.logger.Warn(t.subject+" failed on a span, and counts "+t.effect,
		zap.String("expectation", t.expectation), zap.String(t.key, t.text), zap.Int64("failures", f.count),
		zap.String("error_without_values", f.what), zap.Strings("types", maskederror.Types(t.text, anchor)),
		zap.Stringer("trace_id", anchor.Span.TraceID()), zap.Stringer("span_id", anchor.Span.SpanID()))
}

// logFailures logs the counts of failures that the log does not have yet.
// The caller holds ticking.
func (p *Processor) logFailures() {
	for i := range p.rules.failures {
		x := &p.rules.Expectations[i]
		p.logCount(&p.rules.failures[i], x.condition())
		if x.Cases != nil {
			p.logCount(&p.rules.keyFailures[i], x.caseKey())
		}
	}
}

func (p *Processor) logCount(f *conditionErrors, t ottlText) {
	if f.count == f.logged || p.set.ErrorMode == SilenceErrors {
		return
	}
	f.logged = f.count
	p.logger.Warn(t.subject+" failed on spans, and counted "+t.effect+" there",
		zap.String("expectation", t.expectation), zap.String(t.key, t.text), zap.Int64("failures", f.count),
		zap.String("error_without_values", f.what))
}
