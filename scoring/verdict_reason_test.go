package scoring

import (
	"strings"
	"testing"
)

func TestReasonIsShort(t *testing.T) {
	long := strings.Repeat("é", 5000)
	var list []Tool
	var calls []Call
	for i := range 100 {
		arguments := strings.Builder{}
		for j := range 20 {
			arguments.WriteString(`,"` + long[:2*j] + strings.Repeat("k", 60) + `":1`)
		}
		name := long[:100+2*i]
		list = append(list, Tool{Name: name, Arguments: JSON("{" + arguments.String()[1:] + "}")})
		calls = append(calls, Call{Name: name, Arguments: JSON("{}")})
	}
	v := native(t, func(o *NativeOptions) { o.Arguments = ArgumentsExact }).Judge(expectation(t, ExpectationSettings{Tools: list}), calls)
	checkJudged(t, v)
	if got := v.Reason(ReasonOptions{}); len(got) < maxReason-4 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes, ending in %q: want as much as fits and an ellipsis", len(got), got[len(got)-8:])
	}
	v.Status, v.Why = Failed, long
	if got := v.Reason(ReasonOptions{}); len(got) > maxReason {
		t.Errorf("the why of %d bytes is not cut", len(got))
	}
	if got := (&Verdict{Status: Undefined}).Reason(ReasonOptions{}); got != "Not scored: undefined." {
		t.Errorf("without a why the reason is %q", got)
	}
}

// FuzzReason explains alignments that no method makes, with hostile names and payloads.
func FuzzReason(f *testing.F) {
	f.Add([]byte{}, "a", `{"x":1}`, `{"x":2}`)
	f.Add([]byte{3, 3, 1, 1, 1, 0, 0, 5}, "a\nb\xff", `{"\n":[1,{"k":"v"}]}`, "{bad")
	f.Add([]byte{4, 4, 0, 1, 0, 1, 1, 1, 2, 2, 1}, strings.Repeat("\u202e", 400), `[1,2]`, `[1,3]`)
	f.Fuzz(func(t *testing.T, data []byte, name, x, y string) {
		d := &dice{data}
		payloads := []Payload{JSON(x), JSON(y), Text(x), {}, Omitted(), TooLarge()}
		names := []string{name, "a", x, "a*"}
		a := Alignment{
			Ordered: d.chance(2), ComparesArguments: d.chance(2), ComparesOutput: d.chance(2), ComparesType: d.chance(2),
			Arguments: ArgumentMode(d.below(7)), Output: OutputMode(d.below(3)),
		}
		for range d.below(6) {
			a.Expected = append(a.Expected, &Tool{Name: pick(d, names), Arguments: pick(d, payloads), Output: pick(d, payloads)})
		}
		for range d.below(6) {
			a.Called = append(a.Called, Call{Name: pick(d, names), Arguments: pick(d, payloads), Output: pick(d, payloads)})
		}
		for i := range min(len(a.Expected), len(a.Called)) {
			switch d.below(4) {
			case 0:
				a.Pairs = append(a.Pairs, Pair{Expected: i, Called: i, Credit: 1})
			case 1:
				a.Pairs = append(a.Pairs, Pair{Expected: i, Called: i, Credit: 0.5})
			case 2:
				a.Forbidden = append(a.Forbidden, i)
			}
		}
		v := Verdict{Score: 0.5, Threshold: 0.5, Passed: true, Alignment: a}
		for _, o := range []ReasonOptions{{}, {Values: true}} {
			reason := v.Reason(o)
			checkReason(t, reason)
			if again := v.Reason(o); again != reason {
				t.Errorf("one verdict, two reasons: %q and %q", reason, again)
			}
		}
	})
}
