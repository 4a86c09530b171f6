package runs

import (
	"cmp"
	"maps"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// The span of a group of agents may record which agent of the group requested which calls: see [evidence.Share]. A share is given to a
// run only if nothing else is possible:
//
//   - The group has one share of the agent, and one run of its name.
//   - The chain of parents from the run leads to the group's span, without a run or group between.
//   - No chain above another run of the name ends at a span that has not arrived: that run may be in the group too.
//
// A share without a run waits while spans may still arrive. If a share may be that of several runs, or a run may have several shares,
// these runs may lack calls. So may each run inside of the group, if what the group's span records cannot be read. Spans of the models
// themselves say more: a run with requests of such spans lacks nothing.

// giveShares gives the responses of groups, by their facts, to runs.
func (t *tree) giveShares(facts []int32) {
	for _, r := range each(t.runs) {
		r.group, r.direct = t.groupAround(r)
	}
	for _, fact := range facts {
		f := &t.facts[fact]
		stay := f.Response.Unread && t.x.mayStillArrive()
		for i, r := range each(t.runs) {
			if f.Response.Unread && r.Kind == evidence.Agent && r.group >= 0 && r.group == t.of[fact] {
				t.doubtShare(int32(i))
			}
		}
		shares := sharesOf(f)
		for _, agent := range slices.Sorted(maps.Keys(shares)) {
			parts := shares[agent]
			var perhaps []int32
			for _, i := range t.runsOf(agent) {
				if in := t.runs[i].group; in >= 0 && in == t.of[fact] || in == unknown {
					perhaps = append(perhaps, i)
				}
			}
			stay = stay || t.x.mayStillArrive() && (perhaps == nil || slices.ContainsFunc(perhaps, t.waits))
			if len(parts) == 1 && len(perhaps) == 1 && t.runs[perhaps[0]].direct {
				t.giveShare(perhaps[0], f, parts[0])
				continue
			}
			for _, i := range perhaps {
				t.doubtShare(i)
			}
		}
		if !stay {
			t.fates[fact] = leaves
		}
	}
}

// sharesOf are the parts of a group's response by the names of the agents.
func sharesOf(f *evidence.Fact) map[string][]*evidence.Response {
	parts, requests := make(map[string][]*evidence.Response), f.Response.Requests
	for i, share := range each(f.Response.Shares) {
		part, n := *f.Response, share.Requests()
		part.Shares, part.Results, part.Requests = f.Response.Shares[i:i+1], nil, requests[:n:n]
		requests = requests[n:]
		if key := cmp.Or(toolname.Folded(share.Agent), share.Agent); n > 0 && key != "" {
			parts[key] = append(parts[key], &part)
		}
	}
	return parts
}

// groupAround returns the group around an agent's run: its node, none, or unknown if the chain of parents is broken. direct: it is
// known, and no run is between.
func (t *tree) groupAround(r *run) (group int32, direct bool) {
	at, direct := t.find(r.Parent), true
	for range t.nodes {
		if at < 0 || t.nodes[at].group {
			return at, direct && at >= 0
		}
		direct = direct && t.nodes[at].run == none
		at = t.nodes[at].up
	}
	return none, false // a cycle of parents is in no group
}

// giveShare gives a part of a group's response to a run, and with [Options.Include] to those around it. Nothing says more about the
// time of the calls than the run does.
func (t *tree) giveShare(i int32, group *evidence.Fact, part *evidence.Response) {
	a := *group
	a.Response, a.Start, a.End = part, t.runs[i].Start, t.runs[i].End
	for _, k := range t.receivers(i) {
		t.runs[k].responses = append(t.runs[k].responses, &a)
	}
}

// doubtShare notes that a run may lack calls that a group's response has.
func (t *tree) doubtShare(i int32) {
	if !slices.ContainsFunc(t.runs[i].responses, func(a *evidence.Fact) bool { return a.Response.Shares == nil && len(a.Response.Requests) > 0 }) {
		for _, k := range t.receivers(i) {
			t.runs[k].doubts |= ContentUnreadable
		}
	}
}
