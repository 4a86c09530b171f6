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
		_, err := NewAxion(o)
		return err
	}
	for _, tc := range []struct {
		name string
		make func() error
		want string // parts of the error, by "|"; empty: there is none
		why  string
	}{
		{"axion's defaults", func() error { return axion(func(*AxionOptions) {}) }, "", "they are valid"},
		{"axion's fuzzy_threshold may be out of reach", func() error { return axion(func(o *AxionOptions) { o.FuzzyThreshold = 1.01 }) }, "", "Axion takes it for never"},
		{"axion's zero options", func() error { _, err := NewAxion(AxionOptions{}); return err }, "parameter_matching_strategy: must be one of exact, subset, fuzzy, is \"\"|scoring: must be one of recall", "two words are missing"},
		{"axion's strategy", func() error { return axion(func(o *AxionOptions) { o.ParameterMatchingStrategy = "Exact" }) }, `is "Exact"`, "the reference would take it for exact"},
		{"axion's percentages", func() error {
			return axion(func(o *AxionOptions) { o.FuzzyThreshold, o.Threshold = 80, 50 })
		}, "fuzzy_threshold: must be from 0 to 1.1, is 80|threshold: must be from 0 to 1, is 50", "shares, not percentages"},
		{"axion's NaN", func() error { return axion(func(o *AxionOptions) { o.Threshold = math.NaN() }) }, "threshold: must be from 0 to 1, is NaN", "NaN is in no range"},
		{"deepeval's defaults", func() error { _, err := NewDeepEval(DefaultDeepEval()); return err }, "", "they are valid"},
		{"deepeval's enumeration", func() error {
			_, err := NewDeepEvalMultimodal(DeepEvalOptions{EvaluationParams: []string{"TOOL", "INPUT_PARAMETERS", "OUTPUT"}})
			return err
		}, "", "teams paste what they have"},
		{"deepeval's unknown parameter", func() error {
			_, err := NewDeepEval(DeepEvalOptions{EvaluationParams: []string{"inputs"}, Threshold: -1})
			return err
		}, `evaluation_params: may hold tool, input_parameters, output, holds "inputs"|threshold: must be from 0 to 1, is -1`, "both are wrong"},
		{"evalsharp's defaults", func() error { _, err := NewEvalSharp(DefaultEvalSharp()); return err }, "", "they are valid"},
		{"evalsharp's unknown parameter", func() error {
			_, err := NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"Output"}, Threshold: 2})
			return err
		}, `holds "Output"|is 2`, "neither spelling"},
		{"eval_lib's defaults", func() error { _, err := NewEvalLib(DefaultEvalLib()); return err }, "", "they are valid"},
		{"eval_lib's threshold", func() error { _, err := NewEvalLib(EvalLibOptions{Threshold: 1.5}); return err }, "threshold: must be from 0 to 1, is 1.5", "a share"},
		{"eval_lib's zero options", func() error { _, err := NewEvalLib(EvalLibOptions{}); return err }, "", "no version is the newest"},
		{"eval_lib's version", func() error { _, err := NewEvalLib(EvalLibOptions{Version: "0.7.4"}); return err }, `version: must be one of 0.8, 0.7, is "0.7.4"`, "versions with other rules are named"},
		{"what is not captured", func() error {
			_, err := NewDeepEval(DeepEvalOptions{Uncaptured: 7})
			_, err2 := NewEvalSharp(EvalSharpOptions{Uncaptured: 7})
			return errors.Join(err, err2)
		}, "uncaptured: is unknown|uncaptured: is unknown", "no constant"},
		{"galtea's defaults", func() error { _, err := NewGaltea(DefaultGaltea()); return err }, "", "they are valid"},
		{"galtea's empty prefix", func() error {
			_, err := NewGaltea(GalteaOptions{StripPrefixes: []string{"a.", ""}})
			return err
		}, "strip_prefixes[1]: must not be empty", "it would hide all that follow"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.make()
			if (err == nil) != (tc.want == "") {
				t.Fatalf("error %v, want %q: %s", err, tc.want, tc.why)
			}
			for part := range strings.SplitSeq(tc.want, "|") {
				if err != nil && !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q: %s", err, part, tc.why)
				}
			}
		})
	}
}

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
