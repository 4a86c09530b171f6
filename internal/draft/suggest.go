package draft

import (
	"cmp"
	"math"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Run is what an agent did in one good run.
type Run struct {
	// Agent is its name, and Key a value that distinguishes its runs further, as it is written in OTTL. Both may be empty.
	Agent, Key string
	Calls      []scoring.Call
}

// A Draft is a draft of expectations, which share a metric.
type Draft struct {
	groups []*group
	// ordered says that no group varied in its order, and arguments that a tool has some.
	ordered, arguments bool
	lowest             float64 // score of a run
}

// threshold is the lowest score, rounded down.
func (d *Draft) threshold() float64 { return math.Floor(d.lowest*100) / 100 }

// A group has the runs of one agent, or of one agent and key.
type group struct {
	agent, key string
	runs       []Run
	tools      []*tool
	left       []string // names of tools that only one run called
}

// New drafts expectations from good runs. Their order does not matter.
func New(runs []Run) (*Draft, error) {
	d := &Draft{groups: grouped(runs), ordered: true, lowest: 1}
	for _, g := range d.groups {
		d.ordered = g.draft() && d.ordered
		d.arguments = d.arguments || slices.ContainsFunc(g.tools, func(t *tool) bool { return len(t.constant) > 0 })
	}
	return d, d.judge()
}

// grouped are the runs by agent and key, sorted.
func grouped(runs []Run) []*group {
	type id struct{ agent, key string }
	of := map[id]*group{}
	var groups []*group
	for _, r := range runs {
		g := of[id{r.Agent, r.Key}]
		if g == nil {
			g = &group{agent: r.Agent, key: r.Key}
			of[id{r.Agent, r.Key}] = g
			groups = append(groups, g)
		}
		g.runs = append(g.runs, r)
	}
	slices.SortFunc(groups, func(a, b *group) int { return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.key, b.key)) })
	return groups
}

// draft finds the tools of the group, and reports whether all runs called them in an order.
func (g *group) draft() (ordered bool) {
	runs := g.kept()
	if g.tools = sequence(runs); g.tools != nil {
		return true
	}
	g.tools = toolsOf(runs)
	return order(g.tools, runs)
}

// kept are the runs without calls of tools that only one of several runs called.
func (g *group) kept() []Run {
	in := map[string]int{}
	for _, r := range g.runs {
		for name := range names(r.Calls) {
			in[name]++
		}
	}
	kept := slices.Clone(g.runs)
	if len(kept) == 1 {
		return kept
	}
	for i := range kept {
		kept[i].Calls = slices.DeleteFunc(slices.Clone(kept[i].Calls), func(c scoring.Call) bool { return in[c.Name] == 1 })
	}
	for name, n := range in {
		if n == 1 {
			g.left = append(g.left, name)
		}
	}
	slices.Sort(g.left)
	return kept
}

func names(calls []scoring.Call) map[string]int {
	n := map[string]int{}
	for i := range calls {
		n[calls[i].Name]++
	}
	return n
}

// judge finds the lowest score that a run has under the draft.
func (d *Draft) judge() error {
	method, err := scoring.NewNative(d.options())
	if err != nil {
		return err
	}
	for _, g := range d.groups {
		x, err := g.expectation()
		if err != nil {
			return err
		}
		for _, r := range g.runs {
			if v := method.Judge(x, r.Calls); v.Status == scoring.Scored {
				d.lowest = min(d.lowest, v.Score)
			}
		}
	}
	return nil
}

// options are those of the metric, without its threshold.
func (d *Draft) options() scoring.NativeOptions {
	o := scoring.DefaultNative()
	o.Score = scoring.F1
	if d.ordered {
		o.Order = scoring.InOrder
	}
	if d.arguments {
		o.Arguments = scoring.ArgumentsSubset
	}
	return o
}

func (g *group) expectation() (*scoring.Expectation, error) {
	tools := make([]scoring.Tool, len(g.tools))
	for i, t := range g.tools {
		tools[i] = t.expected()
	}
	return scoring.NewExpectation(scoring.ExpectationSettings{Tools: tools})
}
