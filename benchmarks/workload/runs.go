package workload

import (
	"iter"
	"math/rand/v2"
)

// Small are many runs of equal size, which are made while they are sent: there may be more than fit into memory.
type Small struct {
	Runs, Calls int // calls of each run
	agents      []string
}

// Runs returns runs of the agents in turn. Every call is one of search_orders, so that every run that is expected to call
// that tool once gets the score 1.
func Runs(runs, calls int, agents ...string) Small {
	return Small{runs, calls, agents}
}

// Load counts what there is; it has no requests.
func (w Small) Load() *Load {
	var load *Load
	for load = range w.Requests() {
	}
	load.Requests = nil
	return load
}

// Requests yields one load after the other. They share their counts, which are complete with the last; each has the
// requests that came new.
func (w Small) Requests() iter.Seq[*Load] {
	return func(yield func(*Load) bool) {
		m := &maker{rng: rand.New(rand.NewPCG(1, 0)), load: &Load{Kind: Kind{Name: "runs"}}, open: newRequest()}
		m.text = m.prose(1 << 12)
		for i := range w.Runs {
			m.smallTrace(w.agents[i%len(w.agents)], w.Calls)
			if len(m.load.Requests) > 0 && !yield(m.load) {
				return
			}
			m.load.Requests = m.load.Requests[:0]
		}
		m.flush()
		yield(m.load)
	}
}

// smallTrace puts the run into requests piece by piece, because it may be large.
func (m *maker) smallTrace(agent string, calls int) {
	t := m.newTrace("assistant")
	id := m.newSpanID()
	for range calls {
		m.toolSpan(m.child(t, m.newSpanID(), id), deskTools[0], m.hex())
	}
	m.agentSpan(m.child(t, id, 0), agent, 1)
	for i := range t.spans.Len() {
		m.put(t, i, i+1)
		m.flushFull()
	}
}
