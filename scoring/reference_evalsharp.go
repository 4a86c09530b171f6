package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"

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
			if !compare.CLRSameSequence(e, c) { // the keys must be in the same order, too
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
