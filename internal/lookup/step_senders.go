package lookup

import (
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// StepSenders has the processes that sent model calls which may be steps of runs. It is exact: what another process sends makes
// no process a sender.
//
// New senders go to a first map. If it is full, it becomes the second one, and what the second one had is forgotten. A sender that
// comes again stays. So a sender is forgotten only if more than maxSenders others come between two of its steps.
type StepSenders struct {
	mu             sync.RWMutex
	recent, former map[agentrun.Process]pcommon.Timestamp // when the process became known
	forgot         bool                                   // senders were forgotten
}

// maxSenders is how many processes each map has at most.
const maxSenders = 1 << 13

// Add says that a process sent a step that arrived now.
func (s *StepSenders) Add(now pcommon.Timestamp, p agentrun.Process) {
	s.mu.RLock()
	_, known := s.recent[p]
	s.mu.RUnlock()
	if known {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	since, known := s.since(p)
	if !known {
		since = now
	}
	if s.recent == nil || len(s.recent) >= maxSenders {
		s.forgot = s.forgot || len(s.former) > 0
		s.recent, s.former = make(map[agentrun.Process]pcommon.Timestamp), s.recent
	}
	s.recent[p] = since
}

// since is when a process became known. The caller must hold mu.
func (s *StepSenders) since(p agentrun.Process) (at pcommon.Timestamp, known bool) {
	if at, known = s.recent[p]; !known {
		at, known = s.former[p]
	}
	return at, known
}

// Has reports whether a process sent a step.
func (s *StepSenders) Has(p agentrun.Process) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, known := s.since(p)
	return known
}

// MayHaveForgotten reports whether a process that was not known at that time may have been forgotten before.
func (s *StepSenders) MayHaveForgotten(p agentrun.Process, at pcommon.Timestamp) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	since, known := s.since(p)
	return s.forgot && (!known || since >= at)
}
