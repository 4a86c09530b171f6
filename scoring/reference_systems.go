package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// This file has the rules of each system: its options, its constructor, what a pair is worth. What systems do alike is a field of reference
// (reference.go) or what it makes of null and absent payloads (reference_payload.go); Python's and C#'s equality are in package compare.

// AxionOptions are the options of Axion's ToolCorrectness, under Axion's names.
type AxionOptions struct {
	// CheckParameters compares arguments as well as names.
	CheckParameters bool
	// StrictOrder requires the same tools at the same positions. Scoring then has no effect.
	StrictOrder bool
	// ParameterMatchingStrategy is exact, subset or fuzzy.
	ParameterMatchingStrategy string
	// FuzzyThreshold is the lowest mean similarity of arguments that match under fuzzy. Above 1 none match.
	FuzzyThreshold float64
	// Scoring is recall, precision or f1.
	Scoring string
	// Threshold is the lowest score that passes. Axion treats 0 as "not given", which means 0.5.
	Threshold float64
}

// DefaultAxion returns Axion's defaults.
func DefaultAxion() AxionOptions {
	return AxionOptions{ParameterMatchingStrategy: "exact", FuzzyThreshold: 0.8, Scoring: "recall", Threshold: 0.5}
}

// maxFuzzyThreshold is a little above 1, because Axion users write such a threshold to say "never". A percentage is an error.
const maxFuzzyThreshold = 1.1

// NewAxion makes Axion's ToolCorrectness at commit 8024937, the last change to its rules. Missing lists count as empty. Its error
// joins one [Fault] for each wrong option. An unknown strategy is an error; Axion itself treats it as exact.
func NewAxion(o AxionOptions) (Method, error) {
	var c checker
	c.oneOf("parameter_matching_strategy", o.ParameterMatchingStrategy, "exact", "subset", "fuzzy")
	c.oneOf("scoring", o.Scoring, "recall", "precision", "f1")
	c.want(0 <= o.FuzzyThreshold && o.FuzzyThreshold <= maxFuzzyThreshold,
		"fuzzy_threshold", "must be from 0 to %v, is %v", maxFuzzyThreshold, o.FuzzyThreshold)
	c.share("threshold", o.Threshold)
	m := reference{
		name: "axion", system: axion, mode: firstCall, arguments: o.CheckParameters, axion: o,
		threshold: cmp.Or(o.Threshold, 0.5), // Axion computes "threshold or 0.5"
	}
	m.argumentMode, _ = Parse[ArgumentMode](o.ParameterMatchingStrategy) // native has the same words
	if o.StrictOrder {
		m.mode = positions
	}
	if o.Scoring != "recall" {
		m.extra = ExtraLowers
	}
	return c.method(m)
}

// creditInAxion compares arguments: 1 or 0. If none are expected, subset and fuzzy do not read a call's arguments.
func (t *referenceRun) creditInAxion(i, j int) (float64, *notScored) {
	want, f := t.object(t.expected(i, argumentsPart), "expected arguments", t.tools[i].Name)
	if f != nil {
		return 0, f
	}
	if want.Len() == 0 && t.argumentMode != ArgumentsExact {
		return 1, nil
	}
	got, f := t.object(t.called(j, argumentsPart), "arguments", t.calls[j].Name)
	if f != nil {
		return 0, f
	}
	switch t.argumentMode {
	case ArgumentsSubset:
		return oneIf(compare.WithinBy(want, got, compare.Python)), nil
	case ArgumentsFuzzy:
		alike := compare.Axion(want, got, &t.texts) >= t.axion.FuzzyThreshold
		if t.texts.Spent() {
			return 0, notEvaluable("comparing the texts in the arguments takes more than %d steps", compare.MaxSteps)
		}
		return oneIf(alike), nil
	}
	return oneIf(compare.Python(want, got)), nil
}

// DeepEvalOptions are the options of DeepEval's ToolCorrectnessMetric, under DeepEval's names.
type DeepEvalOptions struct {
	// EvaluationParams says what is compared besides names: input_parameters, output. tool has no effect.
	EvaluationParams []string
	// ShouldExactMatch requires the same calls at the same positions. It overrides ShouldConsiderOrdering.
	ShouldExactMatch bool
	// ShouldConsiderOrdering scores the longest common subsequence.
	ShouldConsiderOrdering bool
	// StrictMode sets every score below 1 to 0, and the threshold to 1.
	StrictMode bool
	// Threshold is the lowest score that passes.
	Threshold float64
	// Uncaptured says how payloads that were not captured count. DeepEval has no such option.
	Uncaptured Uncaptured
}

// DefaultDeepEval returns DeepEval's defaults; the multimodal metric has the same.
func DefaultDeepEval() DeepEvalOptions { return DeepEvalOptions{Threshold: 0.5} }

// NewDeepEval makes the ToolCorrectnessMetric of DeepEval 4.1.9 to 4.3.1, without its part that needs a language model. On a list
// that is nil, Python's None, DeepEval raises an error. The error of NewDeepEval joins one [Fault] for each wrong option.
//
// A score is a sum of floats in DeepEval's order. With input_parameters, rounding may take it a few units in the last place
// above 1.
func NewDeepEval(o DeepEvalOptions) (Method, error) {
	return o.method(reference{name: "deepeval", system: deepEval, types: true, equalIsFull: true})
}

// NewDeepEvalMultimodal makes the MultimodalToolCorrectnessMetric as it was from 2.4.6 until its end in 3.7.4. It has the oldest
// rules: {} and {} have nothing in common, ten equal keys make 0.9999999999999999.
func NewDeepEvalMultimodal(o DeepEvalOptions) (Method, error) {
	return o.method(reference{
		name: "deepeval_multimodal", system: deepEval, zeroIn: "this version of DeepEval",
		divides: failed("no tools are expected, and this version of DeepEval then divides by zero"),
	})
}

// method completes a method with the options, which DeepEval and EvalSharp share.
func (o DeepEvalOptions) method(m reference) (Method, error) {
	var c checker
	m.mode, m.threshold = modeOf(o.ShouldExactMatch, o.ShouldConsiderOrdering, bestCall), o.Threshold
	m.uncaptured, m.listsRequired = o.Uncaptured, true
	for _, word := range o.EvaluationParams {
		switch word {
		case "input_parameters", "INPUT_PARAMETERS": // the second is the spelling of the enumerations of both
			m.arguments = true
		case "output", "OUTPUT":
			m.output = true
		case "tool", "TOOL": // names are always compared
		default:
			c.add("evaluation_params", "may hold tool, input_parameters, output, holds %q", word)
		}
	}
	c.share("threshold", o.Threshold)
	c.want(known(o.Uncaptured), "uncaptured", "is unknown")
	m.readsAll = m.readsAll && m.mode != positions && (m.arguments || m.output)
	if o.StrictMode {
		m.threshold, m.strict = 1, m.system == deepEval
	}
	if m.mode != positions {
		m.argumentMode = ArgumentsPartial
	}
	return c.method(m)
}

// creditInDeepEval is the share of the arguments that agree, if arguments are compared, or 1 or 0 for an exact match. DeepEval crashes if
// only one side is null, except for an exact match, where null is not {}.
func (t *referenceRun) creditInDeepEval(i, j int) (float64, *notScored) {
	credit := 1.0
	if t.arguments {
		e, c, f := t.objects(i, j)
		switch {
		case f != nil:
			return 0, f
		case t.mode == positions:
			credit = oneIf(compare.Python(e, c))
		case e.Kind() == Object && c.Kind() == Object:
			var equal bool
			if credit, equal = compare.DeepEval(e, c); equal && t.equalIsFull {
				credit = 1
			}
		case !t.equalIsFull || e.Kind() != c.Kind():
			return 0, failed("%s has null arguments, which this version of DeepEval cannot compare", quoted(t.tools[i].Name))
		}
		switch {
		case credit >= 1 || t.equalIsFull || t.mode == positions:
		case e.Len()+c.Len() == 0:
			t.note("calls without arguments never match in this version of DeepEval")
		case compare.Python(e, c):
			t.note("the shares of equal arguments add up to a little less than 1 in this version of DeepEval")
		}
	}
	if credit > 0 && t.output {
		if e, c := t.expected(i, outputPart), t.called(j, outputPart); c.problem != nil || !e.agrees(c, compare.Python) {
			return 0, c.problem
		}
	}
	return credit, nil
}

// excludeIdentical excludes all calls that are identical to the paired call j: the type may differ. If no later tool has its name,
// identical calls make no difference, and it reads no payload.
func (t *referenceRun) excludeIdentical(j int, toCome []Tool, excluded []bool) {
	matters := false
	for i := 0; i < len(toCome) && !matters; i++ {
		matters = toCome[i].Name == t.calls[j].Name
	}
	if !matters {
		return
	}
	for k := range t.calls {
		if excluded[k] || t.calls[k].Name != t.calls[j].Name {
			continue
		}
		var doubt *notScored
		if excluded[k], doubt = t.identical(j, k); doubt != nil {
			if t.doubts == nil {
				t.doubts = map[int]*notScored{}
			}
			t.doubts[k] = cmp.Or(t.doubts[k], doubt)
		}
	}
}

// identical compares two calls, whatever the metric evaluates. doubt says why it is not known whether they are identical.
func (t *referenceRun) identical(j, k int) (identical bool, doubt *notScored) {
	for _, p := range [...]part{argumentsPart, outputPart} {
		x, y := t.payload(j, p), t.payload(k, p)
		if !x.Captured() || !y.Captured() {
			f := cmp.Or(t.called(j, p).problem, t.called(k, p).problem)
			doubt = cmp.Or(doubt, notEvaluable("%s, and identical calls count once", f.why))
		} else if x != y && !compare.Python(t.called(j, p).value, t.called(k, p).value) {
			return false, nil
		}
	}
	return doubt == nil, doubt
}

// NewEvalSharp makes EvalSharp's ToolCorrectnessMetric at commit 55f58f5, on values built by hand in C#. Its options have DeepEval's names
// and defaults; StrictMode only sets the threshold to 1. On a list that is nil, C#'s null, EvalSharp throws. The error of NewEvalSharp joins
// one [Fault] for each wrong option.
func NewEvalSharp(o DeepEvalOptions) (Method, error) {
	return o.method(reference{
		name: "evalsharp", system: evalSharp, zeroIn: "EvalSharp", readsAll: true,
		divides: &notScored{Undefined, "no tools are expected, and EvalSharp then divides zero by zero"},
	})
}

// creditInEvalSharp is 0 if the names differ. EvalSharp still compares the payloads of such a pair, so it throws on a null in any of
// them, except for an exact match. A payload that was not captured does not matter if the pair has no credit anyway.
func (t *referenceRun) creditInEvalSharp(i, j int, named bool) (float64, *notScored) {
	credit := oneIf(named)
	matters := func(f *notScored) bool { return f != nil && (f.status == Failed || credit > 0) }
	if t.arguments {
		e, c, f := t.objects(i, j)
		switch {
		case matters(f):
			return 0, f
		case credit == 0:
		case t.mode == positions:
			if !jsonvalue.SameSequence(e, c, compare.CLR) { // the keys must be in the same order, too
				return 0, nil
			}
		default:
			credit = compare.CLRShare(e, c)
			switch {
			case e.Len()+c.Len() == 0:
				t.note("calls without arguments never match in EvalSharp")
			case credit < 1 && Equal(e, c):
				t.note("lists, objects, and numbers of another type such as 1 and 1.0 are never equal in EvalSharp")
			}
		}
	}
	if t.output {
		ok, f := t.sameOutputInEvalSharp(i, j)
		if matters(f) {
			return 0, f
		}
		if !ok {
			credit = 0
		}
	}
	return credit, nil
}

// sameOutputInEvalSharp compares outputs. An output that was not given is a new object, which is equal to nothing. EvalSharp calls
// Equals on one output, which throws if that is null: the expected one if order is free, else that of the call.
func (t *referenceRun) sameOutputInEvalSharp(i, j int) (bool, *notScored) {
	e, c := t.expected(i, outputPart), t.called(j, outputPart)
	if c.problem != nil {
		return false, c.problem
	}
	receiver, name := c, t.calls[j].Name
	if t.mode == bestCall {
		receiver, name = e, t.tools[i].Name
	}
	agree := e.given && c.given && e.agrees(c, compare.CLR)
	text := agree && e.value.Kind() == String // the text "null" is not null
	if receiver.given && receiver.value.Kind() == Null && !text {
		return false, failed("output of %s is null, on which EvalSharp throws", quoted(name))
	}
	return agree, nil
}

// EvalLibOptions are the options of eval_lib's ToolCorrectnessMetric, under eval_lib's names.
type EvalLibOptions struct {
	// ExactMatch requires the same names at the same positions. It overrides CheckOrdering.
	ExactMatch bool
	// CheckOrdering scores the longest common subsequence.
	CheckOrdering bool
	// Threshold is the lowest score that passes.
	Threshold float64
	// Version is "0.7" for the rules up to 0.7.27, or "0.8" for those since 0.7.28. Empty means "0.8". They differ if no
	// tools are expected and ExactMatch is off: for any calls, the score is 0 under "0.7" and 1 under "0.8".
	Version string
}

// DefaultEvalLib returns eval_lib's defaults, and the rules of its newest version.
func DefaultEvalLib() EvalLibOptions {
	return EvalLibOptions{Threshold: 0.5, Version: "0.8"}
}

// NewEvalLib makes the ToolCorrectnessMetric of eval_lib (Eval-ai-library), which compares names only. Missing lists count as empty.
// Its error joins one [Fault] for each wrong option.
func NewEvalLib(o EvalLibOptions) (Method, error) {
	o.Version = cmp.Or(o.Version, "0.8")
	var c checker
	c.oneOf("version", o.Version, "0.8", "0.7")
	c.share("threshold", o.Threshold)
	m := reference{name: "eval_lib", system: evalLib, mode: modeOf(o.ExactMatch, o.CheckOrdering, firstCall), threshold: o.Threshold}
	if o.Version == "0.7" {
		m.zeroIn = "eval_lib 0.7"
	}
	return c.method(m)
}

// GalteaOptions say how names are normalized before they are compared: by default not at all. Galtea does not publish its own rules.
type GalteaOptions struct {
	// StripPrefixes are removed from names. Each name loses the first listed prefix that it has, once.
	StripPrefixes []string
	// TrimSpace removes spaces around a name, before any prefix.
	TrimSpace bool
}

// NewGaltea makes Galtea's Tool Correctness, as Galtea documents it: 1 if the expected and the called names are the same set, else
// 0. Galtea's implementation is closed, so it may differ. It has no threshold: 1 passes. Missing lists count as empty. The error of
// NewGaltea joins one [Fault] for each option that is wrong.
func NewGaltea(o GalteaOptions) (Method, error) {
	var c checker
	for i, prefix := range o.StripPrefixes {
		c.want(prefix != "", fmt.Sprintf("strip_prefixes[%d]", i), "must not be empty")
	}
	o.StripPrefixes = slices.Clone(o.StripPrefixes)
	return c.method(reference{name: "galtea", system: galtea, mode: sets, threshold: 1, galtea: o})
}

// canonical returns the normalized name.
func (o *GalteaOptions) canonical(name string) string {
	if o.TrimSpace {
		name = strings.Trim(name, " ")
	}
	for _, prefix := range o.StripPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}
