package agentrun

import "go.opentelemetry.io/collector/pdata/pcommon"

// presence is what a process has in a trace.
type presence uint8

const (
	hasCalls    presence = 1 << iota // of tool spans, or asked for where nothing else may tell of them
	hasAgent                         // a span of one
	hasWorkflow                      // likewise
	isJoint                          // another trace, or another run of this one, tells of calls of the process
)

// presences are what all processes have in a trace. Most traces have one process.
type presences struct {
	first Process
	is    presence             // what the first has
	more  map[Process]presence // what the others have
}

// presenceBytes is what a further process takes.
const presenceBytes = 48

// add notes that a process has something, and returns by how many bytes that grew.
func (p *presences) add(of Process, has presence) (grown int) {
	switch {
	case p.is == 0:
		p.first, p.is = of, has
	case p.first == of:
		p.is |= has
	default:
		if p.more == nil {
			p.more = make(map[Process]presence)
		}
		before := len(p.more)
		p.more[of] |= has
		grown = (len(p.more) - before) * presenceBytes
	}
	return grown
}

// of is what a process has. Spans of an unknown process, which an earlier version stored, may be of any.
func (p *presences) of(process Process) (is presence) {
	if process == 0 {
		p.all(func(_ Process, has presence) bool {
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

// all yields what each process has that has anything.
func (p *presences) all(yield func(Process, presence) bool) {
	if p.is != 0 && !yield(p.first, p.is) {
		return
	}
	for process, is := range p.more {
		if !yield(process, is) {
			return
		}
	}
}

// noteShared notes the processes in which two instrumentations tell of a call with the same id in two runs of the trace, as
// where they write side by side. The rest are calls of runs that close later. It returns by how many bytes t grew.
func (t *trace) noteShared(seats []seat, rest []record) (grown int) {
	type sighting struct {
		seat  int
		span  pcommon.SpanID
		scope Scope
	}
	seen := make(map[toldID]sighting)
	compare := func(seat int, c *record) {
		first, known := seen[toldID{c.process, c.callID}]
		if known && first.seat != seat && first.span != c.id && c.scope.isOther(first.scope) {
			grown += t.presences.add(c.process, isJoint)
		}
	}
	for i := range seats {
		for j := range seats[i].calls {
			c := &seats[i].calls[j]
			compare(i, c)
			if Telling(c.callID) {
				seen[toldID{c.process, c.callID}] = sighting{i, c.id, c.scope}
			}
		}
	}
	for i := range rest {
		compare(none, &rest[i])
	}
	return grown
}
