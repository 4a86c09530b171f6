package expect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
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
			"no tools, few calls", scoring.ExpectationSettings{Tools: []scoring.Tool{}, MaxCalls: new(3)}, native(t, func(*scoring.NativeOptions) {}), false, "",
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
			got := passesAnything(x, tc.method)
			assert.Equal(t, tc.want, got, tc.reason)
			if got {
				assert.Equal(t, tc.says, passing(x, evaluate.Metric{Name: "m", Method: tc.method}), tc.reason)
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

func TestReach(t *testing.T) {
	// entry is an expectation for the metrics, with a condition that asks for the text.
	entry := func(place, text string, metrics ...string) Valid {
		x := Valid{Place: place, When: "name == \"" + text + "\"", Decides: true}
		for _, name := range metrics {
			x.Metrics = append(x.Metrics, evaluate.Metric{Name: name})
		}
		return x
	}
	with := func(x Valid, change func(*Valid)) Valid {
		change(&x)
		return x
	}
	always := func(x *Valid) { x.When, x.Always = "", true }
	unsteady := func(x *Valid) { x.When = `UUID() == "x"` }
	for _, tc := range []struct {
		name   string
		list   []Valid
		want   []string // the metrics that can use the last entry
		why    string   // if they are none
		reason string
	}{
		{
			"other conditions", []Valid{entry("a", "x", "m"), entry("b", "y", "m")},
			[]string{"m"}, "", "if the first does not hold, the second is tried",
		},
		{
			"the same condition", []Valid{entry("a", "x", "m"), entry("b", "x", "m")},
			nil, "a stands before it, is for the same metrics, and has the same `when`", "where the second holds, the first has been used",
		},
		{
			"the same condition, of which another part is asked", []Valid{with(entry("a", "x", "m"), unsteady), with(entry("b", "x", "m"), unsteady)},
			[]string{"m"}, "", "a condition that gives another answer each time may hold the second time alone",
		},
		{
			"the same condition, and the first may leave the run", []Valid{with(entry("a", "x", "m"), func(x *Valid) { x.Decides = false }), entry("b", "x", "m")},
			[]string{"m"}, "", "a dataset without a case for the run leaves it to the next expectation",
		},
		{
			"behind one without a condition", []Valid{with(entry("a", "", "m"), always), entry("b", "y", "m")},
			nil, "a stands before it, is for the same metrics, and has no `when`", "the first is used on every run",
		},
		{
			"another metric", []Valid{with(entry("a", "", "m"), always), entry("b", "", "n")},
			[]string{"n"}, "", "each metric has a first expectation of its own",
		},
		{
			"one metric of two", []Valid{with(entry("a", "", "m"), always), entry("b", "y", "m", "n")},
			[]string{"n"}, "", "an expectation that one metric uses decides something",
		},
		{
			"two metrics, each behind another one", []Valid{with(entry("a", "", "m"), always), entry("b", "y", "n"), entry("c", "y", "m", "n")},
			nil, "for the metric \"m\", a stands before it and has no `when`; for the metric \"n\", b stands before it and has the same `when`",
			"a reader must see the cause for each metric",
		},
		{
			"two metrics behind the same one", []Valid{entry("a", "x", "m", "n"), entry("b", "x", "m", "n")},
			nil, "a stands before it, is for the same metrics, and has the same `when`", "one cause is said once",
		},
		{
			"no condition hides the same one", []Valid{entry("a", "x", "m"), with(entry("b", "", "m"), always), entry("c", "x", "m")},
			nil, "b stands before it, is for the same metrics, and has no `when`", "one without a condition is the stronger cause",
		},
		{
			"behind two that are alike", []Valid{entry("a", "x", "m"), entry("b", "x", "m"), entry("c", "x", "m")},
			nil, "a stands before it, is for the same metrics, and has the same `when`", "the one that is used is named, not one that no metric uses either",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			earlier, always := map[[2]string]string{}, map[string]string{}
			var why string
			var names []string
			for _, x := range tc.list {
				why, names = x.reach(always, earlier), nil
				for _, m := range x.Metrics {
					names = append(names, m.Name)
				}
			}
			assert.Equal(t, tc.want, names, tc.reason)
			assert.Equal(t, tc.why, why, tc.reason)
		})
	}
}
