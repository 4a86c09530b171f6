package draft

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A tool is one line of a draft, and what supports it.
type tool struct {
	name      string
	runs, all int // the runs that called it, and all runs
	least     int // calls in a run that called it
	most      int
	calls     int
	constant  map[string]json.RawMessage // arguments that all calls have
}

// optional reports whether some runs did without the tool.
func (t *tool) optional() bool { return t.runs < t.all }

// counted reports whether the number of calls is worth a line: one call is the default.
func (t *tool) counted() bool { return t.least != 1 || t.most != 1 }

// draft finds the tools of the group: each call, if all runs made the same calls in the same order, and otherwise each tool once, those
// first that most runs called. It reports whether all runs called them in an order.
func (g *group) draft() (ordered bool) {
	same := !slices.ContainsFunc(g.runs, func(r Run) bool {
		return !slices.EqualFunc(r.Calls, g.runs[0].Calls, func(a, b scoring.Call) bool { return a.Name == b.Name })
	})
	of, calls := map[string]*tool{}, map[*tool][]scoring.Call{}
	for _, run := range g.runs {
		counts := map[*tool]int{}
		for i, call := range run.Calls {
			line := call.Name
			if same {
				line = strconv.Itoa(i)
			}
			t := of[line]
			if t == nil {
				t = &tool{name: call.Name, all: len(g.runs), least: math.MaxInt}
				of[line], g.tools = t, append(g.tools, t)
			}
			counts[t]++
			calls[t] = append(calls[t], call)
		}
		for t, n := range counts {
			t.runs, t.least, t.most = t.runs+1, min(t.least, n), max(t.most, n)
		}
	}
	for _, t := range g.tools {
		t.calls, t.constant = len(calls[t]), arguments(calls[t])
	}
	if same {
		return true
	}
	slices.SortFunc(g.tools, func(a, b *tool) int {
		return cmp.Or(cmp.Compare(b.runs, a.runs), cmp.Compare(a.name, b.name))
	})
	return order(g.tools, g.runs)
}

// order sorts the tools as all runs called them, and reports whether there is such an order. Calls of one tool must not enclose
// those of another.
func order(tools []*tool, runs []Run) bool {
	type pair struct{ first, later string }
	before := map[pair]bool{}
	for _, run := range runs {
		for i, c := range run.Calls {
			for _, later := range run.Calls[i+1:] {
				before[pair{c.Name, later.Name}] = true
			}
		}
	}
	sorted := make([]*tool, 0, len(tools))
	rest := slices.Clone(tools)
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(t *tool) bool {
			return !slices.ContainsFunc(rest, func(other *tool) bool { return other != t && before[pair{other.name, t.name}] })
		})
		if next < 0 {
			return false
		}
		sorted, rest = append(sorted, rest[next]), slices.Delete(rest, next, next+1)
	}
	copy(tools, sorted)
	return true
}
