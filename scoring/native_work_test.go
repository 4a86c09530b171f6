package scoring

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// numbered returns n texts, each with its number.
func numbered(format string, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return texts
}

// toolsOf returns a tool for each name, and callsOf a call.
func toolsOf(names []string) (list []Tool) {
	for _, name := range names {
		list = append(list, Tool{Name: name})
	}
	return list
}

func callsOf(names []string) (made []Call) {
	for _, name := range names {
		made = append(made, Call{Name: name})
	}
	return made
}

// worked judges a run and returns how many steps of comparing the verdict took.
func worked(t *testing.T, n *Native, e *Expectation, calls []Call) (Verdict, int) {
	t.Helper()
	w := newNativeRun(n, calls)
	v := Verdict{Threshold: n.options.Threshold}
	w.judge(&v, e)
	spent := maxWork - max(int(w.work), 0)
	w.release()
	return v, spent
}

// A span may write what is expected, so the products of its lists with the calls are bounded.
func TestProductsOfListsAreBounded(t *testing.T) {
	long := callsOf(numbered(strings.Repeat("a", 300)+"%d", 10_000))
	limits := func(names []string) (list []CallLimit) {
		for _, name := range names {
			list = append(list, CallLimit{name, 1})
		}
		return list
	}
	var lists [][]Tool
	for _, name := range numbered("%d", 25_000) {
		lists = append(lists, tools(name))
	}
	var payloads []Tool
	for _, payload := range numbered(`{"a":%d}`, 5_000) {
		payloads = append(payloads, Tool{Name: "x", Arguments: JSON(payload)})
	}
	patterns := numbered("*%d*b", 15_000)
	for _, tc := range []struct {
		name     string
		settings ExpectationSettings
		calls    []Call
		status   Status
		reason   string
	}{
		{"patterns", ExpectationSettings{Tools: toolsOf(patterns)}, long, NotEvaluable, "each would be compared with each name"},
		{"limits", ExpectationSettings{MaxCallsOf: limits(patterns)}, long, NotEvaluable, "likewise"},
		{"long patterns", ExpectationSettings{Tools: toolsOf(numbered("*"+strings.Repeat("a", 4_000)+"%d*b", 400))}, long, NotEvaluable, "a byte of a pattern is a step"},
		{"lists", ExpectationSettings{AnyOf: lists}, long, NotEvaluable, "each would be compared with all calls"},
		{"forbidden arguments", ExpectationSettings{Forbidden: payloads}, slices.Repeat([]Call{{Name: "x", Arguments: JSON(`{}`)}}, 10_000), NotEvaluable, "pairs of a name are counted"},
		{"arguments in lists", ExpectationSettings{AnyOf: [][]Tool{payloads[:2500], payloads[2500:]}}, slices.Repeat([]Call{{Name: "x", Arguments: JSON(`{}`)}}, 1_000), NotEvaluable, "in all lists together"},
		{"a long pattern", ExpectationSettings{Tools: tools("*" + strings.Repeat("a", 100_000) + "b")}, callsOf([]string{strings.Repeat("a", 1<<20)}), Scored, "the sum of both lengths, not the product"},
		{"an honest run", ExpectationSettings{Tools: toolsOf(numbered("search_%d_*", 200))}, callsOf(numbered("search_%d_web", 1_000)), Scored, "200 patterns and 1,000 names"},
	} {
		n := native(t, func(o *NativeOptions) { o.Arguments = ArgumentsSubset })
		e := expectation(t, tc.settings)
		v, spent := worked(t, n, e, tc.calls)
		if v.Status != tc.status || v.Status == NotEvaluable && v.Why != tooMuchWork {
			t.Errorf("%s: %v %q after %d steps, want %v: %s", tc.name, v.Status, v.Why, spent, tc.status, tc.reason)
		}
		missing, unexpected := NameDiff(e, tc.calls)
		if len(missing) > len(e.Names()) || len(unexpected) > len(tc.calls) {
			t.Errorf("%s: %d missing and %d unexpected: %s", tc.name, len(missing), len(unexpected), tc.reason)
		}
		NameDiffOfSets(e, tc.calls)
		checkJudged(t, v)
	}
	e := expectation(t, ExpectationSettings{AnyOf: append(lists, toolsOf(numbered("b%d", 2)))})
	if missing, _ := NameDiffOfSets(e, append(callsOf(numbered("b%d", 2)), long[2:]...)); len(missing) != 1 {
		t.Errorf("the last of %d lists was compared: %d are missing", len(lists)+1, len(missing))
	}
	few := expectation(t, ExpectationSettings{AnyOf: append(lists[:2:2], toolsOf(numbered("b%d", 2)))})
	if missing, _ := NameDiffOfSets(few, callsOf(numbered("b%d", 2))); len(missing) != 0 {
		t.Errorf("the last of 3 lists was not compared: %d are missing", len(missing))
	}
}

// A forbidden call decides, though the rest is too much to compare.
func TestForbiddenCallsDecideBeyondTheBoundOnWork(t *testing.T) {
	e := expectation(t, ExpectationSettings{Tools: toolsOf(numbered("*%d*b", 15_000)), Forbidden: tools("rm")})
	v := native(t, nil).Judge(e, slices.Concat(called("rm"), callsOf(numbered("aaaaaaaaaa%d", 9_000))))
	if v.Status != Scored || v.Score != 0 || len(v.Alignment.Forbidden) != 1 {
		t.Errorf("%v, score %v", v.Status, v.Score)
	}
}

// An expectation is refused if its own names are too many to be compared with each other.
func TestNamesOfAnExpectationAreComparedWithinABound(t *testing.T) {
	long := toolsOf(numbered(strings.Repeat("a", 200)+"%d", 4_000))
	for _, tc := range []struct {
		name     string
		settings ExpectationSettings
		want     string
		reason   string
	}{
		{"required and forbidden", ExpectationSettings{Tools: long, Forbidden: toolsOf(numbered("*%d*b", 4_000))},
			"has too many names to be compared with each other", "each may rule out each"},
		{"limits", ExpectationSettings{Tools: long, MaxCallsOf: slices.Repeat([]CallLimit{{"a*b", 1}}, 4_000)},
			"has too many names to be compared with each other", "each may contradict each"},
		{"counts in lists", ExpectationSettings{AnyOf: slices.Repeat([][]Tool{{{Name: "a", Count: Count{1000, 1000}}}}, 501)},
			"any_of: asks for 501000 calls in all, more than 500000", "each has a place in memory"},
		{"honest", ExpectationSettings{Tools: toolsOf(numbered("%d", 1_000)), Forbidden: toolsOf(numbered("rm_%d_*", 1_000))}, "<nil>", "a million comparisons"},
	} {
		if _, err := NewExpectation(tc.settings); fmt.Sprint(err) != tc.want {
			t.Errorf("%s: %v, want %s: %s", tc.name, err, tc.want, tc.reason)
		}
	}
}

// The bytes of payloads are counted for each pair, and arguments are changed once for tools of one tolerance.
func TestBytesOfPayloadsAreBounded(t *testing.T) {
	x := func(format string, n int, change func(*Tool)) (list []Tool) {
		for _, payload := range numbered(format, n) {
			tool := Tool{Name: "x", Arguments: JSON(payload)}
			change(&tool)
			list = append(list, tool)
		}
		return list
	}
	large := JSON("{" + strings.Join(numbered(`"k%d":1`, 5_000), ",") + "}")
	number := JSON(`{"a":1.` + strings.Repeat("0", 60_000) + `}`)
	plain := func(*Tool) {}
	ignores := func(t *Tool) { t.IgnoreArguments = []string{"*id*x", "meta.*"} }
	path := JSON(`{"` + strings.Repeat("a", 30_000) + `":{` + strings.Join(numbered(`"%d":1`, 3_000), ",") + "}}")
	for _, tc := range []struct {
		name   string
		tools  []Tool
		calls  []Call
		status Status
		most   int
		reason string
	}{
		{"long numbers", x(`{"a":%d}`, 1_000, plain), slices.Repeat([]Call{{Name: "x", Arguments: number}}, 150), NotEvaluable, maxWork, "each is read for each pair"},
		{"long numbers, few pairs", x(`{"a":%d}`, 10, plain), slices.Repeat([]Call{{Name: "x", Arguments: number}}, 15), Scored, 150*60_100 + 64*15, "a byte is a step"},
		{"a tolerance of 20 tools", x(`{"a":%d}`, 20, ignores), []Call{{Name: "x", Arguments: large}}, Scored, 20*(large.Size()+10) + 10*large.Size() + 64, "changed once: 10 steps for a byte, not 200"},
		{"a long path", x(`{"a":%d}`, 1, ignores), slices.Repeat([]Call{{Name: "x", Arguments: path}}, 10), NotEvaluable, maxWork, "each key below has the whole path"},
	} {
		v, spent := worked(t, native(t, func(o *NativeOptions) { o.Arguments = ArgumentsSubset }), expectation(t, ExpectationSettings{Tools: tc.tools}), tc.calls)
		if v.Status != tc.status || v.Status == NotEvaluable && v.Why != tooMuchWork {
			t.Errorf("%s: %v %q, want %v: %s", tc.name, v.Status, v.Why, tc.status, tc.reason)
		}
		if spent > tc.most {
			t.Errorf("%s: %d steps, at most %d: %s", tc.name, spent, tc.most, tc.reason)
		}
		checkJudged(t, v)
	}
}
