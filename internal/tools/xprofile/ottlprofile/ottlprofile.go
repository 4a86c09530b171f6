// Package ottlprofile has the types of OTTL's context for profiles, and no path. Neighbours of the processor that also handle
// profiles (tail_sampling, filter and transform) compile with it, and handle traces as ever.
package ottlprofile

import (
	"errors"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// ContextName is the name of the context.
const ContextName = "profile"

var errNoProfiles = errors.New("this collector was built without OTTL for profiles")

// TransformContext is that of no profile.
type TransformContext struct{}

// Close does nothing.
func (*TransformContext) Close() {}

// TransformContextOption has no effect.
type TransformContextOption func(*TransformContext)

// WithCache has no effect.
func WithCache(*pcommon.Map) TransformContextOption { return func(*TransformContext) {} }

// NewTransformContext returns an empty context.
func NewTransformContext(
	pprofile.ResourceProfiles, pprofile.ScopeProfiles, pprofile.Profile, pprofile.ProfilesDictionary, ...TransformContextOption,
) *TransformContext {
	return new(TransformContext)
}

// EnablePathContextNames has paths begin with the name of the context.
func EnablePathContextNames() ottl.Option[*TransformContext] {
	return ottl.WithPathContextNames[*TransformContext]([]string{ContextName})
}

// StatementSequenceOption is an option of a sequence.
type StatementSequenceOption = ottl.StatementSequenceOption[*TransformContext]

// WithStatementSequenceErrorMode says what an error does.
func WithStatementSequenceErrorMode(mode ottl.ErrorMode) StatementSequenceOption {
	return ottl.WithStatementSequenceErrorMode[*TransformContext](mode)
}

// NewStatementSequence returns the statements as a sequence.
func NewStatementSequence(
	statements []*ottl.Statement[*TransformContext], set component.TelemetrySettings, options ...StatementSequenceOption,
) ottl.StatementSequence[*TransformContext] {
	return ottl.NewStatementSequence(statements, set, options...)
}

// ConditionSequenceOption is an option of a sequence.
type ConditionSequenceOption = ottl.ConditionSequenceOption[*TransformContext]

// WithConditionSequenceErrorMode says what an error does.
func WithConditionSequenceErrorMode(mode ottl.ErrorMode) ConditionSequenceOption {
	return ottl.WithConditionSequenceErrorMode[*TransformContext](mode)
}

// NewConditionSequence returns the conditions as a sequence.
func NewConditionSequence(
	conditions []*ottl.Condition[*TransformContext], set component.TelemetrySettings, options ...ConditionSequenceOption,
) ottl.ConditionSequence[*TransformContext] {
	return ottl.NewConditionSequence(conditions, set, options...)
}

// NewParser returns a parser that knows no path.
func NewParser(
	functions map[string]ottl.Factory[*TransformContext], set component.TelemetrySettings, options ...ottl.Option[*TransformContext],
) (ottl.Parser[*TransformContext], error) {
	path := func(ottl.Path[*TransformContext]) (ottl.GetSetter[*TransformContext], error) {
		return nil, errNoProfiles
	}
	enum := func(*ottl.EnumSymbol) (*ottl.Enum, error) { return nil, errNoProfiles }
	return ottl.NewParser(functions, path, set, append(options, ottl.WithEnumParser[*TransformContext](enum))...)
}
