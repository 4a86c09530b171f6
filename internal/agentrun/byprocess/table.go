package byprocess

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"

// Flags say what a process has in a trace.
type Flags uint8

// The flags of a process.
const (
	HasCalls    Flags = 1 << iota // in tool spans, or in requests if nothing else may record them
	HasAgent                      // a span of one
	HasWorkflow                   // likewise
	SharesCalls                   // another trace, or another run of this one, records calls of the process too
)

// Table says what all processes have in a trace. Most traces have one process.
type Table struct {
	first agentrun.Process
	is    Flags                      // of the first
	more  map[agentrun.Process]Flags // of the others
}

// processBytes is the size of a further process.
const processBytes = 48

// Add notes that a process has something, and returns by how many bytes the table grew.
func (p *Table) Add(of agentrun.Process, has Flags) (grown int) {
	switch {
	case p.is == 0:
		p.first, p.is = of, has
	case p.first == of:
		p.is |= has
	default:
		if p.more == nil {
			p.more = make(map[agentrun.Process]Flags)
		}
		before := len(p.more)
		p.more[of] |= has
		grown = (len(p.more) - before) * processBytes
	}
	return grown
}

// Of returns what a process has. Spans of an unknown process, from records of early versions, may be of any process.
func (p *Table) Of(process agentrun.Process) (is Flags) {
	if process == 0 {
		p.All(func(_ agentrun.Process, has Flags) bool {
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

// All yields each process that has something.
func (p *Table) All(yield func(agentrun.Process, Flags) bool) {
	if p.is != 0 && !yield(p.first, p.is) {
		return
	}
	for process, is := range p.more {
		if !yield(process, is) {
			return
		}
	}
}

// IsEmpty reports whether no process has anything.
func (p *Table) IsEmpty() bool { return p.is == 0 }

// Bytes is how many bytes the table keeps alive beside itself.
func (p *Table) Bytes() int { return len(p.more) * processBytes }
