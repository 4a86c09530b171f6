package correlate

import (
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// CloseDue returns the runs that wait no longer.
func (s *Correlator) CloseDue(now time.Time) agentrun.ClosedBatch {
	return s.take(func(g *group) bool { return !g.last.Add(s.waitOf(g)).After(now) })
}

// CloseAll returns all runs.
func (s *Correlator) CloseAll() agentrun.ClosedBatch {
	return s.take(func(*group) bool { return true })
}

// EvictOldest returns the runs of the group that arrived first.
func (s *Correlator) EvictOldest() agentrun.ClosedBatch {
	for len(s.due) > 0 {
		g := s.due[0]
		s.due[0] = nil
		s.due = s.due[1:]
		if g.into == nil {
			return s.close(g)
		}
	}
	return agentrun.ClosedBatch{}
}

// close removes a group and correlates its runs.
func (s *Correlator) close(g *group) agentrun.ClosedBatch {
	for _, key := range g.keys {
		delete(s.groups, key)
	}
	s.size -= g.size
	s.runs -= len(g.runs)
	runs := g.runs
	for i := range runs {
		s.size -= s.conversations.Remove(runs[i].Conversation)
	}
	g.runs, g.keys = nil, nil // the queue may still have g
	return s.correlate(runs)
}

// waitOf is how long a group waits after its last run arrived.
func (s *Correlator) waitOf(g *group) time.Duration {
	s.work++
	if g.withAgentSpan && !g.hasConversation {
		return s.set.Wait
	}
	return s.set.IdleTimeout
}

// take removes the groups that leave allows, and correlates the runs of each.
func (s *Correlator) take(leave func(*group) bool) agentrun.ClosedBatch {
	var h agentrun.ClosedBatch
	s.due = slices.DeleteFunc(s.due, func(g *group) bool {
		switch {
		case g.into != nil:
			return true
		case !leave(g):
			return false
		}
		h.Add(s.close(g))
		return true
	})
	return h
}
