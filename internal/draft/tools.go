package draft

import (
	"cmp"
	"encoding/json"
	"slices"

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

// sequence is the draft for runs that all made the same calls in the same order; nil for others.
func sequence(runs []Run) []*tool {
	for _, r := range runs[1:] {
		if !slices.EqualFunc(r.Calls, runs[0].Calls, func(a, b scoring.Call) bool { return a.Name == b.Name }) {
			return nil
		}
	}
	tools := []*tool{} // none: no tool is expected
	for i, call := range runs[0].Calls {
		t := &tool{name: call.Name, runs: len(runs), all: len(runs), least: 1, most: 1, calls: len(runs)}
		var same []scoring.Call
		for _, r := range runs {
			same = append(same, r.Calls[i])
		}
		t.constant = arguments(same)
		tools = append(tools, t)
	}
	return tools
}

// toolsOf has each tool once, those first that most runs called.
func toolsOf(runs []Run) []*tool {
	of, calls, tools := map[string]*tool{}, map[string][]scoring.Call{}, []*tool{}
	for _, run := range runs {
		counts := map[string]int{}
		for _, call := range run.Calls {
			counts[call.Name]++
			calls[call.Name] = append(calls[call.Name], call)
		}
		for name, n := range counts {
			t := of[name]
			if t == nil {
				t = &tool{name: name, all: len(runs), least: n}
				of[name], tools = t, append(tools, t)
			}
			t.runs, t.least, t.most, t.calls = t.runs+1, min(t.least, n), max(t.most, n), t.calls+n
		}
	}
	for _, t := range tools {
		t.constant = arguments(calls[t.name])
	}
	slices.SortFunc(tools, func(a, b *tool) int {
		return cmp.Or(cmp.Compare(b.runs, a.runs), cmp.Compare(a.name, b.name))
	})
	return tools
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
