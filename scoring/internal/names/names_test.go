package names

import (
	"fmt"
	"slices"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/steps"
)

func TestDiff(t *testing.T) {
	one := func(name string) Wanted { return Wanted{Names: []string{name}, Label: name} }
	for _, tc := range []struct {
		name                string
		list                []Wanted
		called              []string
		work                int
		missing, unexpected []string
		reason              string
	}{
		{"equal", []Wanted{one("a"), one("b")}, []string{"b", "a"}, 0, nil, nil, "the order does not count, and nothing is matched"},
		{"a label twice", []Wanted{one("a"), one("a")}, nil, 0, []string{"a"}, nil, "a set has it once"},
		{"another name", []Wanted{one("a")}, []string{"b"}, 0, []string{"a"}, []string{"b"}, "both lists have one more"},
		{"a pattern", []Wanted{one("get_*")}, []string{"get_a", "get_b"}, 100, nil, nil, "it matches several names"},
		{"a pattern without work", []Wanted{one("get_*")}, []string{"get_a", "get_b"}, 30, []string{}, []string{"get_a", "get_b"}, "one comparison, to see whether it is missing"},
		{"optional", []Wanted{{Names: []string{"a"}, Label: "a", Optional: true}}, []string{"b"}, 0, nil, []string{"b"}, "it is never missing"},
		{"alternatives", []Wanted{{Names: []string{"a", "x_*"}, Label: "a|x_*"}}, []string{"x_1"}, 100, nil, nil, "one of the names is enough"},
	} {
		work := steps.Of(tc.work)
		missing, unexpected := Diff(tc.list, tc.called, &work)
		if !slices.Equal(missing, tc.missing) || !slices.Equal(unexpected, tc.unexpected) {
			t.Errorf("%s: missing %q, unexpected %q: %s", tc.name, missing, unexpected, tc.reason)
		}
	}
}

// Entries of a name are found once each, whether answers are remembered or not.
func TestSearch(t *testing.T) {
	var x Index
	for i, names := range [][]string{{"a"}, {"a", "a*"}, {"*", "a*"}, {"b*"}, {"b"}} {
		for _, name := range names {
			if alone := x.Add(name, int32(i)); alone != (i == 0 || i == 4) {
				t.Errorf("%s of %d is alone: %v", name, i, alone)
			}
		}
	}
	for _, names := range []int{1, few} {
		work := steps.Of(10_000)
		var s Search
		s.Begin(&x, names, &work)
		for range 2 {
			for _, tc := range []struct {
				name   string
				want   []int32
				reason string
			}{
				{"a", []int32{0, 1, 2}, "a name and a pattern of one entry are one"},
				{"ab", []int32{1, 2}, "two patterns of one entry are one"},
				{"b", []int32{4, 2, 3}, "names come before patterns"},
				{"", []int32{2}, "any name"},
			} {
				if got := s.Of(tc.name); !slices.Equal(got, tc.want) {
					t.Errorf("%q of %d names has the entries %v, want %v: %s", tc.name, names, got, tc.want, tc.reason)
				}
			}
		}
		s.Forget()
		if s.known[""].to != 0 || s.index != nil {
			t.Error("something is kept")
		}
	}
}

// The work grows with the different names, not with all names, and stops at the bound.
func TestWorkIsOfDifferentNames(t *testing.T) {
	var x Index
	for i := range 100 {
		x.Add(fmt.Sprintf("*%d*b", i), int32(i))
	}
	for _, tc := range []struct {
		name             string
		names, different int
		most             int
		reason           string
	}{
		{"one name", 10_000, 1, 100 * 30, "each pattern is compared once"},
		{"ten names", 10_000, 10, 10 * 100 * 30, "or ten times"},
		{"all different", 10_000, 10_000, 10_000 * 100 * 30, "the product"},
	} {
		work := steps.Of(1 << 30)
		var s Search
		var tally Tally
		s.Begin(&x, tc.names, &work)
		tally.Begin(tc.names, 100)
		for i := range tc.names {
			name := fmt.Sprintf("a%d", i%tc.different)
			s.Of(name)
			tally.Add(name)
		}
		if spent := 1<<30 - work.Left(); spent > tc.most || spent == 0 {
			t.Errorf("%s: the search took %d steps, want at most %d: %s", tc.name, spent, tc.most, tc.reason)
		}
		before := work.Left()
		for i := range 100 {
			tally.Of(fmt.Sprintf("*%d*b", i), &work)
		}
		if spent := before - work.Left(); spent > tc.most || spent == 0 {
			t.Errorf("%s: the tally took %d steps, want at most %d: %s", tc.name, spent, tc.most, tc.reason)
		}
	}
}

// A spent budget ends a search and a tally.
func TestWorkIsBounded(t *testing.T) {
	var x Index
	x.Add("*b", 0)
	work := steps.Of(1000)
	var s Search
	var tally Tally
	s.Begin(&x, few+1, &work)
	tally.Begin(few, 1)
	for i := range few {
		s.Of(fmt.Sprint("a", i))
		tally.Add(fmt.Sprint("a", i))
	}
	if len(s.known) == 0 || !work.Spent() || tally.Of("*a*", &work) != 0 {
		t.Errorf("%d steps are left", work.Left())
	}
}

func TestTally(t *testing.T) {
	for _, asked := range []int{1, few} {
		var c Tally
		for range 2 {
			c.Begin(4, asked)
			for _, name := range []string{"get_a", "get_b", "get_a", "put"} {
				c.Add(name)
			}
			for pattern, want := range map[string]int{"get_a": 2, "get_*": 3, "*": 4, "x": 0, "*x": 0} {
				work := steps.Of(1000)
				if got := c.Of(pattern, &work); got != want {
					t.Errorf("%q has %d, want %d", pattern, got, want)
				}
			}
		}
	}
}
