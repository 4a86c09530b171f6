package represent

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
)

// Runs says which of the candidates represent runs. Stand-ins need a process that has calls, as hasCalls says.
func Runs(all []ownership.Candidate, wholeTrace bool, links *parents.Table, hasCalls func(agentrun.Process) bool) func(i int) bool {
	best, one := agentrun.Root, true
	for i := range all {
		best = min(best, all[i].Kind)
		one = one && !all[i].Process.DiffersFrom(all[0].Process)
	}
	switch {
	case wholeTrace && one:
		root := outermostRoot(all)
		return func(i int) bool { return i == root }
	case wholeTrace:
		return representingRoots(all, links)
	case one:
		return func(i int) bool { return all[i].Kind == best }
	}
	return standIns(all, best, links, hasCalls)
}

// standIns says which candidates represent runs: those of the best kind. Each process that has calls also has those of its
// own best kind, unless they are below a better one.
func standIns(all []ownership.Candidate, best agentrun.AnchorKind, links *parents.Table, hasCalls func(agentrun.Process) bool) func(i int) bool {
	bestOf := make(map[agentrun.Process]agentrun.AnchorKind)
	for i := range all {
		kind, known := bestOf[all[i].Process]
		if !known || all[i].Kind < kind {
			bestOf[all[i].Process] = all[i].Kind
		}
	}
	stands := make([]bool, len(all))
	links.Tidy()
	above := ancestorSearch{parents: links, steps: links.Steps(), ends: make(map[agentrun.SpanKey]bool), stops: make(map[pcommon.SpanID]bool)}
	for i := range all {
		if all[i].Kind == best {
			stands[i], above.stops[all[i].ID] = true, !all[i].ID.IsEmpty()
		}
	}
	for i := range all {
		s := &all[i]
		if !stands[i] && s.Kind == bestOf[s.Process] && hasCalls(s.Process) && !above.reaches(s.Parent, s.Process) {
			stands[i], s.Contradicted = true, !s.Parent.IsEmpty()
		}
	}
	return func(i int) bool { return stands[i] }
}

// representingRoots says which roots represent the whole trace: the outermost root of each process, unless it is below the
// root of another process.
func representingRoots(all []ownership.Candidate, links *parents.Table) func(i int) bool {
	of := make(map[agentrun.Process][]int)
	for i := range all {
		of[all[i].Process] = append(of[all[i].Process], i)
	}
	stands := make([]bool, len(all))
	links.Tidy()
	above := ancestorSearch{parents: links, steps: links.Steps(), ends: make(map[agentrun.SpanKey]bool), stops: make(map[pcommon.SpanID]bool)}
	var roots []int
	for _, members := range of {
		root := members[0]
		for _, i := range members[1:] {
			if rootBefore(&all[i], &all[root]) {
				root = i
			}
		}
		roots = append(roots, root)
		above.stops[all[root].ID] = !all[root].ID.IsEmpty()
	}
	closed := false
	if !slices.ContainsFunc(roots, func(i int) bool { return !above.reaches(all[i].Parent, all[i].Process) }) { // they are above each other
		clear(above.stops)
		clear(above.ends)
	}
	for _, i := range roots {
		stands[i] = !above.reaches(all[i].Parent, all[i].Process)
		closed = closed || stands[i] && all[i].State == ownership.Closed
	}
	for _, i := range roots { // another one that has closed has taken calls, too
		all[i].Contradicted = len(roots) > 1 && stands[i] && (closed || !all[i].Parent.IsEmpty())
	}
	return func(i int) bool { return stands[i] }
}

// ancestorSearch finds out whether the chain of parents above a span leads to one of some spans, which are of other processes.
// Each span is passed once for each process.
type ancestorSearch struct {
	parents *parents.Table
	stops   map[pcommon.SpanID]bool
	ends    map[agentrun.SpanKey]bool // by span that was passed
	path    []pcommon.SpanID
	steps   int // how many more steps it may take; afterwards it finds nothing, and the run is not complete
}

func (u *ancestorSearch) reaches(id pcommon.SpanID, by agentrun.Process) (reached bool) {
	u.path = u.path[:0]
	for ; !id.IsEmpty() && u.steps > 0; u.steps-- {
		known, before := u.ends[agentrun.SpanKey{Process: by, ID: id}]
		if before {
			reached = known
			break
		}
		u.ends[agentrun.SpanKey{Process: by, ID: id}] = false // a cycle leads nowhere
		u.path = append(u.path, id)
		at := u.parents.Of(id, by)
		reached = u.stops[id] && !at.Own
		if reached || at.Disputed {
			break
		}
		id = at.Parent
	}
	for _, id := range u.path {
		u.ends[agentrun.SpanKey{Process: by, ID: id}] = reached
	}
	return reached
}

// outermostRoot returns the candidate that represents a whole trace: a closed one, else a span without a parent, else the
// local root that began first. It is -1 if there is none.
func outermostRoot(all []ownership.Candidate) int {
	best := -1
	for i := range all {
		if best < 0 || rootBefore(&all[i], &all[best]) {
			best = i
		}
	}
	return best
}

// rootBefore reports whether a rather than b represents a whole trace.
func rootBefore(a, b *ownership.Candidate) bool {
	if closed := a.State == ownership.Closed; closed != (b.State == ownership.Closed) {
		return closed
	}
	if orphan := a.Parent.IsEmpty(); orphan != b.Parent.IsEmpty() {
		return orphan
	}
	return agentrun.CompareSpans(a.Span, b.Span) < 0
}
