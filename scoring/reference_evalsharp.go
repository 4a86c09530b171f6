package scoring

import (
	"errors"
	"math"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
)

// EvalSharpOptions are the options of EvalSharp's ToolCorrectnessMetric, under EvalSharp's names.
type EvalSharpOptions struct {
	// EvaluationParams says what is compared besides names: input_parameters, output. tool has no effect.
	EvaluationParams []string
	// ShouldExactMatch requires the same calls at the same positions. It overrides ShouldConsiderOrdering.
	ShouldExactMatch bool
	// ShouldConsiderOrdering scores the longest common subsequence.
	ShouldConsiderOrdering bool
	// StrictMode sets the threshold to 1. Unlike DeepEval's it does not change the score.
	StrictMode bool
	// Threshold is the lowest score that passes.
	Threshold float64
	// Uncaptured says how payloads that were not captured count. EvalSharp has no such option.
	Uncaptured Uncaptured
}

// DefaultEvalSharp returns EvalSharp's defaults.
func DefaultEvalSharp() EvalSharpOptions {
	return EvalSharpOptions{EvaluationParams: []string{"tool"}, Threshold: 0.5}
}

// EvalSharp scores like EvalSharp's ToolCorrectnessMetric at commit 55f58f5, on values built by hand in C#.
type EvalSharp struct {
	options           EvalSharpOptions
	arguments, output bool
}

// NewEvalSharp checks the options. Its error joins one [Fault] for each wrong option.
func NewEvalSharp(o EvalSharpOptions) (*EvalSharp, error) {
	var c checker
	s := &EvalSharp{options: o}
	s.arguments, s.output = c.evaluationParams(o.EvaluationParams)
	c.share("threshold", o.Threshold)
	c.want(known(uncapturedWords, o.Uncaptured), "uncaptured", "is unknown")
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	if o.StrictMode {
		s.options.Threshold = 1
	}
	return s, nil
}

// Name returns "evalsharp".
func (*EvalSharp) Name() string { return "evalsharp" }

// Compares reports which payloads are read.
func (s *EvalSharp) Compares() (arguments, output bool) { return s.arguments, s.output }

func (*EvalSharp) sealed() {}

// Judge scores the run. A list that is nil is C#'s null, on which EvalSharp throws.
func (s *EvalSharp) Judge(e *Expectation, calls []Call) Verdict {
	t := evalSharpRun{referenceRun: newReferenceRun(e, calls), metric: s}
	t.uncaptured = s.options.Uncaptured
	t.align.ComparesArguments, t.align.ComparesOutput = s.arguments, s.output
	if !s.options.ShouldExactMatch {
		t.align.Arguments = ArgumentsPartial
	}
	score, f := t.score()
	return t.verdict(score, s.options.Threshold, f)
}

type evalSharpRun struct {
	referenceRun
	metric *EvalSharp
}

func (t *evalSharpRun) score() (float64, *notScored) {
	if t.tools == nil {
		return 0, failed("no list of expected tools was given, which EvalSharp requires")
	}
	if t.calls == nil {
		return 0, failed("no list of calls was given, which EvalSharp requires")
	}
	var parts []part
	if t.metric.arguments {
		parts = append(parts, argumentsPart)
	}
	if t.metric.output {
		parts = append(parts, outputPart)
	}
	if f := t.overload(parts...); f != nil {
		return 0, f
	}
	switch {
	case t.metric.options.ShouldExactMatch:
		return t.positional(t.same)
	case t.metric.options.ShouldConsiderOrdering:
		return t.ordered()
	}
	return t.unordered()
}

// ordered returns the best sum over the number of expected tools, which may be 0/0.
func (t *evalSharpRun) ordered() (float64, *notScored) {
	_, total, f := t.inOrder(func(i, j int) (float64, *notScored) { return t.credit(i, j, calledOutput) })
	if len(t.tools) == 0 {
		return math.NaN(), &notScored{Undefined, "no tools are expected, and EvalSharp then divides zero by zero"}
	}
	return total / float64(len(t.tools)), f
}

// unordered gives each tool in turn the call with the most credit, the first among equals. If nothing is expected, the score
// is 0, even if nothing was called.
func (t *evalSharpRun) unordered() (float64, *notScored) {
	taken := make([]bool, len(t.calls))
	sum := 0.0
	for i := range t.tools {
		best, call := 0.0, 0
		for j := range t.calls {
			if taken[j] {
				continue
			}
			credit, f := t.credit(i, j, expectedOutput)
			if f != nil {
				return 0, f
			}
			if credit > best {
				best, call = credit, j
			}
		}
		if best > 0 {
			taken[call] = true
			sum += best
			t.pair(i, call, best)
		}
	}
	if len(t.tools) == 0 {
		t.note("EvalSharp scores 0 where no tools are expected")
	}
	return sum / float64(max(len(t.tools), 1)), nil
}

// same compares tool i with call i for an exact match. The keys of arguments must be in the same order.
func (t *evalSharpRun) same(i int) (bool, *notScored) {
	if t.tools[i].Name != t.calls[i].Name {
		return false, nil
	}
	if t.metric.arguments {
		e, c, f := t.arguments(i, i)
		if f != nil || !compare.CLRSameSequence(e, c) {
			return false, f
		}
	}
	if !t.metric.output {
		return true, nil
	}
	return t.sameOutput(i, i, calledOutput)
}

// credit returns the credit of call j for tool i. It is 0 if the names differ. EvalSharp still compares the payloads of such
// a pair, so it throws on a null in any of them.
func (t *evalSharpRun) credit(i, j int, receiver outputSide) (float64, *notScored) {
	credit := 1.0
	if t.tools[i].Name != t.calls[j].Name {
		credit = 0
	}
	if t.metric.arguments {
		e, c, f := t.arguments(i, j)
		if f.matters(credit) {
			return 0, f
		}
		if credit > 0 {
			credit = t.share(e, c)
		}
	}
	if t.metric.output {
		ok, f := t.sameOutput(i, j, receiver)
		if f.matters(credit) {
			return 0, f
		}
		if !ok {
			credit = 0
		}
	}
	return credit, nil
}

// share is [compare.CLRShare]. It adds a note if the result is surprising.
func (t *evalSharpRun) share(e, c Value) float64 {
	share := compare.CLRShare(e, c)
	switch {
	case e.Len()+c.Len() == 0:
		t.note("calls without arguments never match in EvalSharp")
	case share < 1 && Equal(e, c):
		t.note("lists, objects, and numbers of another type such as 1 and 1.0 are never equal in EvalSharp")
	}
	return share
}

// matters reports whether r prevents a score. A payload that was not captured does not matter if the pair has no credit
// anyway.
func (r *notScored) matters(credit float64) bool {
	return r != nil && (r.status == Failed || credit > 0)
}

// arguments reads the arguments of tool i and call j, both compare. Arguments that were not given are {}.
func (t *evalSharpRun) arguments(i, j int) (e, c Value, f *notScored) {
	want, got, f := t.both(i, j, argumentsPart)
	if f != nil {
		return e, c, f
	}
	if e, f = clrDictionary(want, t.tools[i].Name); f == nil {
		c, f = clrDictionary(got, t.calls[j].Name)
	}
	return e, c, f
}

func clrDictionary(r reading, tool string) (Value, *notScored) {
	switch {
	case !r.given:
		return emptyObject, nil
	case r.value.Kind() == Null:
		return Value{}, failed("arguments of %s are null, on which EvalSharp throws", quoted(tool))
	case r.value.Kind() != Object:
		return Value{}, failed("arguments of %s are no JSON object, which EvalSharp requires", quoted(tool))
	}
	return r.value, nil
}

// outputSide is the side on whose output EvalSharp calls Equals, which throws if that output is null.
type outputSide uint8

const (
	calledOutput outputSide = iota
	expectedOutput
)

// sameOutput compares compare. An output that was not given is a new object, which is equal to nothing.
func (t *evalSharpRun) sameOutput(i, j int, receiver outputSide) (bool, *notScored) {
	e, c, f := t.both(i, j, outputPart)
	if f != nil {
		return false, f
	}
	side, name := c, t.calls[j].Name
	if receiver == expectedOutput {
		side, name = e, t.tools[i].Name
	}
	agree := e.given && c.given && e.agrees(c, compare.CLR)
	text := agree && e.value.Kind() == String // the text "null" is not null
	if side.given && side.value.Kind() == Null && !text {
		return false, failed("output of %s is null, on which EvalSharp throws", quoted(name))
	}
	return agree, nil
}
