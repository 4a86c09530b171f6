package maskederror

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/callcondition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const private = "private-value"

// anchorWith has an attribute "a", and everywhere else what is private.
func anchorWith(t *testing.T, a any) *condition.Place {
	t.Helper()
	rs := ptrace.NewResourceSpans()
	rs.Resource().Attributes().PutStr(private, private)
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(private)
	span := ss.Spans().AppendEmpty()
	span.SetName(private)
	span.Attributes().PutStr(private, private)
	if a != nil {
		require.NoError(t, span.Attributes().PutEmpty("a").FromRaw(a))
	}
	return &condition.Place{Resource: rs, Scope: ss, Span: span}
}

func TestOnSpan(t *testing.T) {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	for _, tc := range []struct {
		text   string
		a      any
		want   string
		reason string
	}{
		{`HasPrefix(attributes["a"], "x")`, 4711, "expected string but got int64", "a type is no value"},
		{`HasPrefix(attributes["a"], "x")`, nil, "expected string but got nil", "nothing is there"},
		{`ParseInt(attributes["a"], 10) == 1`, private, `strconv.ParseInt: parsing "***": invalid syntax`, "OTTL quotes the value, so it quotes the mask"},
		{
			`ParseJSON(attributes["a"])["x"]["y"] == 1`, `{"x": "` + private + `"}`, "omitted, because it may quote attribute values; its types are",
			"no mask has x, so none gives this error",
		},
	} {
		t.Run(fmt.Sprint(tc.text, " of ", tc.a), func(t *testing.T) {
			when, err := parser.ParseCondition(tc.text)
			require.NoError(t, err)
			var evaluate Evaluation = func(ctx context.Context, tctx *ottlspan.TransformContext) error {
				_, err := when.Eval(ctx, tctx)
				return err
			}
			anchor := anchorWith(t, tc.a)
			tctx := ottlcontext.New(anchor.Resource, anchor.Scope, anchor.Span)
			defer tctx.Close()
			failure := evaluate(t.Context(), tctx)
			require.Error(t, failure)
			got := OnSpan(tc.text, evaluate, anchor, failure)
			assert.Contains(t, got, tc.want, tc.reason)
			assert.NotContains(t, got, private, tc.reason)
		})
	}
}

// An error about a size is shown without any evaluation, because it has no value.
func TestSizesAreTold(t *testing.T) {
	evaluate := func(context.Context, *ottlspan.TransformContext) error {
		t.Error("the text was evaluated again")
		return nil
	}
	for _, size := range []error{ottlfunctions.ErrText, ottlfunctions.ErrNested} {
		got := OnSpan("true", evaluate, anchorWith(t, nil), fmt.Errorf("%s: %w", private, size))
		assert.Equal(t, size.Error(), got)
	}
}

// An error that the masked copy does not give is hidden: it may be about a value.
func TestAnotherErrorIsNotTold(t *testing.T) {
	evaluate := func(_ context.Context, tctx *ottlspan.TransformContext) error {
		assert.Equal(t, SpanID, tctx.GetSpan().SpanID(), "only masked spans are asked")
		return errors.New("another error")
	}
	got := OnSpan("true", evaluate, anchorWith(t, private), errors.New(private))
	assert.Equal(t, "omitted, because it may quote attribute values; its types are *errors.errorString", got)
}

func TestOnCall(t *testing.T) {
	parser, err := callcondition.NewParser(componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	for _, tc := range []struct {
		text, arguments string
		want, reason    string
	}{
		{`ParseInt(arguments["a"], 10) == 1`, `{"a": "` + private + `"}`, `strconv.ParseInt: parsing "***": invalid syntax`, "arguments are masked"},
		{`ParseInt(run.attributes["a"], 10) == 1`, `{}`, `strconv.ParseInt: parsing "***": invalid syntax`, "so are the attributes of the run's span"},
		{`HasPrefix(arguments["a"], "x")`, `{"a": {"` + private + `": 1}}`, "expected string but got pcommon.Map", "a type is no value"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			c, err := parser.Parse(tc.text)
			require.NoError(t, err)
			anchor := anchorWith(t, private)
			called := scoring.Call{Name: private, Arguments: scoring.JSON(tc.arguments), Output: scoring.Text(private)}
			var failure error
			run := callcondition.Run{
				Context: t.Context(), Calls: []scoring.Call{called}, HasAnchor: true, Attributes: anchor.Span.Attributes(), Resource: pcommon.NewMap(),
				Observe: func(_ *callcondition.Condition, _ int, _ scoring.ConditionResult, err error) { failure = err },
			}
			run.Evaluate(c, 0)
			require.Error(t, failure)
			got := OnCall(c, &called, anchor, failure)
			assert.Contains(t, got, tc.want, tc.reason)
			assert.NotContains(t, got, private, tc.reason)
		})
	}
}

// Types name only what the text reads, and no value.
func TestTypes(t *testing.T) {
	anchor := anchorWith(t, private)
	assert.Equal(t, []string{`attributes["a"] is Str`}, Types(`HasPrefix(attributes["a"], "x") and attributes["a"] != "b"`, anchor))
	assert.Empty(t, Types(`name == "b"`, anchor))
}
