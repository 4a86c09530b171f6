package scoring

import (
	"slices"
	"strings"
	"testing"
)

// Calls of one tool as telemetry may have them: complete, without arguments, without payloads, too large, not JSON.
var (
	withX     = Call{Name: "t", Arguments: JSON(`{"x":1}`), Output: JSON(`"ok"`)}
	withY     = Call{Name: "t", Arguments: JSON(`{"y":1}`), Output: JSON(`"ok"`)}
	bareCall  = Call{Name: "t", Arguments: Omitted(), Output: Omitted()}
	darkCall  = Call{Name: "t"}
	largeCall = Call{Name: "t", Arguments: TooLarge(), Output: TooLarge()}
	textCall  = Call{Name: "t", Arguments: Text("x=1"), Output: Text("ok")}
	otherDark = Call{Name: "u"}
	// darkOutput is withX without its output.
	darkOutput = Call{Name: "t", Arguments: JSON(`{"x":1}`)}
)

// wantX and bareTool are expected tools.
var (
	wantX    = Tool{Name: "t", Arguments: JSON(`{"x":1}`)}
	bareTool = Tool{Name: "t"}
)

// TestStates: a run is not scored if a payload was not captured, unless it makes no difference.
func TestStates(t *testing.T) {
	axion := func(o AxionOptions) Method { o.CheckParameters = true; return must(NewAxion(o)) }
	exact := axion(DefaultAxion())
	strict, subset := DefaultAxion(), DefaultAxion()
	strict.StrictOrder = true
	subset.ParameterMatchingStrategy = "subset"
	names := must(NewDeepEval(DefaultDeepEval()))
	arguments := must(NewDeepEval(DeepEvalOptions{EvaluationParams: []string{"input_parameters"}, Threshold: 0.5}))
	ordered := must(NewDeepEval(DeepEvalOptions{EvaluationParams: []string{"output"}, ShouldConsiderOrdering: true, Threshold: 0.5}))
	exactly := must(NewDeepEval(DeepEvalOptions{EvaluationParams: []string{"input_parameters"}, ShouldExactMatch: true, Threshold: 0.5}))
	sharp := must(NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"INPUT_PARAMETERS"}, Threshold: 0.5}))
	sharpOutput := must(NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"OUTPUT"}, ShouldConsiderOrdering: true}))
	none := func(o DeepEvalOptions) DeepEvalOptions { o.Uncaptured = UncapturedNone; return o }
	namesNone := must(NewDeepEval(none(DefaultDeepEval())))
	argumentsNone := must(NewDeepEval(none(DeepEvalOptions{EvaluationParams: []string{"input_parameters"}})))
	outputNone := must(NewDeepEval(none(DeepEvalOptions{EvaluationParams: []string{"output"}, ShouldConsiderOrdering: true})))
	exactNone := must(NewDeepEval(none(DeepEvalOptions{EvaluationParams: []string{"input_parameters", "output"}, ShouldExactMatch: true})))
	oldNone := must(NewDeepEvalMultimodal(none(DefaultDeepEval())))
	sharpNone := must(NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"INPUT_PARAMETERS"}, Uncaptured: UncapturedNone}))
	sharpOutputNone := must(NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"OUTPUT"}, Uncaptured: UncapturedNone}))
	for _, tc := range []struct {
		name   string
		method Method
		tools  []Tool
		calls  []Call
		status Status
		score  float64
		why    string // a part of Why
		reason string
	}{
		{"axion, dark", exact, []Tool{wantX}, []Call{darkCall}, NotEvaluable, 0, `arguments of "t" were not captured`, "the content is not known"},
		{"axion, large", exact, []Tool{wantX}, []Call{largeCall}, NotEvaluable, 0, `arguments of "t" were too large`, "never cut and compared"},
		{"axion, dark but of another name", exact, []Tool{wantX}, []Call{otherDark, withX}, Scored, 1, "", "names come first"},
		{"axion, none", exact, []Tool{bareTool}, []Call{bareCall}, Scored, 1, "", "both are {}"},
		{"axion, text", exact, []Tool{wantX}, []Call{textCall}, Failed, 0, "no JSON object", "args must be a dict"},
		{"axion subset of nothing, dark", axion(subset), []Tool{bareTool}, []Call{darkCall}, Scored, 1, "", "{} is a subset of anything"},
		{"axion strict, dark", axion(strict), []Tool{wantX, wantX}, []Call{darkCall, withX}, NotEvaluable, 0, "not captured", "the rest agrees"},
		{"axion strict, dark, and a difference", axion(strict), []Tool{wantX, wantX}, []Call{darkCall, withY}, Scored, 0, "", "it is 0 whatever the dark call holds"},
		{"axion strict, dark, and another length", axion(strict), []Tool{wantX, wantX}, []Call{darkCall}, Scored, 0, "", "it is 0 whatever the dark call holds"},
		{"deepeval names, dark", names, []Tool{bareTool}, []Call{darkCall, darkCall}, Scored, 1, "", "only one is asked for"},
		{"deepeval names, dark twice", names, []Tool{bareTool, bareTool}, []Call{darkCall, darkCall}, NotEvaluable, 0, "identical calls count once", "are they identical?"},
		{"deepeval names, differing twice", names, []Tool{bareTool, bareTool}, []Call{withX, withY}, Scored, 1, "", "they are not"},
		{"deepeval names, the same twice", names, []Tool{bareTool, bareTool}, []Call{withX, withX}, Scored, 0.5, "", "they are"},
		{"deepeval names, one dark", names, []Tool{bareTool, bareTool}, []Call{withX, {Name: "t", Arguments: JSON(`{"y":1}`)}}, Scored, 1, "", "arguments are enough to distinguish them"},
		{"deepeval, null on one side of a call that may repeat", arguments, []Tool{wantX, bareTool}, []Call{darkOutput, darkOutput}, NotEvaluable, 0, "identical calls count once", "if it repeats, it is never compared"},
		{"deepeval, null on one side of a call that does not repeat", arguments, []Tool{wantX, bareTool}, []Call{withX, darkOutput, withY}, Failed, 0, "null arguments", "AttributeError, whatever the output"},
		{"deepeval, a better call than one that may repeat", arguments, []Tool{wantX, {Name: "t", Arguments: JSON(`{"x":1,"z":1}`)}}, []Call{withX, darkOutput, {Name: "t", Arguments: JSON(`{"x":1,"z":1}`), Output: JSON("1")}}, Scored, 1, "", "it is taken whether the other is in or out"},
		{"deepeval, null on one side", arguments, []Tool{bareTool}, []Call{withX}, Failed, 0, "null arguments", "AttributeError"},
		{"deepeval, null on both sides", arguments, []Tool{bareTool}, []Call{bareCall}, Scored, 1, "", "None == None"},
		{"deepeval, dark", arguments, []Tool{wantX}, []Call{withX, darkCall}, NotEvaluable, 0, "not captured", "it might be null, and crash"},
		{"deepeval, text", arguments, []Tool{wantX}, []Call{textCall}, Failed, 0, "no JSON object", "input_parameters must be a dict"},
		{"deepeval output, dark", ordered, []Tool{{Name: "t", Output: JSON(`"ok"`)}}, []Call{darkCall}, NotEvaluable, 0, `output of "t" was not captured`, "the content is not known"},
		{"deepeval output, text", ordered, []Tool{{Name: "t", Output: JSON(`"ok"`)}}, []Call{textCall}, Scored, 1, "", "a text is a string"},
		{"deepeval exact, null and {}", exactly, []Tool{bareTool}, []Call{{Name: "t", Arguments: JSON(`{}`)}}, Scored, 0, "", "None != {}"},
		{"evalsharp, dark", sharp, []Tool{wantX}, []Call{darkCall}, NotEvaluable, 0, "not captured", "the content is not known"},
		{"evalsharp, dark but of another name", sharp, []Tool{wantX}, []Call{otherDark, withX}, Scored, 1, "", "it is multiplied by 0"},
		{"evalsharp, null of another name", sharp, []Tool{wantX}, []Call{{Name: "u", Arguments: JSON("null")}, withX}, Failed, 0, "null", "it is read before it is multiplied"},
		{"evalsharp, none", sharp, []Tool{bareTool}, []Call{bareCall}, Scored, 0, "", "0/0 is more than nothing"},
		{"evalsharp output, none", sharpOutput, []Tool{bareTool}, []Call{bareCall}, Scored, 0, "", "two fresh objects"},
		{"deepeval names, dark twice, taken for none", namesNone, []Tool{bareTool, bareTool}, []Call{darkCall, darkCall}, Scored, 0.5, "", "ToolCall(name) equals ToolCall(name)"},
		{"deepeval names, one dark, taken for none", namesNone, []Tool{bareTool, bareTool}, []Call{withX, darkCall}, Scored, 1, "", "None is not {\"x\": 1}"},
		{"deepeval names, large twice, taken for none", namesNone, []Tool{bareTool, bareTool}, []Call{largeCall, largeCall}, NotEvaluable, 0, "too large", "what is too large is there"},
		{"deepeval, dark, taken for none", argumentsNone, []Tool{wantX}, []Call{darkCall}, Failed, 0, "null arguments", "AttributeError, as of such a test case"},
		{"deepeval, dark on both sides, taken for none", argumentsNone, []Tool{bareTool}, []Call{darkCall}, Scored, 1, "", "None == None"},
		{"deepeval output, dark, taken for none", outputNone, []Tool{{Name: "t", Output: JSON(`"ok"`)}}, []Call{darkCall}, Scored, 0, "", "None is not ok"},
		{"deepeval exact, dark on both sides, taken for none", exactNone, []Tool{bareTool}, []Call{darkCall}, Scored, 1, "", "None == None"},
		{"multimodal names, dark twice, taken for none", oldNone, []Tool{bareTool, bareTool}, []Call{darkCall, darkCall}, Scored, 0.5, "", "calls were compared likewise"},
		{"evalsharp, dark, taken for none", sharpNone, []Tool{wantX}, []Call{darkCall}, Scored, 0, "", "a dictionary without entries"},
		{"evalsharp output, dark, taken for none", sharpOutputNone, []Tool{bareTool}, []Call{darkCall}, Scored, 0, "", "two fresh objects"},
		{"evalsharp order, nothing expected", sharpOutput, []Tool{}, []Call{bareCall}, Undefined, 0, "zero by zero", "0/0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.method.Judge(&Expectation{settings: ExpectationSettings{Tools: tc.tools}}, tc.calls)
			if got.Status != tc.status || got.Score != tc.score || !strings.Contains(got.Why, tc.why) {
				t.Errorf("%v, %v, %q; want %v, %v, %q: %s", got.Status, got.Score, got.Why, tc.status, tc.score, tc.why, tc.reason)
			}
			checkVerdict(t, got)
		})
	}
}

// TestRules pins rules that the vectors do not cover. Each follows from the reference's source or, for Galtea, from its
// documentation.
func TestRules(t *testing.T) {
	fuzzy := DefaultAxion()
	fuzzy.CheckParameters, fuzzy.ParameterMatchingStrategy, fuzzy.FuzzyThreshold = true, "fuzzy", 0.3
	exact := DefaultAxion()
	exact.CheckParameters = true
	call := func(arguments, output string) Call {
		return Call{Name: "t", Arguments: JSON(arguments), Output: JSON(output)}
	}
	mcp := call(`{}`, `1`)
	mcp.Type = MCPTool
	want := func(arguments string) []Tool { return []Tool{{Name: "t", Arguments: JSON(arguments)}} }
	strip := must(NewGaltea(GalteaOptions{StripPrefixes: []string{"a.", "b."}, TrimSpace: true}))
	for _, tc := range []struct {
		name   string
		method Method
		tools  []Tool
		calls  []Call
		score  float64
		reason string
	}{
		{"axion, floats of opposite signs", must(NewAxion(fuzzy)), want(`{"a":1.0,"b":1.0}`), []Call{call(`{"a":-1.0,"b":1.0}`, `1`)}, 0, "the mean of -1 and 1 is 0"},
		{"axion, an infinity", must(NewAxion(fuzzy)), want(`{"a":1e400}`), []Call{call(`{"a":1e400}`, `1`)}, 0, "inf-inf is nan, which reaches no threshold"},
		{"axion, minus zero", must(NewAxion(exact)), want(`{"a":-0}`), []Call{call(`{"a":0}`, `1`)}, 1, "an int has no sign at 0"},
		{"axion, minus zero and a float", must(NewAxion(exact)), want(`{"a":-0.0}`), []Call{call(`{"a":0}`, `1`)}, 1, "-0.0 == 0"},
		{"axion, a float beyond all ints", must(NewAxion(exact)), want(`{"a":1e400}`), []Call{call(`{"a":1}`, `1`)}, 0, "inf is no int"},
		{"deepeval, outputs differ", must(NewDeepEval(DefaultDeepEval())), []Tool{bareTool, bareTool}, []Call{call(`{}`, `1`), call(`{}`, `2`)}, 1, "output is a part of a call's identity"},
		{"deepeval, outputs are equal", must(NewDeepEval(DefaultDeepEval())), []Tool{bareTool, bareTool}, []Call{call(`{}`, `1`), call(`{}`, `1.0`)}, 0.5, "1 == 1.0"},
		{"deepeval, types differ", must(NewDeepEval(DefaultDeepEval())), []Tool{bareTool, {Name: "t", Type: MCPTool}}, []Call{call(`{}`, `1`), mcp}, 0.5, "type is no part of a call's identity"},
		{"galtea, a tab", strip, want(`{}`), []Call{{Name: "\tt"}}, 0, "only U+0020 is trimmed"},
		{"galtea, two prefixes", strip, want(`{}`), []Call{{Name: "a.b.t"}}, 0, "one prefix is removed, once"},
		{"galtea, a space and a prefix", strip, want(`{}`), []Call{{Name: " b.t "}}, 1, "spaces go before prefixes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.method.Judge(&Expectation{settings: ExpectationSettings{Tools: tc.tools}}, tc.calls)
			if got.Status != Scored || got.Score != tc.score {
				t.Errorf("%v %v (%s), want %v: %s", got.Status, got.Score, got.Why, tc.score, tc.reason)
			}
			checkVerdict(t, got)
		})
	}
}

// TestAlignments: the alignment contains what the reference's own explanation says.
func TestAlignments(t *testing.T) {
	a, b, c := Tool{Name: "a"}, Tool{Name: "b"}, Tool{Name: "c"}
	inOrder := must(NewEvalLib(EvalLibOptions{CheckOrdering: true}))
	exact := must(NewEvalLib(EvalLibOptions{ExactMatch: true}))
	for _, tc := range []struct {
		name    string
		method  Method
		tools   []Tool
		called  string
		pairs   []Pair
		repeats []int
		broken  []BrokenRule
		notes   []string
		ordered bool
		reason  string
	}{
		{"greedy", must(NewAxion(DefaultAxion())), []Tool{a, b}, "b x a", []Pair{{0, 2, 1}, {1, 0, 1}}, nil, nil, nil, false, "order is free"},
		{"in order", inOrder, []Tool{a, b, c}, "b a c", []Pair{{0, 1, 1}, {2, 2, 1}}, nil, nil, nil, true, "the path that leaves out the later tool first"},
		{"exact, shorter", exact, []Tool{a, b}, "a", []Pair{{0, 0, 1}}, nil, []BrokenRule{{"1 call was made, exactly 2 are expected", -1}}, nil, true, "the count is the fact"},
		{"exact, differing", exact, []Tool{a, b, c}, "a x y", []Pair{{0, 0, 1}}, nil, nil, []string{"position 2 is the first that differs"}, true, "the position is a fact, and what stands there the reason"},
		{"galtea", must(NewGaltea(DefaultGaltea())), []Tool{a, b, a}, "b b x x", []Pair{{1, 0, 1}}, []int{1, 3}, nil, nil, false, "repeats do not count"},
		{"deepeval", must(NewDeepEval(DefaultDeepEval())), []Tool{a, a}, "a a", []Pair{{0, 0, 1}}, nil, nil, nil, false, "the second is the first"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var calls []Call
			for name := range strings.FieldsSeq(tc.called) {
				calls = append(calls, Call{Name: name, Arguments: Omitted(), Output: Omitted()})
			}
			e, err := NewExpectation(ExpectationSettings{Tools: tc.tools})
			if err != nil {
				t.Fatal(err)
			}
			got := tc.method.Judge(e, calls).Alignment
			if !slices.Equal(got.Pairs, tc.pairs) || !slices.Equal(got.Repeats, tc.repeats) || !slices.Equal(got.Broken, tc.broken) || !slices.Equal(got.Notes, tc.notes) || got.Ordered != tc.ordered {
				t.Errorf("pairs %v, repeats %v, broken %v, notes %q, ordered %v; want %v, %v, %v, %q, %v: %s", got.Pairs, got.Repeats, got.Broken,
					got.Notes, got.Ordered, tc.pairs, tc.repeats, tc.broken, tc.notes, tc.ordered, tc.reason)
			}
		})
	}
}

// TestCompares: Compares reports the payloads that some rule reads.
func TestCompares(t *testing.T) {
	params := []string{"input_parameters"}
	checked := DefaultAxion()
	checked.CheckParameters = true
	for _, tc := range []struct {
		name              string
		method            Method
		arguments, output bool
		reason            string
	}{
		{"axion", must(NewAxion(DefaultAxion())), false, false, "names"},
		{"axion with parameters", must(NewAxion(checked)), true, false, "never output"},
		{"deepeval", must(NewDeepEval(DefaultDeepEval())), true, true, "to know identical calls"},
		{"deepeval in order", must(NewDeepEval(DeepEvalOptions{ShouldConsiderOrdering: true})), false, false, "positions distinguish repeats"},
		{"deepeval exactly, with parameters", must(NewDeepEval(DeepEvalOptions{ShouldExactMatch: true, EvaluationParams: params})), true, false, "as asked"},
		{"evalsharp", must(NewEvalSharp(DefaultEvalSharp())), false, false, "repeats are known by reference"},
		{"evalsharp with output", must(NewEvalSharp(EvalSharpOptions{EvaluationParams: []string{"output"}})), false, true, "as asked"},
		{"eval_lib", must(NewEvalLib(DefaultEvalLib())), false, false, "strings"},
		{"galtea", must(NewGaltea(DefaultGaltea())), false, false, "names"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if arguments, output := tc.method.Compares(); arguments != tc.arguments || output != tc.output {
				t.Errorf("Compares() = %v, %v, want %v, %v: %s", arguments, output, tc.arguments, tc.output, tc.reason)
			}
		})
	}
}

// TestOverload: lists that are too long are quickly found not evaluable.
func TestOverload(t *testing.T) {
	tools, calls := make([]Tool, 5000), make([]Call, 5000)
	for i := range tools {
		tools[i], calls[i] = bareTool, bareCall
	}
	e := &Expectation{settings: ExpectationSettings{Tools: tools}}
	if got := must(NewEvalLib(EvalLibOptions{CheckOrdering: true})).Judge(e, calls); got.Status != NotEvaluable {
		t.Errorf("5000 x 5000: %v, want %v", got.Status, NotEvaluable)
	}
	huge := JSON(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)
	for i := range 40 {
		tools[i].Arguments, calls[i].Arguments = huge, huge
	}
	e = &Expectation{settings: ExpectationSettings{Tools: tools[:40]}}
	o := DefaultAxion()
	o.CheckParameters = true
	if got := must(NewAxion(o)).Judge(e, calls[:40]); got.Status != NotEvaluable || !strings.Contains(got.Why, "payloads") {
		t.Errorf("40 x 40 of a megabyte: %v %q, want %v", got.Status, got.Why, NotEvaluable)
	}
}
