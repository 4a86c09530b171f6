package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// pageSums are what the summary of a page says of all rows.
type pageSums struct {
	gate   Gate
	all    Summary
	rows   int
	groups map[string]map[string]*Summary // by property and its value
	scores [11]int                        // in tenths; 1 has a place of its own
	values bool                           // whether the page has values of arguments or outputs
}

// pageKeys are the properties by which rows are grouped and filtered.
var pageKeys = map[string]func(*Row) string{
	"expectation": func(r *Row) string { return r.Expectation },
	"metric":      func(r *Row) string { return r.Metric },
	"agent":       func(r *Row) string { return r.Agent },
}

// maxNamed is how many values of a property are counted one by one. Names of agents are no fixed set.
const maxNamed = 10_000

func pageSumsOf(rows Rows, gate Gate) (*pageSums, error) {
	s := &pageSums{gate: gate, groups: map[string]map[string]*Summary{}}
	for key := range pageKeys {
		s.groups[key] = map[string]*Summary{}
	}
	return s, rows.Each(func(run []Row) error {
		gate.add(&s.all, run)
		for key, value := range pageKeys {
			s.addTo(s.groups[key], value, run)
		}
		for i := range run {
			s.addRow(&run[i])
		}
		return nil
	})
}

// addTo counts a run in each group that one of its rows belongs to.
func (s *pageSums) addTo(groups map[string]*Summary, value func(*Row) string, run []Row) {
	of := map[string][]Row{}
	for i := range run {
		name := escape(value(&run[i]))
		if groups[name] == nil && len(groups) < maxNamed {
			groups[name] = &Summary{}
		}
		if run[i].Status != NoExpectation && groups[name] != nil {
			of[name] = append(of[name], run[i])
		}
	}
	for name, part := range of {
		s.gate.add(groups[name], part)
	}
}

func (s *pageSums) addRow(r *Row) {
	s.rows++
	if r.Score != nil {
		s.scores[min(10, max(0, int(*r.Score*10)))]++
	}
	s.values = s.values || slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Arguments != nil || c.Output != nil })
}

// A pageGroup says how runs did by one of their properties.
type pageGroup struct {
	By   string
	Rows []pageShare
	More int
}

// A pageShare is one line of a summary. Percent is the share of the judged runs that passed.
type pageShare struct {
	Name         string
	Runs, Passed int
	Percent      int
}

// maxShares is how many lines a summary has.
const maxShares = 30

// group is the summary by one property, the lowest pass rate first.
func (s *pageSums) group(by string) pageGroup {
	g := pageGroup{By: by}
	for name, sum := range s.groups[by] {
		if sum.Runs == 0 {
			continue // nothing was judged
		}
		g.Rows = append(g.Rows, pageShare{cell(name), sum.Runs, sum.Passed, percent(sum.Passed, sum.Judged())})
	}
	slices.SortFunc(g.Rows, func(a, b pageShare) int {
		return cmp.Or(cmp.Compare(a.Percent, b.Percent), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
	})
	if g.More = max(0, len(g.Rows)-maxShares); g.More > 0 {
		g.Rows = g.Rows[:maxShares]
	}
	return g
}

// percent is rounded down, so that only all are 100.
func percent(part, of int) int {
	if of == 0 {
		return 0
	}
	return 100 * part / of
}

// histogram counts scores in tenths; 1 has a line of its own.
func (s *pageSums) histogram() []pageShare {
	total := 0
	for _, n := range s.scores {
		total += n
	}
	shares := make([]pageShare, len(s.scores))
	for i, n := range s.scores {
		shares[i] = pageShare{Name: fmt.Sprintf("%.1f", float64(i)/10), Runs: n, Percent: percent(n, total)}
	}
	return shares
}

// A pageSelect is a filter.
type pageSelect struct {
	ID, Label string
	Options   []string
}

// maxOptions is how many values a filter lists. The search finds others.
const maxOptions = 500

func (s *pageSums) choice(key, label string) pageSelect {
	options := slices.DeleteFunc(slices.Sorted(maps.Keys(s.groups[key])), func(name string) bool { return name == "" })
	return pageSelect{"f-" + key, label, options[:min(len(options), maxOptions)]}
}
