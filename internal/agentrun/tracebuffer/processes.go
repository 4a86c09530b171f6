package tracebuffer

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"

// processFlags say what a process has in a trace.
type processFlags uint8

const (
	hasCalls    processFlags = 1 << iota // in tool spans, or in requests if nothing else may record them
	hasAgent                             // a span of one
	hasWorkflow                          // likewise
	sharesCalls                          // another trace, or another run of this one, records calls of the process too
)

// processTable says what all processes have in a trace. Most traces have one process.
type processTable struct {
	first agentrun.Process
	is    processFlags                      // of the first
	more  map[agentrun.Process]processFlags // of the others
}

// processBytes is the size of a further process.
const processBytes = 48

// add notes that a process has something, and returns by how many bytes that grew.
func (p *processTable) add(of agentrun.Process, has processFlags) (grown int) {
	switch {
	case p.is == 0:
		p.first, p.is = of, has
	case p.first == of:
		p.is |= has
	default:
		if p.more == nil {
			p.more = make(map[agentrun.Process]processFlags)
		}
		before := len(p.more)
		p.more[of] |= has
		grown = (len(p.more) - before) * processBytes
	}
	return grown
}

// of returns what a process has. Spans of an unknown process, from records of early versions, may be of any process.
func (p *processTable) of(process agentrun.Process) (is processFlags) {
	if process == 0 {
		p.all(func(_ agentrun.Process, has processFlags) bool {
			is |= has
			return true
		})
		return is
	}
	if p.first == process || p.first == 0 {
		is = p.is
	}
	return is | p.more[process] | p.more[0]
}

// all yields each process that has something.
func (p *processTable) all(yield func(agentrun.Process, processFlags) bool) {
	if p.is != 0 && !yield(p.first, p.is) {
		return
	}
	for process, is := range p.more {
		if !yield(process, is) {
			return
		}
	}
}
