package runs

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// groups gives the requests of a group of agents to the agents' runs. The span of a group may record which agent of the group
// requested which calls: see [evidence.Share]. A share belongs to a run only if nothing else is possible:
//
//   - The group has one share of the agent, and one run of its name.
//   - The chain of parents from the run leads to the group's span, without a run or group between.
//   - No chain above another run of the name ends at a span that has not arrived: that run may be in the group too.
//
// A share without a run waits while spans may still arrive. If a share may be that of several runs, or a run may have several shares,
// the agent's runs in the group may lack calls. So may each run right inside of the group, if what the group's span records cannot be
// read. Spans of the models themselves say more: a run with requests of such spans lacks nothing.
type groups struct {
	*tree
	isGroup map[int32]bool // by node
	members map[member]*members
}

// A member is an agent of a group, by its node. For agents whose group is unknown it is none.
type member struct {
	group int32
	agent string
}

// members are the runs of one agent in one group. apart: another run is between one of them and the group.
type members struct {
	runs           []int32
	waiting        int
	apart, doubted bool
}

// giveShares gives the responses of groups, by their facts, to runs.
func (t *tree) giveShares(facts []int32) {
	g := groups{tree: t, isGroup: make(map[int32]bool), members: make(map[member]*members)}
	for _, i := range facts {
		g.isGroup[t.of[i]] = t.of[i] >= 0
	}
	for i := range t.runs {
		if r := &t.runs[i]; r.Kind == agentKind && r.Agent != "" {
			g.add(int32(i), r)
		}
	}
	for _, i := range facts {
		if t.facts[i].Response.Unread {
			g.doubtInside(i)
		}
	}
	for _, i := range facts {
		if g.give(i) {
			t.fates[i] = stays
		} else {
			t.fates[i] = leaves
		}
	}
}

// add adds a run to the members of its group.
func (g *groups) add(i int32, r *run) {
	group, direct := g.around(r)
	if group == none {
		return
	}
	m := g.membersOf(max(group, none), r.Agent)
	m.runs, m.apart = append(m.runs, i), m.apart || !direct
	if r.state == waiting {
		m.waiting++
	}
}

func (g *groups) membersOf(group int32, agent string) *members {
	key := member{group, toolname.Key(agent)}
	if g.members[key] == nil {
		g.members[key] = new(members)
	}
	return g.members[key]
}

// around returns the group around a run: its node, none, or unknown if the chain of parents is broken. direct: no run is between.
func (g *groups) around(r *run) (group int32, direct bool) {
	at, direct := g.find(r.Parent), true
	for range g.nodes {
		if at < 0 || g.isGroup[at] {
			return at, direct
		}
		direct = direct && g.nodes[at].run == none
		at = g.nodes[at].up
	}
	return none, false // a cycle of parents is in no group
}

// give gives the shares of a fact to their runs, and reports whether one may still belong to a run that closes later.
func (g *groups) give(fact int32) (stay bool) {
	f := &g.facts[fact]
	tasks := make(map[string]int) // by agent, how many
	for i := range f.Response.Shares {
		tasks[toolname.Key(f.Response.Shares[i].Agent)]++
	}
	requests := f.Response.Requests
	for i, share := range each(f.Response.Shares) {
		n := share.Requests()
		part := *f.Response
		part.Shares, part.Results, part.Requests = f.Response.Shares[i:i+1], nil, requests[:n:n]
		requests = requests[n:]
		agent := toolname.Key(share.Agent)
		if n > 0 && share.Agent != "" && g.giveShare(fact, &part, agent, tasks[agent] == 1) {
			stay = true
		}
	}
	return stay || f.Response.Unread && g.x.mayStillArrive()
}

// giveShare gives one share to its run. only: it is the only share of its agent. giveShare reports whether a run may still take it.
func (g *groups) giveShare(fact int32, part *evidence.Response, agent string, only bool) (stay bool) {
	inside, perhaps := g.membersOf(g.of[fact], agent), g.membersOf(none, agent)
	if !only || len(inside.runs) != 1 || inside.apart || len(perhaps.runs) > 0 {
		g.doubtMembers(fact, inside)
		any := len(inside.runs)+len(perhaps.runs) > 0
		return g.x.mayStillArrive() && (!any || inside.waiting+perhaps.waiting > 0)
	}
	g.giveTo(inside.runs[0], fact, part)
	return g.waits(inside.runs[0])
}

// giveTo gives a part of a group's response to a run, and with [Options.Include] to those around it. Nothing says more about the time of
// the calls than the run does.
func (g *groups) giveTo(i, fact int32, part *evidence.Response) {
	a := g.facts[fact]
	a.Response, a.Start, a.End = part, g.runs[i].Start, g.runs[i].End
	for _, k := range g.receivers(i, len(part.Requests)) {
		g.runs[k].responses = append(g.runs[k].responses, &a)
	}
}

// doubtMembers notes for the runs of an agent in a group that they may lack the requests of a share.
func (g *groups) doubtMembers(fact int32, m *members) {
	if m.doubted {
		return
	}
	m.doubted = true
	for _, i := range m.runs {
		if !slices.ContainsFunc(g.runs[i].responses, func(a *evidence.Fact) bool { return a.Response.Shares == nil && len(a.Response.Requests) > 0 }) {
			g.doubtRun(fact, i)
		}
	}
}

// doubtInside notes for each agent's run right inside of a group that it may lack calls, because the group's response could not be
// read.
func (g *groups) doubtInside(fact int32) {
	for i := range g.runs {
		if r := &g.runs[i]; r.Kind == agentKind {
			if group, _ := g.around(r); group >= 0 && group == g.of[fact] {
				g.doubtRun(fact, int32(i))
			}
		}
	}
}

// doubtRun notes that a run may lack calls that a group's response has.
func (g *groups) doubtRun(fact, i int32) {
	g.giveTo(i, fact, &evidence.Response{MessagesOnly: g.facts[fact].Response.MessagesOnly, Unread: true, OfAgent: true})
}
