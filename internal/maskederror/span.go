package maskederror

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

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
)

// An Evaluation evaluates a text of OTTL in the span context, and returns its error.
type Evaluation func(context.Context, *ottlspan.TransformContext) error

// OnSpan says why an evaluation of a text failed on an anchor with err, without the anchor's values.
func OnSpan(text string, evaluate Evaluation, anchor *condition.Place, err error) string {
	return explain(text, err, func(s *maskedSpan) error { return evaluate.on(s.of(anchor)) })
}

// explain returns OTTL's error on a masked span, if that is the same error. So the text has no value of the anchor.
func explain(text string, err error, onMasked func(*maskedSpan) error) string {
	if size, ok := sizeError(err); ok {
		return size
	}
	known := map[string]bool{}
	for _, text := range literals(text) {
		known[text] = true
	}
	for _, s := range maskings {
		s.literals = known
		if copied := onMasked(&s); copied != nil && sameError(err, copied) {
			return getting.ReplaceAllString(withoutAddresses(copied), "")
		}
	}
	return "omitted, because it may quote attribute values; its types are " + strings.Join(chain(err), ", ")
}

// sizeError is the text of an error of a value that is too large. It has no value.
func sizeError(err error) (string, bool) {
	for _, size := range [...]error{ottlfunctions.ErrText, ottlfunctions.ErrNested} {
		if errors.Is(err, size) {
			return size.Error(), true
		}
	}
	return "", false
}

// getting is what OTTL says of its own parts before it says what is wrong.
var getting = regexp.MustCompile(`error getting value in [^ ]+: `)

// on is the error of the evaluation on a masked copy.
func (e Evaluation) on(shadow *condition.Place) error {
	tctx := ottlcontext.New(shadow.Resource, shadow.Scope, shadow.Span)
	defer tctx.Close()
	return e(context.Background(), tctx) // not that of the caller, which has the client's metadata
}

// sameError reports whether two errors have the same types, and err has the words of copied in the same order. Then they
// differ only in values.
func sameError(err, copied error) bool {
	if !slices.Equal(chain(err), chain(copied)) {
		return false
	}
	words := wordsOf(err)
	for _, word := range wordsOf(copied) {
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

// Types lists the types of an anchor's attributes that a text may read.
func Types(text string, anchor *condition.Place) (all []string) {
	for _, key := range literals(text) {
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
