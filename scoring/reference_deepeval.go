package scoring

import (
	"cmp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
)

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
	return o.method(reference{
		name: "deepeval", system: deepEval, types: true, emptyScore: 1, strict: o.StrictMode, equalIsFull: true,
	})
}

// NewDeepEvalMultimodal makes the MultimodalToolCorrectnessMetric as it was from 2.4.6 until its end in 3.7.4. It has the oldest
// rules: {} and {} have nothing in common, ten equal keys make 0.9999999999999999.
func NewDeepEvalMultimodal(o DeepEvalOptions) (Method, error) {
	return o.method(reference{
		name: "deepeval_multimodal", system: deepEval, zeroIn: "this version of DeepEval", strict: o.StrictMode,
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
		m.threshold = 1
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
