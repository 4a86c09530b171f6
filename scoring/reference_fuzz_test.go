package scoring

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func (d *dice) yes() bool { return d.below(2) == 1 }

// share returns a threshold.
func (d *dice) share() float64 { return float64(d.below(5)) / 4 }

// payloads has a case for each special rule. %s is a text of the fuzzer.
var payloads = []string{
	`{}`, `null`, `[]`, `{"x":1}`, `{"x":1.0}`, `{"x":true}`, `{"x":-0}`, `{"x":0}`, `{"x":-1}`, `{"x":1e400}`, `{"x":-1e400}`,
	`{"x":1e-400}`, `{"x":9007199254740993}`, `{"x":9007199254740992.0}`, `{"x":null}`, `{"x":"%s"}`, `{"x":"%s%s"}`,
	`{"x":{"y":1,"z":"%s"}}`, `{"x":{"y":2,"z":"%s"}}`, `{"y":1,"x":2}`, `{"x":2,"y":1}`, `{"x":[1,{"y":[]}]}`, `{"x":1,"x":2}`,
	`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}`, `"%s"`, `%s`, `1`, `true`, `{"%s":"%s"}`, `{"x":"é%s","y":"日本%s"}`,
}

func (d *dice) payload(raw string) Payload {
	switch k := d.below(len(payloads) + 4); k {
	case 0:
		return Payload{}
	case 1:
		return Omitted()
	case 2:
		return TooLarge()
	case 3:
		return Text(raw)
	default:
		return JSON(strings.ReplaceAll(payloads[k-4], "%s", raw))
	}
}

func (d *dice) name(raw string) string {
	return []string{"a", "b", "c", "A", " a", "mcp.a", "", raw}[d.below(8)]
}

// run returns an expectation and calls. Either list may be missing.
func (d *dice) run(raw string) (*Expectation, []Call) {
	var tools []Tool
	var calls []Call
	if n := d.below(6); n > 0 {
		tools = make([]Tool, n-1)
	}
	for i := range tools {
		tools[i] = Tool{Name: d.name(raw), Type: ToolType(d.below(2)), Arguments: d.payload(raw), Output: d.payload(raw)}
	}
	if n := d.below(6); n > 0 {
		calls = make([]Call, n-1)
	}
	for j := range calls {
		calls[j] = Call{Name: d.name(raw), Type: ToolType(d.below(2)), Arguments: d.payload(raw), Output: d.payload(raw)}
	}
	return &Expectation{settings: ExpectationSettings{Tools: tools}}, calls
}

func (d *dice) params() []string {
	return [][]string{nil, {"input_parameters"}, {"output"}, {"tool", "input_parameters", "output"}}[d.below(4)]
}

// checkVerdict checks the laws in the doc comments of Verdict and Alignment.
func checkVerdict(t *testing.T, v Verdict) {
	t.Helper()
	if v.Passed != (v.Status == Scored && v.Score >= v.Threshold) {
		t.Errorf("passed %v with status %v, score %v, threshold %v", v.Passed, v.Status, v.Score, v.Threshold)
	}
	if (v.Why == "") != (v.Status == Scored) {
		t.Errorf("status %v with why %q", v.Status, v.Why)
	}
	if v.Status == Scored && v.Score > 0 && v.Alignment.Extra == ExtraForbidden {
		t.Errorf("score %v in spite of calls that make it 0", v.Score)
	}
	checkAlignment(t, v.Alignment)
}

// checkLaws: a score is in [0, 1] and the same each time, and the alignment keeps its laws.
func checkLaws(t *testing.T, m Method, e *Expectation, calls []Call) {
	t.Helper()
	got := m.Judge(e, calls)
	// DeepEval's sums of shares may round to a little more than 1.
	if !(0 <= got.Score && got.Score <= 1+1e-12) {
		t.Errorf("score %v", got.Score)
	}
	if again := m.Judge(e, calls); !reflect.DeepEqual(again, got) {
		t.Errorf("first %+v, then %+v", got, again)
	}
	checkVerdict(t, got)
	checkClasses(t, got)
	if reason := got.Reason(ReasonOptions{Values: true}); !utf8.ValidString(reason) || len(reason) > 1024 {
		t.Errorf("reason of %d bytes: %q", len(reason), reason)
	}
	if !math.IsNaN(got.Score) && got.Status != Scored && got.Score != 0 {
		t.Errorf("score %v with status %v", got.Score, got.Status)
	}
}

// FuzzReferences makes a method and a run from the fuzzer's choices and checks the verdict.
func FuzzReferences(f *testing.F) {
	f.Add([]byte(""), "")
	for method := range byte(7) {
		f.Add([]byte{method, 1, 1, 1, 1, 1, 3, 0, 0, 7, 7, 0, 0, 7, 7, 3, 0, 0, 7, 7}, "text")
		f.Add(append([]byte{method}, "some bytes that choose options, tools and calls in no particular way, but enough of them"...), "日本\xff")
	}
	f.Fuzz(func(t *testing.T, choices []byte, raw string) {
		if len(raw) > 1000 {
			return
		}
		d := &dice{choices}
		m := d.method()
		e, calls := d.run(raw)
		checkLaws(t, m, e, calls)
	})
}

func (d *dice) method() Method {
	k := d.below(7)
	switch k {
	case 0:
		return must(NewAxion(AxionOptions{
			CheckParameters: d.yes(), StrictOrder: d.yes(), FuzzyThreshold: d.share(), Threshold: d.share(),
			ParameterMatchingStrategy: pick(d, []string{"exact", "subset", "fuzzy"}), Scoring: pick(d, []string{"recall", "precision", "f1"}),
		}))
	case 1:
		return must(NewEvalLib(EvalLibOptions{ExactMatch: d.yes(), CheckOrdering: d.yes(), Threshold: d.share(), Version: pick(d, []string{"0.8", "0.7"})}))
	case 2:
		return must(NewGaltea(GalteaOptions{StripPrefixes: []string{"mcp.", "a"}[:d.below(3)], TrimSpace: d.yes()}))
	}
	o := DeepEvalOptions{
		EvaluationParams: d.params(), ShouldExactMatch: d.yes(), ShouldConsiderOrdering: d.yes(),
		StrictMode: d.yes(), Threshold: d.share(), Uncaptured: Uncaptured(d.below(2)),
	}
	if k == 3 {
		return must(NewEvalSharp(o))
	}
	return must([]func(DeepEvalOptions) (Method, error){NewDeepEval, NewDeepEvalMultimodal, newDeepEval418}[k-4](o))
}
