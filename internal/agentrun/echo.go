package agentrun

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Echoes are what a protocol's spans tell of calls that somebody made in another trace: an MCP client often has a trace
// of its own, and its spans know of errors that the agent's do not. They fill in what an agent's run does not tell, and
// never add a call. The newest of them are remembered.
type Echoes struct {
	set    Settings
	byName map[string][]Call
	order  queue[string] // the names in the order of arrival
	size   int
}

// How many calls and how many bytes are remembered. A call finds its echo within the wait of its run.
const (
	maxEchoes    = 1024
	maxEchoBytes = 4 << 20
)

// NewEchoes returns Echoes that remember nothing yet.
func NewEchoes(set Settings) *Echoes { return &Echoes{set: set, byName: make(map[string][]Call)} }

// Add remembers what a protocol's span tells. A span that came before is known already.
func (e *Echoes) Add(c Call) {
	c.Arguments = payload(c.Arguments, e.set.KeepArguments, e.set.MaxPayload)
	c.Output = payload(c.Output, e.set.KeepOutput, e.set.MaxPayload)
	calls := e.byName[c.Name]
	if slices.ContainsFunc(calls, func(k Call) bool { return k.ID == c.ID && k.Trace == c.Trace }) {
		return
	}
	at, _ := slices.BinarySearchFunc(calls, c, compareCalls)
	e.byName[c.Name] = slices.Insert(calls, at, c)
	e.order.push(c.Name)
	e.size += echoSize(&c)
	for e.order.len() > maxEchoes || e.size > maxEchoBytes {
		e.drop()
	}
}

func echoSize(c *Call) int { return recordBytes + len(c.Name) + c.Arguments.Size() + c.Output.Size() }

// drop forgets the call that began first among those with the name that is oldest.
func (e *Echoes) drop() {
	name, _ := e.order.front()
	e.order.pop()
	calls := e.byName[name]
	e.size -= echoSize(&calls[0])
	if len(calls) > 1 {
		e.byName[name] = slices.Delete(calls, 0, 1)
	} else {
		delete(e.byName, name)
	}
}

// FillIn completes the calls of a run from echoes in other traces: those of the same name and time, with the same
// arguments; where arguments are not at hand, in order.
func (e *Echoes) FillIn(r *Run) {
	used := make(map[echoKey]bool)
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.Protocol {
			continue
		}
		for _, echo := range e.byName[c.Name] {
			key := echoKey{echo.Trace, echo.ID}
			if echo.Trace == c.Trace || used[key] || !overlap(c.Span, echo.Span) || contradict(c.Arguments, echo.Arguments) {
				continue
			}
			used[key] = true
			c.fillIn(&echo)
			if echo.Status == scoring.StatusFailed {
				c.Status = scoring.StatusFailed // the protocol knows best how the call ended
			}
			break
		}
	}
}

type echoKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// contradict reports whether two payloads are at hand and differ.
func contradict(a, b scoring.Payload) bool {
	x, ok := a.Value()
	y, known := b.Value()
	return ok && known && !scoring.Equal(x, y)
}
