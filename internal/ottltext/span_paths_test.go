package ottltext

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlattributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
)

// place has values of all kinds. more is the number of further attributes on its span, its resource and its scope.
func place(t *testing.T, more int) condition.Place {
	rs := ptrace.NewTraces().ResourceSpans().AppendEmpty()
	ss := rs.ScopeSpans().AppendEmpty()
	s := ss.Spans().AppendEmpty()
	s.SetName("chat")
	s.SetKind(ptrace.SpanKindServer)
	s.Status().SetCode(ptrace.StatusCodeError)
	s.TraceState().FromRaw("a=b")
	for _, m := range []pcommon.Map{rs.Resource().Attributes(), ss.Scope().Attributes(), s.Attributes()} {
		raw := map[string]any{
			"text": "a", "number": 7, "float": 1.5, "truth": true, "bytes": []byte("ab"), "none": nil, "key": "text", "at": 1,
			"list": []any{"x", map[string]any{"y": "z"}, 3}, "map": map[string]any{"in": map[string]any{"er": "v"}, "list": []any{1}},
		}
		nested := map[string]any{"in": "v"}
		for i := range more {
			raw["more"+strconv.Itoa(i)], nested[strconv.Itoa(i)] = i, i
		}
		raw["wide"] = nested
		require.NoError(t, m.FromRaw(raw))
	}
	return condition.Place{Resource: rs, Scope: ss, Span: s}
}

// Our getters of attributes have the values and the errors of OTTL's own, for maps with and without an index.
func TestPathsReadAsOTTLDoes(t *testing.T) {
	telemetry := componenttest.NewNopTelemetrySettings()
	ours, err := NewSpanParser(telemetry)
	require.NoError(t, err)
	plain, err := ottlspan.NewParser(ottlfunctions.Functions(), telemetry)
	require.NoError(t, err)
	values := []string{
		"name", "span.name", "kind", "kind.string", "status.code", "STATUS_CODE_ERROR", "trace_state", `trace_state["a"]`, "trace_id.string",
		"start_time_unix_nano", "events", "resource.dropped_attributes_count", "instrumentation_scope.name", "scope.version",
		`Concat([attributes["text"], resource.attributes["text"]], "-")`, "attributes", "resource.attributes", "Len(attributes)",
		`trace_state[Concat(["a"], "")]`, `cache["x"]`, `resource.attributes["number"] + 1`,
	}
	for _, path := range []string{"attributes", "span.attributes", "resource.attributes", "scope.attributes", "instrumentation_scope.attributes"} {
		for _, keys := range []string{
			`["text"]`, `["number"]`, `["float"]`, `["truth"]`, `["bytes"]`, `["none"]`, `["gone"]`, `["list"]`, `["map"]`, `["wide"]["in"]`,
			`["list"][0]`, `["list"][1]["y"]`, `["list"][3]`, `["list"][0]["x"]`, `["list"]["x"]`, `["map"]["in"]["er"]`, `["map"]["gone"]["er"]`,
			`["map"][0]`, `["text"]["x"]`, `["text"][0]`, `["none"]["x"]`, `["none"][0]`, `[0]`, `["map"]["list"][0]`, `["gone"]["x"][0]`,
			`[attributes["key"]]`, `[attributes["number"]]`, `[attributes["gone"]]`, `["list"][attributes["at"]]`, `["list"][attributes["key"]]`,
			`[Concat(["te", "xt"], "")]`, `["list"][resource.attributes["at"] + 1]`, `["a\"b"]`,
		} {
			values = append(values, path+keys)
		}
	}
	for _, more := range []int{0, 200} {
		at := place(t, more)
		tctx := ottlcontext.New(at.Resource, at.Scope, at.Span)
		for _, text := range values {
			one, err := ours.Key(text)
			require.NoError(t, err, text)
			other, err := plain.ParseValueExpression(text)
			require.NoError(t, err, text)
			for _, ctx := range []context.Context{t.Context(), ottlattributes.Keep(t.Context())} {
				want, wantErr := other.Eval(ctx, tctx)
				for range 2 {
					got, err := one.Eval(ctx, tctx)
					require.Equal(t, want, got, text)
					require.Equal(t, wantErr == nil, err == nil, "%s: %v, want %v", text, err, wantErr)
				}
			}
		}
		tctx.Close()
	}
}

// No key walks all attributes again. The paths in all their forms use the index, so large maps are read once for all of them.
func TestPathsReadLargeMapsOnce(t *testing.T) {
	const more = 1_000
	p, err := NewSpanParser(componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	at := place(t, more)
	tctx := ottlcontext.New(at.Resource, at.Scope, at.Span)
	defer tctx.Close()
	for path, attributes := range map[string]pcommon.Map{
		"attributes": at.Span.Attributes(), "span.attributes": at.Span.Attributes(), "resource.attributes": at.Resource.Resource().Attributes(),
		"scope.attributes": at.Scope.Scope().Attributes(), "instrumentation_scope.attributes": at.Scope.Scope().Attributes(),
	} {
		ctx := ottlattributes.Keep(t.Context())
		for i := range 10 {
			when, err := p.When(fmt.Sprintf(`IsMatch(%s["text"], "^a$") and %s["gone%d"] == nil and %[2]s["wide"]["in"] == "v"`, path, path, i))
			require.NoError(t, err)
			for range 10 {
				holds, err := when.Eval(ctx, tctx)
				require.NoError(t, err)
				require.True(t, holds)
			}
		}
		wide, _ := attributes.Get("wide")
		require.Equal(t, attributes.Len()+wide.Map().Len(), ottlattributes.Read(ctx), "%s: 300 look-ups", path)
	}
}

// A look-up in a small map takes as much memory as OTTL's own.
func TestPathsAllocateAsOTTLDoes(t *testing.T) {
	telemetry := componenttest.NewNopTelemetrySettings()
	ours, err := NewSpanParser(telemetry)
	require.NoError(t, err)
	plain, err := ottlspan.NewParser(ottlfunctions.Functions(), telemetry)
	require.NoError(t, err)
	const text = `attributes["text"] == "a" and resource.attributes["gone"] != "x" and scope.attributes["map"]["in"]["er"] == "v" and name != "y"`
	one, err := ours.When(text)
	require.NoError(t, err)
	other, err := plain.ParseCondition(text)
	require.NoError(t, err)
	at := place(t, 0)
	tctx := ottlcontext.New(at.Resource, at.Scope, at.Span)
	defer tctx.Close()
	ctx := ottlfunctions.Remember(t.Context())
	want := testing.AllocsPerRun(100, func() { _, _ = other.Eval(ctx, tctx) })
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = one.Eval(ctx, tctx) }), want)
}
