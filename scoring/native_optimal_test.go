package scoring

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/exact"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
)

// naive is the native method by brute force. It shares with the engine the comparison of two payloads and the measures, and
// nothing else.
type naive struct {
	options NativeOptions
	rows    []naiveRow
	calls   []Call
	credits map[[2]int]int64 // by row and call, computed on first use
}

type naiveRow struct {
	tool *Tool
	need match.Need
}

func newNaive(o NativeOptions, tools []Tool, calls []Call) naive {
	n := naive{options: o, calls: calls, credits: map[[2]int]int64{}}
	for i := range tools {
		t := &tools[i]
		least, most, more := t.Count.Min, t.Count.Max, t.Count.Max <= 0
		if t.Count == (Count{}) {
			least, most, more = 1, 1, false
		}
		if t.Optional {
			least = 0
		}
		for range least {
			n.rows = append(n.rows, naiveRow{t, match.Required})
		}
		for range most - least {
			n.rows = append(n.rows, naiveRow{t, match.Optional})
		}
		if more {
			n.rows = append(n.rows, naiveRow{t, match.Endless})
		}
	}
	return n
}

func (n *naive) credit(r, j int) int64 {
	credit, known := n.credits[[2]int{r, j}]
	if !known {
		credit = n.compare(r, j)
		n.credits[[2]int{r, j}] = credit
	}
	return credit
}

func (n *naive) compare(r, j int) int64 {
	t, c := n.rows[r].tool, &n.calls[j]
	names := append([]string{}, t.Names...)
	if len(names) == 0 {
		names = []string{t.Name}
	}
	for i, name := range names {
		names[i] = strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, `.*`)
	}
	if !regexp.MustCompile(`^(?s:` + strings.Join(names, "|") + `)$`).MatchString(c.Name) {
		return 0
	}
	mode := n.options.Arguments
	if t.Match != ArgumentsUnset {
		mode = t.Match
	}
	credit := int64(full)
	if t.Arguments != (Payload{}) {
		e, _ := t.Arguments.Value()
		got, _ := c.Arguments.Value()
		if !n.options.nothingToCompare(mode, orEmptyObject(e)) {
			credit = n.options.compareArguments(mode, orEmptyObject(e), orEmptyObject(got), new(difflib.NewBudget()))
		}
	}
	if t.Output != (Payload{}) && n.options.Output != OutputIgnore {
		e, _ := t.Output.Value()
		got, _ := c.Output.Value()
		written := e.Kind() == String && c.Output.form == jsonText && e.Text() == c.Output.text // content blocks do not occur here
		if !n.options.Output.equal()(e, got) && !written {
			return 0
		}
	}
	return credit
}

// best returns the greatest weight, and whether the order is possible.
func (n *naive) best() (match.Weight, bool) {
	switch n.options.Order {
	case AnyOrder:
		return n.anyOrder(0, map[int]bool{}), true
	case InOrder:
		return n.inOrder(0, 0), true
	}
	return n.exact(0, 0)
}

// anyOrder gives call j and later ones to any unused rows.
func (n *naive) anyOrder(j int, used map[int]bool) match.Weight {
	if j == len(n.calls) {
		return match.Weight{}
	}
	best := n.anyOrder(j+1, used)
	for r := range n.rows {
		credit := n.credit(r, j)
		if used[r] || credit == 0 {
			continue
		}
		used[r] = n.rows[r].need != match.Endless
		if with := n.anyOrder(j+1, used).Plus(match.WeightOf(n.rows[r].need, credit)); best.Less(with) {
			best = with
		}
		used[r] = false
	}
	return best
}

// inOrder pairs rows from r on with calls from j on.
func (n *naive) inOrder(r, j int) match.Weight {
	if r == len(n.rows) || j == len(n.calls) {
		return match.Weight{}
	}
	best := n.inOrder(r+1, j)
	if other := n.inOrder(r, j+1); best.Less(other) {
		best = other
	}
	if credit := n.credit(r, j); credit > 0 {
		next := r + 1
		if n.rows[r].need == match.Endless {
			next = r
		}
		if with := n.inOrder(next, j+1).Plus(match.WeightOf(n.rows[r].need, credit)); best.Less(with) {
			best = with
		}
	}
	return best
}

// exact pairs calls from j on with rows from r on, and leaves out optional rows only.
func (n *naive) exact(r, j int) (best match.Weight, ok bool) {
	if r == len(n.rows) {
		return match.Weight{}, j == len(n.calls)
	}
	need := n.rows[r].need
	try := func(w match.Weight, possible bool) {
		if possible && (!ok || best.Less(w)) {
			best, ok = w, true
		}
	}
	if need != match.Required {
		try(n.exact(r+1, j))
	}
	if j == len(n.calls) {
		return best, ok
	}
	credit := n.credit(r, j)
	if need != match.Required && credit == 0 {
		return best, ok
	}
	next := r + 1
	if need == match.Endless {
		next = r
	}
	w, possible := n.exact(next, j+1)
	try(w.Plus(match.WeightOf(need, credit)), possible)
	return best, ok
}

// score returns the score of the best weight.
func (n *naive) score() float64 {
	return n.scoreOf(n.best())
}

// scoreOf returns the score of a weight. ok: the order is possible.
func (n *naive) scoreOf(w match.Weight, ok bool) float64 {
	if !ok {
		return 0
	}
	t := exact.Tally{Wanted: uint64(w.Major), Welcome: uint64(w.Minor), Called: uint64(len(n.calls))}
	for _, r := range n.rows {
		if r.need == match.Required {
			t.Expected++
		}
	}
	return n.options.Score.of(t).Float()
}

// FuzzNativeIsOptimal compares the engine with brute force, under all orders, modes and measures.
func FuzzNativeIsOptimal(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		o := d.options()
		tools := d.tools(4, features{patterns: true, counts: true, arguments: true, modes: true})
		calls := d.calls(5)
		n := newNaive(o, cloneTools(tools), calls)
		if len(n.rows) > 8 {
			return
		}
		e := expectation(t, ExpectationSettings{Tools: tools})
		v := judge(t, o, e, calls)
		if v.Status != Scored {
			t.Fatalf("not scored: %s", v.Why)
		}
		checkPairs(t, v)
		if want := n.score(); v.Score != want {
			t.Errorf("score is %v, trying everything finds %v\n%+v\n%+v\n%+v", v.Score, want, o, tools, calls)
		}
	})
}

// checkPairs checks the documented laws of an Alignment, of which each pair has the name of its tool.
func checkPairs(t *testing.T, v Verdict) {
	t.Helper()
	a := v.Alignment
	expected := checkAlignment(t, a)
	for _, p := range a.Pairs {
		if !a.Expected[p.Expected].names(a.Called[p.Called].Name) {
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
