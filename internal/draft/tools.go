package draft

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A tool is one line of a draft, and what supports it.
type tool struct {
	names     []string // several are alternatives
	runs, all int      // the runs that called it, and all runs
	least     int      // calls in a run that called it
	most      int
	calls     int
	constant  map[string]json.RawMessage // arguments that all calls have
	varied    []string                   // keys of arguments whose values differ
	equal     []string                   // conditions: arguments that always equal an attribute of the run's own span
	in        []bool                     // which runs called it; only where runs differ
}

// optional reports whether some runs did without the tool.
func (t *tool) optional() bool { return t.runs < t.all }

// expected is the tool as the scorer has it.
func (t *tool) expected() scoring.Tool {
	x := scoring.Tool{Names: t.names, Optional: t.optional(), Arguments: payload(t.constant)}
	if len(t.names) == 1 {
		x.Name, x.Names = t.names[0], nil
	}
	if t.counted() {
		x.Count = scoring.Count{Min: t.least, Max: t.most}
		if t.optional() {
			x.Count.Min = 0
		}
	}
	return x
}

// counted reports whether the number of calls is worth a line: one call is the default.
func (t *tool) counted() bool { return t.least != 1 || t.most != 1 }

// sequence is the draft for runs that all made the same calls in the same order; nil for others.
func sequence(runs []Run) []*tool {
	for _, r := range runs[1:] {
		if !slices.EqualFunc(r.Calls, runs[0].Calls, func(a, b scoring.Call) bool { return a.Name == b.Name }) {
			return nil
		}
	}
	tools := []*tool{}
	for i, call := range runs[0].Calls {
		t := &tool{names: []string{call.Name}, runs: len(runs), all: len(runs), least: 1, most: 1, calls: len(runs)}
		var same []Run
		for _, r := range runs {
			same = append(same, Run{Calls: r.Calls[i : i+1], Attributes: r.Attributes})
		}
		t.constant, t.equal, t.varied = arguments(same)
		tools = append(tools, t)
	}
	return joined(tools)
}

// joined makes one tool of neighbours that are alike, with their number.
func joined(tools []*tool) []*tool {
	all := []*tool{} // none: no tool is expected
	for _, t := range tools {
		if n := len(all); n > 0 && all[n-1].names[0] == t.names[0] && payload(all[n-1].constant) == payload(t.constant) && slices.Equal(all[n-1].equal, t.equal) {
			last := all[n-1]
			last.least, last.most, last.calls = last.least+1, last.most+1, last.calls+t.calls
			last.varied = slices.Compact(slices.Sorted(slices.Values(slices.Concat(last.varied, t.varied))))
			continue
		}
		all = append(all, t)
	}
	return all
}

// toolsOf has each tool once, those first that most runs called.
func toolsOf(runs []Run) []*tool {
	of, calls, tools := map[string]*tool{}, map[string][]Run{}, []*tool{}
	for r, run := range runs {
		for name, n := range names(run.Calls) {
			t := of[name]
			if t == nil {
				t = &tool{names: []string{name}, all: len(runs), least: n, in: make([]bool, len(runs))}
				of[name], tools = t, append(tools, t)
			}
			t.runs, t.least, t.most, t.calls, t.in[r] = t.runs+1, min(t.least, n), max(t.most, n), t.calls+n, true
		}
		for i := range run.Calls {
			name := run.Calls[i].Name
			calls[name] = append(calls[name], Run{Calls: run.Calls[i : i+1], Attributes: run.Attributes})
		}
	}
	for _, t := range tools {
		t.constant, t.equal, t.varied = arguments(calls[t.names[0]])
	}
	slices.SortFunc(tools, func(a, b *tool) int {
		return cmp.Or(cmp.Compare(b.runs, a.runs), cmp.Compare(a.names[0], b.names[0]))
	})
	return tools
}

// alternatives joins tools if each run called exactly one of them.
func alternatives(tools []*tool, runs int) []*tool {
	for i, t := range tools {
		if !t.optional() {
			continue
		}
		group, covered := []*tool{t}, t.runs
		for _, other := range tools[i+1:] {
			if covered+other.runs <= runs && !slices.ContainsFunc(group, other.meets) {
				group, covered = append(group, other), covered+other.runs
			}
		}
		if covered < runs {
			continue
		}
		return alternatives(slices.Insert(slices.DeleteFunc(tools, func(t *tool) bool { return slices.Contains(group, t) }), i, either(group)), runs)
	}
	return tools
}

// meets reports whether a run called both tools.
func (t *tool) meets(other *tool) bool {
	for i := range t.in {
		if t.in[i] && other.in[i] {
			return true
		}
	}
	return false
}

// either is a tool that may be any of several.
func either(group []*tool) *tool {
	t := &tool{all: group[0].all, runs: group[0].all, least: group[0].least, in: make([]bool, group[0].all)}
	for _, g := range group {
		t.names = append(t.names, g.names...)
		t.least, t.most, t.calls = min(t.least, g.least), max(t.most, g.most), t.calls+g.calls
	}
	for i := range t.in {
		t.in[i] = true
	}
	return t
}

// order sorts the tools as all runs called them, and reports whether there is such an order. Calls of one tool must not enclose
// those of another.
func order(tools []*tool, runs []Run) bool {
	at := map[string]int{}
	for i, t := range tools {
		for _, name := range t.names {
			at[name] = i
		}
	}
	before := make([][]bool, len(tools))
	for i := range before {
		before[i] = make([]bool, len(tools))
	}
	for _, run := range runs {
		for i, c := range run.Calls {
			for _, later := range run.Calls[i+1:] {
				before[at[c.Name]][at[later.Name]] = true
			}
		}
	}
	sorted := make([]*tool, 0, len(tools))
	rest := slices.Clone(tools)
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(t *tool) bool {
			return !slices.ContainsFunc(rest, func(other *tool) bool { return other != t && before[at[other.names[0]]][at[t.names[0]]] })
		})
		if next < 0 {
			return false
		}
		sorted, rest = append(sorted, rest[next]), slices.Delete(rest, next, next+1)
	}
	copy(tools, sorted)
	return true
}
