package correlate

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// CloseDue correlates and returns the runs of bundles whose wait is over.
func (s *Correlator) CloseDue(now time.Time) agentrun.ClosedBatch {
	return s.take(func(g *bundle) bool { return !g.last.Add(s.waitOf(g)).After(now) })
}

// CloseAll returns all runs.
func (s *Correlator) CloseAll() agentrun.ClosedBatch {
	return s.take(func(*bundle) bool { return true })
}

// EvictOldest correlates and returns the runs of the oldest bundle. They are not complete, and neither are runs that it would
// have waited for.
func (s *Correlator) EvictOldest() agentrun.ClosedBatch {
	for len(s.due) > 0 {
		g := s.due[0]
		s.due[0] = nil
		s.due = s.due[1:]
		if g.into == nil {
			s.lost.Add(g.keys, s.expected())
			h := s.close(g)
			h.Cut()
			return h
		}
	}
	return agentrun.ClosedBatch{}
}

// expected is until when further runs of a bundle may arrive.
func (s *Correlator) expected() pcommon.Timestamp {
	return s.now + pcommon.Timestamp(s.set.IdleTimeout) //nolint:gosec // not negative
}

// close removes a bundle, and correlates and returns its runs.
func (s *Correlator) close(g *bundle) agentrun.ClosedBatch {
	for _, key := range g.keys {
		delete(s.bundles, key)
	}
	s.size -= g.size
	s.runs -= len(g.runs)
	runs := g.runs
	for i := range runs {
		s.size -= s.conversations.Remove(runs[i].Conversation)
		runs[i].Complete = runs[i].Complete && !g.lacks
	}
	g.runs, g.keys = nil, nil // the queue may still have g
	return s.correlate(runs)
}

// waitOf is how long a bundle waits after its last run arrived.
func (s *Correlator) waitOf(g *bundle) time.Duration {
	s.work++
	if g.withAgentSpan && !g.hasConversation {
		return s.set.Wait
	}
	return s.set.IdleTimeout
}

// take removes the bundles that leave allows, and correlates the runs of each.
func (s *Correlator) take(leave func(*bundle) bool) agentrun.ClosedBatch {
	var h agentrun.ClosedBatch
	s.due = slices.DeleteFunc(s.due, func(g *bundle) bool {
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
