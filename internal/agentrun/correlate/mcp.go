package correlate

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/fairshare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// MCPSpans remembers the MCP spans of calls that an agent of the same process made in another trace. An MCP client often has
// a trace of its own, and its spans have errors that the agent's spans lack. They fill in what an agent's run lacks, and
// never add a call. Only the newest of each process are remembered.
type MCPSpans struct {
	set   agentrun.Settings
	alike map[mcpKey][]*mcpSpan // by start
	all   *fairshare.Table[*mcpSpan]
	known map[mcpSpanID]bool
	work  compare.Work
}

// mcpKey is what MCP spans of one call have in common.
type mcpKey struct {
	process agentrun.Process
	name    string
}

// mcpSpanID is the span of an MCP span.
type mcpSpanID struct {
	key   mcpKey
	trace pcommon.TraceID
	id    pcommon.SpanID
}

type mcpSpan struct {
	agentrun.Call
	process   agentrun.Process
	arguments compare.Payload
	of        pcommon.SpanID // the call that it has completed
}

// How many calls and how many bytes are remembered. A call finds its MCP span within the wait of its run.
const (
	MaxMCPSpans = 1024
	maxMCPBytes = 1 << 20
	// maxAlike is how many MCP spans a call is compared with.
	maxAlike = 32
)

// NewMCPSpans returns MCPSpans that remember nothing yet.
func NewMCPSpans(set agentrun.Settings) *MCPSpans {
	m := &MCPSpans{set: set, alike: make(map[mcpKey][]*mcpSpan), known: make(map[mcpSpanID]bool)}
	m.all = fairshare.New(fairshare.Bounds{Entries: MaxMCPSpans, Bytes: maxMCPBytes}, m.forget)
	return m
}

// Add remembers an MCP span that arrived now. It returns false if the span arrived before and is known.
func (m *MCPSpans) Add(now pcommon.Timestamp, p agentrun.Process, c agentrun.Call) bool {
	key := mcpKey{p, c.Name}
	span := mcpSpanID{key, c.Trace, c.ID}
	if m.known[span] {
		return false
	}
	m.known[span] = true
	calls := m.alike[key]
	c.Arguments = m.set.KeptArguments(c.Arguments).Clone()
	c.Output = m.set.KeptOutput(c.Output).Clone()
	added := &mcpSpan{Call: c, process: p}
	at, _ := m.place(calls, added)
	m.alike[key] = slices.Insert(calls, at, added)
	m.all.Add(now, p, fairshare.Entry[*mcpSpan]{Value: added, Bytes: added.bytes(), Start: c.Start, End: c.End, Tag: compare.NameHash(c.Name)})
	return true
}

// Restore remembers an MCP span from its stored evidence. Its error is a [record.ErrEvidence].
func (m *MCPSpans) Restore(now pcommon.Timestamp, evidence []byte) error {
	process, call, err := record.DecodeMCP(evidence)
	if err != nil {
		return err
	}
	m.Add(now, process, call)
	return nil
}

// Size is how many bytes the MCP spans keep alive, as an estimate.
func (m *MCPSpans) Size() int { return m.all.Bytes() }

// mcpSpanBytes is the size of an MCP span without its texts, and of its places.
const mcpSpanBytes = 500

// place is the place of an MCP span in a list of spans like it. If it is not there, place is where to insert it.
func (m *MCPSpans) place(calls []*mcpSpan, o *mcpSpan) (at int, stands bool) {
	return slices.BinarySearchFunc(calls, o, func(a, b *mcpSpan) int {
		m.work++
		return compareMCPSpans(a, b)
	})
}

func compareMCPSpans(a, b *mcpSpan) int {
	return cmp.Or(agentrun.CompareSpans(a.Span, b.Span), slices.Compare(a.Trace[:], b.Trace[:]))
}

func (o *mcpSpan) bytes() int {
	return mcpSpanBytes + len(o.Name) + len(o.CallID) + o.Arguments.Size() + o.Output.Size()
}

// forget removes an MCP span that was evicted.
func (m *MCPSpans) forget(old *mcpSpan) {
	key := mcpKey{old.process, old.Name}
	delete(m.known, mcpSpanID{key, old.Trace, old.ID})
	calls := m.alike[key]
	if at, stands := m.place(calls, old); stands {
		calls = slices.Delete(calls, at, at+1)
	}
	if len(calls) > 0 {
		m.alike[key] = calls
	} else {
		delete(m.alike, key)
	}
}

// FillIn completes calls of a run that its own process recorded. Each is completed by the only MCP span of the same process,
// name and arguments within the call's time. If several spans match, none is used. If the arguments of one are unknown, only
// the status is used. If others made the processor forget a span that may be a call's, the call says so.
func (m *MCPSpans) FillIn(r *agentrun.Run) {
	if len(r.Anchors) == 0 || r.Anchors[0].Process == 0 {
		return
	}
	process := r.Anchors[0].Process
	lost := m.all.HasLost(process)
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.MCP || c.Process.DiffersFrom(process) {
			continue
		}
		if lost && m.all.MayHaveLost(process, c.Start-min(slack, c.Start), c.End+slack, compare.NameHash(c.Name)) {
			c.FromOtherProcess.Forgotten = true
		}
		if len(m.alike[mcpKey{process, c.Name}]) == 0 {
			continue
		}
		span := m.find(process, c)
		if span == nil {
			continue
		}
		span.of = c.ID
		if c.Arguments.Captured() && span.Arguments.Captured() { // and equal, so the output is this call's as well
			c.Output = c.Output.Or(span.Output)
		}
		if c.Status == scoring.StatusUnset {
			c.Status = span.Status
		}
		if span.Status == scoring.StatusFailed {
			c.Status = scoring.StatusFailed // the protocol knows best how the call ended
		}
	}
}

// find is the only MCP span that a call can have, or nil.
func (m *MCPSpans) find(process agentrun.Process, c *agentrun.Call) *mcpSpan {
	calls := m.alike[mcpKey{process, c.Name}]
	first, _ := slices.BinarySearchFunc(calls, c.Start, func(o *mcpSpan, start pcommon.Timestamp) int {
		return cmp.Compare(o.Start+slack, start)
	})
	var found *mcpSpan
	var arguments compare.Payload
	for _, o := range calls[first:min(len(calls), first+maxAlike)] {
		m.work++
		if o.Start > c.End+slack {
			break
		}
		if o.Trace == c.Trace || o.End > c.End+slack {
			continue
		}
		switch {
		case c.Arguments.Captured() && o.Arguments.Captured() &&
			!compare.EqualPayloads(c.Arguments, o.Arguments, &arguments, &o.arguments, &m.work):
		case found != nil:
			return nil
		default:
			found = o
		}
	}
	if found == nil || !found.of.IsEmpty() && found.of != c.ID {
		return nil // it is another call's
	}
	return found
}
