// Package groups gives the requests of a group of agents to the agents' runs.
//
// The span of a group may record which agent of the group requested which calls: see [agentrun.Share]. A share belongs to a run
// only if nothing else is possible:
//
//   - The group has one share of the agent, and one run of its name.
//   - The chain of parents from the run leads to the group's span through spans of the same process, without a run or group
//     between.
//   - No chain above another run of the name ends at a span that has not arrived: that run may be in the group too.
//
// A share without a run waits while spans may still arrive. A share whose run has closed is dropped.
//
// If a share may be that of several runs, or a run may have several shares, the agent's runs in the group may lack calls. So may each
// run right inside of the group, if what the group's span records cannot be read. Spans of the models themselves say more: a run
// with requests of such spans, sent by its own process, lacks nothing.
package groups

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
)

// Trace is a trace that is examined. The resolver must have begun with the candidates.
type Trace struct {
	Resolver   *ownership.Resolver
	Candidates []ownership.Candidate
	// WholeTrace: a run has all calls of the trace. MayStillArrive: spans that have not arrived may do so.
	WholeTrace, MayStillArrive bool
}

// Give gives the responses of groups to runs. It returns those that stay with the trace, behind others that stay, and how many
// requests all of them have.
func Give(shared, others []agentrun.ModelResponse, t Trace, w *compare.Work) (stay []agentrun.ModelResponse, requests int) {
	give := t.Resolver.GiveResponse
	if len(shared) > 0 && !t.WholeTrace {
		g := of(shared, t, w)
		g.doubt(shared)
		give = g.give
	}
	stay = others
	for i := range shared {
		if give(&shared[i]) {
			stay = append(stay, shared[i])
		}
	}
	for i := range stay {
		requests += len(stay[i].Requests)
	}
	return stay, requests
}

// groups are those of one trace.
type groups struct {
	Trace
	work         *compare.Work
	spans, isRun map[agentrun.SpanKey]bool
	runs         map[memberKey]members
	// above remembers the answer for every span that a walk has passed.
	above map[agentrun.SpanKey]enclosing
	path  []pcommon.SpanID
}

// memberKey is an agent of a group. Without a group's ID, it is unknown which group the agent is in.
type memberKey struct {
	group agentrun.SpanKey
	agent uint32
}

// members are the runs of one agent in one group: their candidates, and how many of them wait. apart: another run is around one of
// them. doubted: they may lack calls, and it is noted.
type members struct {
	runs           []int
	waiting        int
	apart, doubted bool
}

// enclosing is what is around a span: the nearest group, none if it has no ID. direct: no run is between. unknown: the chain of
// parents is not known to its end.
type enclosing struct {
	group           agentrun.SpanKey
	direct, unknown bool
}

// of finds the runs of the groups that sent responses.
func of(responses []agentrun.ModelResponse, t Trace, w *compare.Work) *groups {
	g := &groups{
		Trace: t, work: w,
		spans: make(map[agentrun.SpanKey]bool), isRun: make(map[agentrun.SpanKey]bool),
		runs: make(map[memberKey]members), above: make(map[agentrun.SpanKey]enclosing),
	}
	for i := range responses {
		g.spans[responses[i].Key()] = !responses[i].ID.IsEmpty()
	}
	for i := range t.Candidates {
		g.isRun[t.Candidates[i].Key()] = true
	}
	*w += compare.Work(2 * len(t.Candidates))
	for i := range t.Candidates {
		if s := &t.Candidates[i]; s.Kind == agentrun.Agent && s.AgentHash != 0 {
			g.add(i, s)
		}
	}
	return g
}

// add adds a candidate to the members of its group.
func (g *groups) add(i int, s *ownership.Candidate) {
	around := g.around(s.Span)
	key := memberKey{around.group, s.AgentHash}
	switch {
	case around.unknown:
		key.group = agentrun.SpanKey{Process: s.Process}
		g.Resolver.NoteUnknown()
	case around.group.ID.IsEmpty():
		return
	}
	m := g.runs[key]
	m.runs, m.apart = append(m.runs, i), m.apart || !around.direct
	if s.State == ownership.Waiting {
		m.waiting++
	}
	g.runs[key] = m
}

// around returns the group around a span, as the span's own process recorded the chain of parents. Each span is walked over
// once for each process. A cycle of parents is in no group.
func (g *groups) around(s agentrun.Span) (found enclosing) {
	g.path = g.path[:0]
	for id := s.Parent; !id.IsEmpty(); {
		*g.work++
		key := agentrun.SpanKey{Process: s.Process, ID: id}
		if known, before := g.above[key]; before {
			found = known
			break
		}
		if g.spans[key] {
			found = enclosing{group: key, direct: true}
			break
		}
		g.above[key] = enclosing{}
		g.path = append(g.path, id)
		parent, known := g.Resolver.ParentOf(id, s.Process)
		if !known {
			found = enclosing{unknown: true}
			break
		}
		id = parent
	}
	for _, id := range slices.Backward(g.path) {
		key := agentrun.SpanKey{Process: s.Process, ID: id}
		found.direct = found.direct && !g.isRun[key]
		g.above[key] = found
	}
	return found
}

// give gives the shares of a response to their runs. It removes from the response what no run can take any more, and reports
// whether the rest stays with its trace. A share without requests stays as long as another one of its agent does, because the
// agent's run may be that one.
func (g *groups) give(a *agentrun.ModelResponse) (stays bool) {
	tasks := make(map[uint32]int, len(*a.Shares)) // by agent, how many
	for _, share := range *a.Shares {
		tasks[compare.NameHash(share.Agent)]++
		g.work.Read(len(share.Agent))
	}
	*g.work += compare.Work(2*len(*a.Shares) + len(a.Requests))
	all, left := *a, make(map[uint32]bool) // left: agents of which a share with requests stays
	a.Shares, a.Requests, a.Results = new([]agentrun.Share), nil, nil
	taken := make([]bool, len(*all.Shares))
	for i, share := range *all.Shares {
		part := all
		part.Shares, part.Results = &[]agentrun.Share{share}, nil
		n := share.Requests()
		part.Requests, all.Requests = all.Requests[:n:n], all.Requests[n:]
		agent := compare.NameHash(share.Agent)
		if n == 0 {
			continue
		}
		if taken[i] = agent == 0 || !g.giveShare(part, agent, tasks[agent] == 1); !taken[i] {
			left[agent], a.Requests = true, append(a.Requests, part.Requests...)
		}
	}
	for i, share := range *all.Shares {
		if !taken[i] && left[compare.NameHash(share.Agent)] {
			*a.Shares = append(*a.Shares, share)
		}
	}
	return len(*a.Shares) > 0 || a.Unread && g.MayStillArrive
}

// doubt notes for each agent's run right inside of a group that it may lack calls, if the group's response could not be read.
func (g *groups) doubt(responses []agentrun.ModelResponse) {
	unread := make(map[agentrun.SpanKey]*agentrun.ModelResponse)
	for i := range responses {
		if responses[i].Unread {
			unread[responses[i].Key()] = &responses[i]
		}
	}
	if len(unread) == 0 {
		return
	}
	*g.work += compare.Work(len(g.Candidates))
	for i := range g.Candidates {
		s := &g.Candidates[i]
		if s.Kind != agentrun.Agent {
			continue
		}
		if a, known := unread[g.around(s.Span).group]; known {
			g.doubtRun(i, a)
		}
	}
}

// doubtRun notes that a run may lack calls that a group's response has.
func (g *groups) doubtRun(i int, a *agentrun.ModelResponse) {
	g.Resolver.GiveTo(i, agentrun.ModelResponse{Span: a.Span, Scope: a.Scope, MessagesOnly: a.MessagesOnly, Unread: true, OfAgent: true})
}

// doubtMembers notes for the runs of an agent in a group that they may lack the requests of a share. A run with requests of models'
// own spans does not, if its own process sent them.
func (g *groups) doubtMembers(share *agentrun.ModelResponse, key memberKey) {
	m := g.runs[key]
	if m.doubted || len(m.runs) == 0 {
		return
	}
	m.doubted = true
	g.runs[key] = m
	for _, i := range m.runs {
		run := &g.Candidates[i]
		*g.work += compare.Work(1 + len(run.Responses))
		if !slices.ContainsFunc(run.Responses, func(a agentrun.ModelResponse) bool {
			return a.Shares == nil && len(a.Requests) > 0 && !a.Process.DiffersFrom(run.Process)
		}) {
			g.doubtRun(i, share)
		}
	}
}

// giveShare gives one share to its run, and with [agentrun.Settings.Include] to those around it. only: it is the only share of its
// agent. giveShare reports whether a run may still take it.
func (g *groups) giveShare(part agentrun.ModelResponse, agent uint32, only bool) (stays bool) {
	key := memberKey{part.Key(), agent}
	inside, perhaps := g.runs[key], g.runs[memberKey{agentrun.SpanKey{Process: part.Process}, agent}]
	if !only || len(inside.runs) != 1 || inside.apart || len(perhaps.runs) > 0 {
		g.doubtMembers(&part, key)
		return g.MayStillArrive && (len(inside.runs)+len(perhaps.runs) == 0 || inside.waiting+perhaps.waiting > 0)
	}
	run := &g.Candidates[inside.runs[0]]
	part.Counted = true
	part.Start, part.End = run.Start, run.End // nothing says more about the time of the calls
	return g.Resolver.GiveTo(inside.runs[0], part)
}
