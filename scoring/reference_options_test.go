package scoring

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestReferenceOptions: one error names the key and the value of all wrong options.
func TestReferenceOptions(t *testing.T) {
	axion := func(change func(*AxionOptions)) error {
		o := DefaultAxion()
		change(&o)
		return refused(NewAxion(o))
	}
	for _, tc := range []struct {
		name string
		err  error
		want string // parts of the error, by "|"; empty: there is none
		why  string
	}{
		{"axion's defaults", axion(func(*AxionOptions) {}), "", "they are valid"},
		{"axion's fuzzy_threshold may be out of reach", axion(func(o *AxionOptions) { o.FuzzyThreshold = 1.01 }), "", "Axion takes it for never"},
		{"axion's zero options", refused(NewAxion(AxionOptions{})), "parameter_matching_strategy: must be one of exact, subset, fuzzy, is \"\"|scoring: must be one of recall", "two words are missing"},
		{"axion's strategy", axion(func(o *AxionOptions) { o.ParameterMatchingStrategy = "Exact" }), `is "Exact"`, "the reference would take it for exact"},
		{"axion's percentages", axion(func(o *AxionOptions) { o.FuzzyThreshold, o.Threshold = 80, 50 }),
			"fuzzy_threshold: must be from 0 to 1.1, is 80|threshold: must be from 0 to 1, is 50", "shares, not percentages"},
		{"axion's NaN", axion(func(o *AxionOptions) { o.Threshold = math.NaN() }), "threshold: must be from 0 to 1, is NaN", "NaN is in no range"},
		{"deepeval's defaults", refused(NewDeepEval(DefaultDeepEval())), "", "they are valid"},
		{"deepeval's enumeration", refused(NewDeepEvalMultimodal(DeepEvalOptions{EvaluationParams: []string{"TOOL", "INPUT_PARAMETERS", "OUTPUT"}})), "", "teams paste what they have"},
		{"deepeval's unknown parameter", refused(NewDeepEval(DeepEvalOptions{EvaluationParams: []string{"inputs"}, Threshold: -1})),
			`evaluation_params: may hold tool, input_parameters, output, holds "inputs"|threshold: must be from 0 to 1, is -1`, "both are wrong"},
		{"evalsharp's defaults", refused(NewEvalSharp(DefaultEvalSharp())), "", "they are valid"},
		{"evalsharp's unknown parameter", refused(NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"Output"}, Threshold: 2})), `holds "Output"|is 2`, "neither spelling"},
		{"eval_lib's defaults", refused(NewEvalLib(DefaultEvalLib())), "", "they are valid"},
		{"eval_lib's threshold", refused(NewEvalLib(EvalLibOptions{Threshold: 1.5})), "threshold: must be from 0 to 1, is 1.5", "a share"},
		{"eval_lib's zero options", refused(NewEvalLib(EvalLibOptions{})), "", "no version is the newest"},
		{"eval_lib's version", refused(NewEvalLib(EvalLibOptions{Version: "0.7.4"})), `version: must be one of 0.8, 0.7, is "0.7.4"`, "versions with other rules are named"},
		{"what is not captured", errors.Join(refused(NewDeepEval(DeepEvalOptions{Uncaptured: 7})), refused(NewEvalSharp(EvalSharpOptions{Uncaptured: 7}))),
			"uncaptured: is unknown\nuncaptured: is unknown", "no constant"},
		{"galtea's defaults", refused(NewGaltea(DefaultGaltea())), "", "they are valid"},
		{"galtea's empty prefix", refused(NewGaltea(GalteaOptions{StripPrefixes: []string{"a.", ""}})), "strip_prefixes[1]: must not be empty", "it would hide all that follow"},
	} {
		if (tc.err == nil) != (tc.want == "") {
			t.Errorf("%s: error %v, want %q: %s", tc.name, tc.err, tc.want, tc.why)
			continue
		}
		for part := range strings.SplitSeq(tc.want, "|") {
			if tc.err != nil && !strings.Contains(tc.err.Error(), part) {
				t.Errorf("%s: error %q lacks %q: %s", tc.name, tc.err, part, tc.why)
			}
		}
	}
}

// refused returns the error of a method.
func refused(_ Method, err error) error { return err }

// TestZeroThresholdOfAxion: Axion treats 0 as "not given".
func TestZeroThresholdOfAxion(t *testing.T) {
	o := DefaultAxion()
	o.Threshold = 0
	got := must(NewAxion(o)).Judge(&Expectation{settings: ExpectationSettings{Tools: []Tool{wantX}}}, nil)
	if got.Threshold != 0.5 || got.Passed {
		t.Errorf("threshold %v, passed %v; want 0.5 and false", got.Threshold, got.Passed)
	}
}

// TestStrictThreshold: strict mode sets the threshold of the verdict to 1.
func TestStrictThreshold(t *testing.T) {
	e := &Expectation{settings: ExpectationSettings{Tools: []Tool{bareTool}}}
	for _, m := range []Method{
		must(NewDeepEval(DeepEvalOptions{StrictMode: true, Threshold: 0.5})),
		must(NewEvalSharp(EvalSharpOptions{StrictMode: true, Threshold: 0.5})),
	} {
		if got := m.Judge(e, []Call{bareCall}); got.Threshold != 1 || !got.Passed {
			t.Errorf("%s: threshold %v, passed %v; want 1 and true", m.Name(), got.Threshold, got.Passed)
		}
	}
}
