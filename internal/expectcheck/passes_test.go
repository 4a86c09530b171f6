package expectcheck

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestPassesAnything(t *testing.T) {
	nothing := scoring.ExpectationSettings{Tools: []scoring.Tool{}}
	optional := scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search", Optional: true}}}
	search := scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}}
	reference := func(m scoring.Method, err error) scoring.Method {
		require.NoError(t, err)
		return m
	}
	for _, tc := range []struct {
		name   string
		expect scoring.ExpectationSettings
		method scoring.Method
		want   bool
		says   string // the warning, if the metric passes every run
		reason string
	}{
		{
			"no tools, recall", nothing, native(t, func(*scoring.NativeOptions) {}), true,
			`no tools are expected, and the metric "m" passes whatever is called; with extra_calls: forbid it would not`, "recall counts required calls, of which there are none",
		},
		{
			"optional tools, recall", optional, native(t, func(*scoring.NativeOptions) {}), true,
			`no tools are required, and the metric "m" passes whatever is called; with extra_calls: forbid it would not`, "an optional tool may be left out",
		},
		{
			"a required tool", search, native(t, func(*scoring.NativeOptions) {}), false, "", "a run without the call fails",
		},
		{
			"no tools, precision", nothing, native(t, func(o *scoring.NativeOptions) { o.Score = scoring.Precision }), false, "",
			"an unexpected call lowers precision",
		},
		{
			"no tools, extra calls forbidden", nothing, native(t, func(o *scoring.NativeOptions) { o.ExtraCalls = scoring.ForbidExtraCalls }), false, "",
			"an unexpected call makes the score 0",
		},
		{
			"no tools, precision, threshold 0", nothing, native(t, func(o *scoring.NativeOptions) { o.Score, o.Threshold = scoring.Precision, 0 }), true,
			`no tools are expected, and the metric "m" passes whatever is called`, "every score reaches 0; to forbid extra calls would not help",
		},
		{
			"a required tool, threshold 0", search, native(t, func(o *scoring.NativeOptions) { o.Threshold = 0 }), false, "",
			"the expectation decides nothing there either, but its score says something",
		},
		{
			"no tools, one forbidden", scoring.ExpectationSettings{Tools: []scoring.Tool{}, Forbidden: []scoring.Tool{{Name: "pay"}}},
			native(t, func(*scoring.NativeOptions) {}), false, "", "a forbidden call makes the score 0",
		},
		{
			"no tools, few calls", scoring.ExpectationSettings{Tools: []scoring.Tool{}, MaxCalls: 3}, native(t, func(*scoring.NativeOptions) {}), false, "",
			"a fourth call makes the score 0",
		},
		{
			"no tools, eval_lib", nothing, reference(scoring.NewEvalLib(scoring.DefaultEvalLib())), true,
			`no tools are expected, and the metric "m" passes whatever is called`, "eval_lib gives the share of expected tools that were called, and 1 if there are none",
		},
		{
			"no tools, axion", nothing, reference(scoring.NewAxion(scoring.DefaultAxion())), false, "", "Axion scores 0 if tools were called and none was expected",
		},
		{
			"no tools, deepeval", nothing, reference(scoring.NewDeepEval(scoring.DefaultDeepEval())), false, "", "DeepEval scores 0 if tools were called and none was expected",
		},
		{
			"no tools, deepeval_multimodal", nothing, reference(scoring.NewDeepEvalMultimodal(scoring.DefaultDeepEval())), false, "", "this version scores 0 if no tool is expected",
		},
		{
			"no tools, evalsharp", nothing, reference(scoring.NewEvalSharp(scoring.DefaultEvalSharp())), false, "", "EvalSharp scores 0 if no tool is expected",
		},
		{
			"no tools, galtea", nothing, reference(scoring.NewGaltea(scoring.DefaultGaltea())), false, "", "an unexpected call is not in the expected list, so Galtea does not pass the run",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x, err := scoring.NewExpectation(tc.expect)
			require.NoError(t, err)
			got := PassesAnything(x, tc.method)
			assert.Equal(t, tc.want, got, tc.reason)
			if got {
				assert.Equal(t, tc.says, Passing(x, "m", tc.method), tc.reason)
			}
		})
	}
}

func native(t *testing.T, change func(*scoring.NativeOptions)) scoring.Method {
	t.Helper()
	o := scoring.DefaultNative()
	change(&o)
	m, err := scoring.NewNative(o)
	require.NoError(t, err)
	return m
}
