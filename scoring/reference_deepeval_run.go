package scoring

import (
	"cmp"
	"slices"
)

type deepEvalRun struct {
	referenceRun
	metric *DeepEval
	rules  *deepEvalRules
	// ruledOut says for each call whether it is excluded. It is used only without order.
	ruledOut []exclusion
}

func (t *deepEvalRun) score() (float64, *notScored) {
	if t.tools == nil {
		return 0, failed("no list of expected tools was given, which DeepEval requires")
	}
	if t.calls == nil {
		return 0, failed("no list of calls was given, which DeepEval requires")
	}
	if f := t.overload(t.parts()...); f != nil {
		return 0, f
	}
	switch {
	case t.metric.options.ShouldExactMatch:
		return t.positional(t.same)
	case len(t.tools) == 0:
		return t.nothingExpected()
	case t.metric.options.ShouldConsiderOrdering:
		return t.ordered()
	}
	return t.unordered()
}

func (t *deepEvalRun) parts() (parts []part) {
	arguments, output := t.metric.Compares()
	if arguments {
		parts = append(parts, argumentsPart)
	}
	if output {
		parts = append(parts, outputPart)
	}
	return parts
}

// nothingExpected scores a run if no tool is expected. Older generations have no rule for that: with order they divide by
// zero, and without order the score is 0.
func (t *deepEvalRun) nothingExpected() (float64, *notScored) {
	t.align.Ordered = t.metric.options.ShouldConsiderOrdering
	switch {
	case t.rules.emptyIsScored && len(t.calls) == 0:
		return 1, nil
	case !t.rules.emptyIsScored && t.metric.options.ShouldConsiderOrdering:
		return 0, failed("no tools are expected, and this version of DeepEval then divides by zero")
	case !t.rules.emptyIsScored:
		t.note("this version of DeepEval scores 0 where no tools are expected")
	}
	return 0, nil
}

// ordered adds up what each pair of the longest common subsequence added to the sum before it, from the last pair to the
// first. Rounding may make this differ from the sum of the credits.
func (t *deepEvalRun) ordered() (float64, *notScored) {
	steps, _, f := t.inOrder(func(i, j int) (float64, *notScored) {
		if !t.mayPair(i, j) {
			return 0, nil
		}
		return t.credit(i, j)
	})
	gains := make([]float64, len(steps))
	before := 0.0
	for k, v := range slices.Backward(steps) {
		after := before + v.weight
		gains[k] = after - before
		before = after
	}
	sum := 0.0
	for _, gain := range gains {
		sum += gain
	}
	return sum / float64(len(t.tools)), f
}

// unordered gives each tool in turn the call with the most credit, the first among equals, even if a later tool then has
// none.
func (t *deepEvalRun) unordered() (float64, *notScored) {
	t.ruledOut = make([]exclusion, len(t.calls))
	sum := 0.0
	for i := range t.tools {
		j, best, f := t.best(i)
		if f != nil {
			return 0, f
		}
		if best > 0 {
			sum += best
			t.pair(i, j, best)
			t.take(j, t.tools[i+1:])
		}
	}
	return sum / float64(len(t.tools)), nil
}

// best returns the call with the most credit for tool i. DeepEval compares every call that is not excluded. So if one of them
// certainly crashes it, the result is certain even if others cannot be compared.
func (t *deepEvalRun) best(i int) (call int, credit float64, f *notScored) {
	var doubt *notScored
	for j := range t.calls {
		if t.ruledOut[j] == out || !t.mayPair(i, j) {
			continue
		}
		c, f := t.credit(i, j)
		switch {
		case f == nil && c > credit:
			call, credit = j, c
		case f == nil:
		case t.ruledOut[j] == maybeOut:
			doubt = cmp.Or(doubt, t.indistinct(j))
		case f.status == Failed:
			return 0, 0, f
		default:
			doubt = cmp.Or(doubt, f)
		}
	}
	if credit > 0 && t.ruledOut[call] == maybeOut {
		doubt = cmp.Or(doubt, t.indistinct(call))
	}
	return call, credit, doubt
}

// mayPair reports whether call j has the name of tool i and, if types count, its type.
func (t *deepEvalRun) mayPair(i, j int) bool {
	e, c := &t.tools[i], &t.calls[j]
	return e.Name == c.Name && (!t.rules.comparesType || e.Type == c.Type)
}

// same compares tool i with call i for an exact match. Null arguments are not {} here.
func (t *deepEvalRun) same(i int) (bool, *notScored) {
	if !t.mayPair(i, i) {
		return false, nil
	}
	if t.metric.arguments {
		e, c, f := t.arguments(i, i)
		if f != nil || !equalInPython(e, c) {
			return false, f
		}
	}
	if !t.metric.output {
		return true, nil
	}
	return t.sameOutput(i, i)
}

// credit returns the credit of call j for tool i, which has the same name.
func (t *deepEvalRun) credit(i, j int) (float64, *notScored) {
	credit := 1.0
	if t.metric.arguments {
		e, c, f := t.arguments(i, j)
		if f != nil {
			return 0, f
		}
		if credit, f = t.rules.share(e, c, t.tools[i].Name); f == nil && credit < 1 && !t.rules.equalIsFull {
			t.noteEqual(e, c)
		}
		if f != nil || credit == 0 {
			return 0, f
		}
	}
	if t.metric.output {
		if ok, f := t.sameOutput(i, j); f != nil || !ok {
			return 0, f
		}
	}
	return credit, nil
}

// noteEqual adds a note if equal arguments got less than full credit.
func (t *deepEvalRun) noteEqual(e, c Value) {
	switch {
	case e.Len()+c.Len() == 0:
		t.note("calls without arguments never match in this version of DeepEval")
	case equalInPython(e, c):
		t.note("the shares of equal arguments add up to a little less than 1 in this version of DeepEval")
	}
}

// arguments reads the arguments of tool i and call j: objects, or null if none were given.
func (t *deepEvalRun) arguments(i, j int) (e, c Value, f *notScored) {
	want, got, f := t.both(i, j, argumentsPart)
	if f != nil {
		return e, c, f
	}
	for _, v := range [...]Value{want.value, got.value} {
		if v.Kind() != Object && v.Kind() != Null {
			return e, c, failed("arguments of %s are no JSON object, which DeepEval requires", quoted(t.tools[i].Name))
		}
	}
	return want.value, got.value, nil
}

func (t *deepEvalRun) sameOutput(i, j int) (bool, *notScored) {
	e, c, f := t.both(i, j, outputPart)
	return f == nil && e.agrees(c, equalInPython), f
}
