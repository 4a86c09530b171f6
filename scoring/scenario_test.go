package scoring

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A dice makes choices from the bytes of a fuzz input, so that a failure can be repeated. Once the bytes are used up, it
// always makes the first choice.
type dice struct{ data []byte }

func (d *dice) below(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	x := int(d.data[0])
	d.data = d.data[1:]
	return x % n
}

func (d *dice) chance(oneIn int) bool { return d.below(oneIn) == oneIn-1 }

func pick[T any](d *dice, from []T) T { return from[d.below(len(from))] }

// There are few words, so that names and payloads are often equal.
var (
	someNames = []string{"a", "b", "ab", "c", "search"}
	someGlobs = []string{"*", "a*", "*b", "a*b"}
	someJSON  = []string{
		`{}`, `{"x":1}`, `{"x":1.0,"y":2}`, `{"x":2,"y":2}`, `{"y":2,"x":2,"z":{"k":[1,2],"l":"text"}}`,
		`{"z":{"k":[1,2]}}`, `{"x":"some text","y":"some test"}`, `{"x":"some tests"}`, `null`, `[1]`, `"text"`,
	}
)

// features says what a scenario may use.
type features struct {
	patterns, counts, arguments, modes bool
}

func (d *dice) tool(f features) Tool {
	t := Tool{Name: pick(d, someNames)}
	if f.patterns && d.chance(4) {
		t.Name = pick(d, someGlobs)
	} else if f.patterns && d.chance(4) {
		t.Name, t.Names = "", []string{pick(d, someNames), pick(d, someNames)}
	}
	if f.arguments && d.chance(2) {
		t.Arguments = JSON(pick(d, someJSON))
		if f.modes && d.chance(4) {
			t.Match = ArgumentMode(1 + d.below(6))
		}
	}
	if f.arguments && d.chance(8) {
		t.Output = JSON(pick(d, someJSON))
	}
	if f.counts && d.chance(3) {
		t.Count = pick(d, []Count{{0, 1}, {1, 2}, {0, Unlimited}, {1, Unlimited}, {2, 3}, {2, 0}})
		t.Optional = t.Count.Min == 0 && d.chance(2)
	} else if f.counts && d.chance(4) {
		t.Optional = true
	}
	return t
}

func (d *dice) tools(n int, f features) []Tool {
	tools := make([]Tool, d.below(n+1))
	for i := range tools {
		tools[i] = d.tool(f)
	}
	return tools
}

func (d *dice) call() Call {
	return Call{Name: pick(d, someNames), Arguments: JSON(pick(d, someJSON)), Output: JSON(pick(d, someJSON))}
}

func (d *dice) calls(n int) []Call {
	calls := make([]Call, d.below(n+1))
	for i := range calls {
		calls[i] = d.call()
	}
	return calls
}

func (d *dice) options() NativeOptions {
	o := DefaultNative()
	o.Order = Order(d.below(3))
	o.Arguments = ArgumentMode(1 + d.below(6))
	o.Output = OutputMode(d.below(3))
	o.Score = Measure(d.below(4))
	o.FuzzyThreshold = float64(d.below(11)) / 10
	return o
}

// addSeeds adds inputs of several lengths.
func addSeeds(f *testing.F) {
	for n := range uint64(40) {
		random := rand.New(rand.NewPCG(n, 1))
		seed := make([]byte, 8*n)
		for i := range seed {
			seed[i] = byte(random.Uint32())
		}
		f.Add(seed)
	}
}

func judge(tb testing.TB, o NativeOptions, e *Expectation, calls []Call) Verdict {
	tb.Helper()
	n, err := NewNative(o)
	if err != nil {
		tb.Fatal(err)
	}
	return n.Judge(e, calls)
}

func without[T any](s []T, i int) []T { return slices.Delete(slices.Clone(s), i, i+1) }

// checkPairs checks the documented laws of an Alignment, of which each pair has the name of its tool.
func checkPairs(t *testing.T, v Verdict) {
	t.Helper()
	a := v.Alignment
	expected := checkAlignment(t, a)
	for _, p := range a.Pairs {
		fits := func(pattern string) bool { return MatchesName(pattern, a.Called[p.Called].Name) }
		if !slices.ContainsFunc(a.Expected[p.Expected].alternatives(), fits) {
			t.Errorf("pair %+v joins tool %q and call %q", p, a.Expected[p.Expected].label(), a.Called[p.Called].Name)
		}
	}
	for _, i := range a.Optional {
		if !expected[i] {
			t.Errorf("optional tool %d is listed and was not called", i)
		}
	}
}

// checkAlignment checks the laws that hold for all methods, and returns the tools in pairs.
func checkAlignment(t *testing.T, a Alignment) (expected map[int]bool) {
	t.Helper()
	expected, called, last := map[int]bool{}, map[int]bool{}, -1
	for _, j := range slices.Concat(a.Repeats, a.Forbidden) {
		if called[j] || j < 0 || j >= len(a.Called) {
			t.Errorf("repeats %v and forbidden %v of %d calls", a.Repeats, a.Forbidden, len(a.Called))
		}
		called[j] = true
	}
	for _, p := range a.Pairs {
		if p.Expected <= last || p.Expected >= len(a.Expected) || p.Called < 0 || p.Called >= len(a.Called) || called[p.Called] {
			t.Errorf("pair %+v is out of order or range, or uses again what is taken: %+v, repeats %v, forbidden %v", p, a.Pairs, a.Repeats, a.Forbidden)
		}
		if !(0 < p.Credit && p.Credit <= 1) {
			t.Errorf("pair %+v has a credit outside (0, 1]", p)
		}
		expected[p.Expected], called[p.Called], last = true, true, p.Expected
	}
	return expected
}
