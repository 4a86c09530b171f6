package draft

import (
	"cmp"
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
}

// A group has the runs of one agent, or of one agent and key.
type group struct {
	agent, key string
	runs       []Run
	tools      []*tool
}

// New drafts expectations from good runs. Their order does not matter.
func New(runs []Run) *Draft {
	d := &Draft{groups: grouped(runs), ordered: true}
	for _, g := range d.groups {
		d.ordered = g.draft() && d.ordered
		d.arguments = d.arguments || slices.ContainsFunc(g.tools, func(t *tool) bool { return len(t.constant) > 0 })
	}
	return d
}

// grouped are the runs by agent and key, sorted.
func grouped(runs []Run) (groups []*group) {
	sorted := slices.SortedStableFunc(slices.Values(runs), func(a, b Run) int { return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Key, b.Key)) })
	for _, r := range sorted {
		if n := len(groups); n == 0 || groups[n-1].agent != r.Agent || groups[n-1].key != r.Key {
			groups = append(groups, &group{agent: r.Agent, key: r.Key})
		}
		last := groups[len(groups)-1]
		last.runs = append(last.runs, r)
	}
	return groups
}
