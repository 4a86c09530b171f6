package byprocess

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

const (
	// maxNamed bounds how many open agents of a trace one process may name by their steps.
	maxNamed = 1024
	// MaxStepName is the length of the longest name that a step may give its agent, in bytes. A longer text is no name.
	MaxStepName = 256
	// stepNameBytes is the size of a name without its text.
	stepNameBytes = 80
)

// StepNames are the names that the steps right below spans give to their agents, by the process of both.
type StepNames map[agentrun.Process]*stepNames

// stepNames are those of one process, and their size in bytes.
type stepNames struct {
	of    map[pcommon.SpanID]stepName
	bytes int
}

// stepName is a name, or disputed: steps name different agents, so none is known.
type stepName struct {
	name     string
	disputed bool
}

// with adds the name that one more step gives. If names differ in case and separators only, the lowest stays.
func (n stepName) with(name string) stepName {
	switch {
	case n.disputed, name == n.name:
		return n
	case n.name != "" && toolname.Key(n.name) != toolname.Key(name):
		return stepName{disputed: true}
	case n.name == "" || name < n.name:
		n.name = strings.Clone(name) // a part of a long text
	}
	return n
}

func (n stepName) bytes() int { return stepNameBytes + len(n.name) }

// Add adds the name that a step gives to the agent above it. It returns by how many bytes s grew.
func (s *StepNames) Add(above agentrun.SpanKey, name string) (grown int) {
	if name == "" || len(name) > MaxStepName {
		return 0
	}
	known, _ := s.find(above)
	return s.put(above, known.with(name))
}

// Restore adds the name that stored evidence has. It is "" if steps name different agents. It returns by how many bytes s grew.
func (s *StepNames) Restore(above agentrun.SpanKey, name string) (grown int) {
	if name == "" {
		return s.put(above, stepName{disputed: true})
	}
	return s.Add(above, name)
}

func (s *StepNames) put(above agentrun.SpanKey, name stepName) (grown int) {
	before, again := s.find(above)
	own := (*s)[above.Process]
	if above.ID.IsEmpty() || own != nil && !again && len(own.of) >= maxNamed {
		return 0
	}
	if own == nil {
		if *s == nil {
			*s = make(StepNames)
		}
		own = &stepNames{of: make(map[pcommon.SpanID]stepName), bytes: processBytes}
		(*s)[above.Process], grown = own, processBytes
	}
	if again {
		grown -= before.bytes()
		own.bytes -= before.bytes()
	}
	own.of[above.ID] = name
	own.bytes += name.bytes()
	return grown + name.bytes()
}

func (s StepNames) find(above agentrun.SpanKey) (name stepName, known bool) {
	if own := s[above.Process]; own != nil {
		name, known = own.of[above.ID]
	}
	return name, known
}

// Of is the name that steps of a span's own process give to its agent, or "".
func (s StepNames) Of(span agentrun.SpanKey) string {
	found, _ := s.find(span)
	return found.name
}

// Forget drops the name of a run that has closed.
func (s StepNames) Forget(span agentrun.SpanKey) {
	if found, known := s.find(span); known {
		own := s[span.Process]
		delete(own.of, span.ID)
		own.bytes -= found.bytes()
	}
}

// All yields each span with the name that its steps give. The name is "" if they name different agents.
func (s StepNames) All(yield func(agentrun.SpanKey, string) bool) {
	for process, own := range s {
		for id, name := range own.of {
			if !yield(agentrun.SpanKey{Process: process, ID: id}, name.name) {
				return
			}
		}
	}
}

// Bytes is how many bytes s keeps alive.
func (s StepNames) Bytes() (n int) {
	for _, own := range s {
		n += own.bytes
	}
	return n
}
