package scoring

import (
	"math"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
)

// EvalSharpOptions are the options of EvalSharp's ToolCorrectnessMetric, which has DeepEval's names. StrictMode only sets the threshold
// to 1.
type EvalSharpOptions DeepEvalOptions

// DefaultEvalSharp returns EvalSharp's defaults.
func DefaultEvalSharp() EvalSharpOptions {
	return EvalSharpOptions{EvaluationParams: []string{"tool"}, Threshold: 0.5}
}

// NewEvalSharp makes EvalSharp's ToolCorrectnessMetric at commit 55f58f5, on values built by hand in C#. On a list that is nil, C#'s
// null, EvalSharp throws. The error of NewEvalSharp joins one [Fault] for each wrong option.
func NewEvalSharp(o EvalSharpOptions) (Method, error) {
	return DeepEvalOptions(o).method(reference{name: "evalsharp", system: evalSharp, readsAll: true})
}

// nothingInEvalSharp scores a run if no tool is expected: 0, even if nothing was called, or 0/0 with order.
func (t *referenceRun) nothingInEvalSharp() (float64, *notScored) {
	if t.mode == inOrder {
		return math.NaN(), &notScored{Undefined, "no tools are expected, and EvalSharp then divides zero by zero"}
	}
	t.note("EvalSharp scores 0 where no tools are expected")
	return 0, nil
}

// sameInEvalSharp compares for an exact match. The keys of arguments must be in the same order.
func (t *referenceRun) sameInEvalSharp(i, j int) (bool, *notScored) {
	if t.arguments {
		e, c, f := t.dictionaries(i, j)
		if f != nil || !compare.CLRSameSequence(e, c) {
			return false, f
		}
	}
	if !t.output {
		return true, nil
	}
	return t.sameOutputInEvalSharp(i, j)
}

// creditInEvalSharp is 0 if the names differ. EvalSharp still compares the payloads of such a pair, so it throws on a null in any of
// them. A payload that was not captured does not matter if the pair has no credit anyway.
func (t *referenceRun) creditInEvalSharp(i, j int, named bool) (float64, *notScored) {
	credit := 0.0
	if named {
		credit = 1
	}
	matters := func(f *notScored) bool { return f != nil && (f.status == Failed || credit > 0) }
	if t.arguments {
		e, c, f := t.dictionaries(i, j)
		if matters(f) {
			return 0, f
		}
		if credit > 0 {
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

// dictionaries reads the arguments of tool i and call j, both objects. Arguments that were not given are {}.
func (t *referenceRun) dictionaries(i, j int) (e, c Value, f *notScored) {
	want, got, f := t.both(i, j, argumentsPart)
	if f != nil {
		return e, c, f
	}
	dictionary := func(r reading, tool string) Value {
		switch {
		case !r.given:
			return emptyObject
		case f == nil && r.value.Kind() == Null:
			f = failed("arguments of %s are null, on which EvalSharp throws", quoted(tool))
		case f == nil && r.value.Kind() != Object:
			f = failed("arguments of %s are no JSON object, which EvalSharp requires", quoted(tool))
		}
		return r.value
	}
	e, c = dictionary(want, t.tools[i].Name), dictionary(got, t.calls[j].Name)
	return e, c, f
}

// sameOutputInEvalSharp compares outputs. An output that was not given is a new object, which is equal to nothing. EvalSharp calls
// Equals on one output, which throws if that is null: the expected one if order is free, else that of the call.
func (t *referenceRun) sameOutputInEvalSharp(i, j int) (bool, *notScored) {
	e, c, f := t.both(i, j, outputPart)
	if f != nil {
		return false, f
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
