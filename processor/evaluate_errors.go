package processor

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
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
	f.logged, f.next, f.what = f.count, 10*f.count, t.explain(anchor, err)
	p.logger.Warn(t.subject+" failed on a span, and counts "+t.effect,
		zap.String("expectation", t.expectation), zap.String(t.key, t.text), zap.Int64("failures", f.count),
		zap.String("error_without_values", f.what), zap.Strings("types", t.types(anchor)),
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

// explain says why a text failed on an anchor, without the anchor's values: errors of OTTL may quote them. So it tells
// what OTTL says of a shadow of the anchor, if that is the same error; it cannot have a value that the shadow has not.
func (t ottlText) explain(anchor *condition.Place, err error) string {
	if told, ok := sizeError(err); ok {
		return told
	}
	known := map[string]bool{}
	for _, text := range literals(t.text) {
		known[text] = true
	}
	for _, s := range maskings {
		s.literals = known
		if told := t.errorOn(s.of(anchor)); told != nil && sameError(err, told) {
			return getting.ReplaceAllString(withoutAddresses(told), "")
		}
	}
	return "not told, because it may quote values; its types are " + strings.Join(chain(err), ", ")
}

// sizeError is the text of an error of a value that is too large. It has no value.
func sizeError(err error) (string, bool) {
	for _, size := range [...]error{condition.ErrText, condition.ErrNested} {
		if errors.Is(err, size) {
			return size.Error(), true
		}
	}
	return "", false
}

// getting is what OTTL says of its own parts before it says what is wrong.
var getting = regexp.MustCompile(`error getting value in [^ ]+: `)

// errorOn is the error of the text on a shadow.
func (t ottlText) errorOn(shadow *condition.Place) error {
	tctx := ottlcontext.New(shadow.Resource, shadow.Scope, shadow.Span)
	defer tctx.Close()
	return t.eval(context.Background(), tctx) // not that of the caller, which has the client's metadata
}

// sameError reports whether two errors are of the same types, and the words of told stand in err in the same order: then
// err differs in values alone.
func sameError(err, told error) bool {
	if !slices.Equal(chain(err), chain(told)) {
		return false
	}
	words := wordsOf(err)
	for _, word := range wordsOf(told) {
		at := slices.Index(words, word)
		if at < 0 {
			return false
		}
		words = words[at+1:]
	}
	return true
}

// address is what OTTL says where it prints a value by its pointer. It is another one in each evaluation.
var address = regexp.MustCompile(`0x[0-9a-f]+`)

func withoutAddresses(err error) string { return address.ReplaceAllString(err.Error(), "") }

func wordsOf(err error) []string {
	return strings.FieldsFunc(withoutAddresses(err), func(r rune) bool { return !unicode.IsLetter(r) })
}

// chain are the types of an error and of those that it wraps.
func chain(err error) (types []string) {
	types = append(types, fmt.Sprintf("%T", err))
	switch err := err.(type) { //nolint:errorlint // the chain is walked link by link
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			types = append(types, chain(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range err.Unwrap() {
			types = append(types, chain(inner)...)
		}
	}
	return types
}

// types says of which type the attributes are that the text may read.
func (t ottlText) types(anchor *condition.Place) (all []string) {
	for _, key := range literals(t.text) {
		for _, in := range []struct {
			path       string
			attributes pcommon.Map
		}{
			{"attributes", anchor.Span.Attributes()},
			{"scope.attributes", anchor.Scope.Scope().Attributes()},
			{"resource.attributes", anchor.Resource.Resource().Attributes()},
		} {
			if v, ok := in.attributes.Get(key); ok {
				if told := fmt.Sprintf("%s[%q] is %s", in.path, key, v.Type()); !slices.Contains(all, told) {
					all = append(all, told)
				}
			}
		}
	}
	return all
}
