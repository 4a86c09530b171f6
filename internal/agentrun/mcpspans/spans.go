package mcpspans

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/fairshare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
)

// A Table remembers MCP spans. Only the newest of each process are remembered.
type Table struct {
	set   agentrun.Settings
	alike map[toolKey][]*remembered // by start
	all   *fairshare.Table[*remembered]
	known map[spanKey]*remembered
	work  compare.Work
	// matches and fitting belong to one FillIn. They are kept for the next one.
	matches []matched
	fitting []*remembered
}

// matched is a call with the number of MCP spans that fit it. They follow those of the match before.
type matched struct {
	call *agentrun.Call
	fit  int
}

// toolKey is what MCP spans of one call have in common.
type toolKey struct {
	process agentrun.Process
	name    string
}

// spanKey is the span of an MCP span.
type spanKey struct {
	key   toolKey
	trace pcommon.TraceID
	id    pcommon.SpanID
}

// remembered is an MCP span.
type remembered struct {
	agentrun.Call
	process   agentrun.Process
	arguments compare.Payload
	of        user // the first call that it fits
	shared    bool // it fits another call, too
	differs   bool // a copy that differs arrived
}

// A user is a call that an MCP span fits. Several spans may record one call, by its ID. One span of a model may record several
// calls: request is the place of a call in the model's response, from 1. It is 0 if the call has a span of its own.
type user struct {
	span    pcommon.SpanID
	callID  string
	request int
}

func userOf(c *agentrun.Call) user {
	u := user{span: c.ID, callID: c.CallID}
	if c.FromModel() {
		u.request = int(c.Rank) + 1
	}
	return u
}

func (u user) is(o user) bool {
	if u.callID == o.callID && agentrun.IsUniqueCallID(u.callID) {
		return true
	}
	return u.span == o.span && u.request == o.request && (u.request == 0 || u.callID == o.callID)
}

// How many MCP spans and how many bytes are remembered. A call finds its MCP span within the wait of its run.
const (
	Max      = 1024
	maxBytes = 1 << 20
	// maxAlike is how many MCP spans a call is compared with.
	maxAlike = 32
)

// New returns a Table that remembers nothing yet.
func New(set agentrun.Settings) *Table {
	m := &Table{set: set, alike: make(map[toolKey][]*remembered), known: make(map[spanKey]*remembered)}
	m.all = fairshare.New(fairshare.Bounds{Entries: Max, Bytes: maxBytes}, m.forget)
	return m
}

// Add remembers an MCP span that arrived now. It returns false if the span arrived before and is known. If the copies differ,
// each may be true.
func (m *Table) Add(now pcommon.Timestamp, p agentrun.Process, c agentrun.Call) bool {
	key := toolKey{p, c.Name}
	span := spanKey{key, c.Trace, c.ID}
	c.Arguments, c.Output = m.set.KeptArguments(c.Arguments), m.set.KeptOutput(c.Output)
	if before := m.known[span]; before != nil {
		before.differs = before.differs || !isCopy(&before.Call, &c)
		return false
	}
	calls := m.alike[key]
	c.Arguments, c.Output = c.Arguments.Clone(), c.Output.Clone()
	added := &remembered{Call: c, process: p}
	m.known[span] = added
	at, _ := m.place(calls, added)
	m.alike[key] = slices.Insert(calls, at, added)
	m.all.Add(now, p, fairshare.Entry[*remembered]{Value: added, Bytes: added.bytes(), Start: c.Start, End: c.End, Tag: compare.NameHash(c.Name)})
	return true
}

// isCopy reports whether two copies of an MCP span say the same about its call.
func isCopy(a, b *agentrun.Call) bool {
	return a.Start == b.Start && a.End == b.End && a.Status == b.Status &&
		agentrun.ComparePayloads(a.Arguments, b.Arguments) == 0 && agentrun.ComparePayloads(a.Output, b.Output) == 0
}

// Restore remembers an MCP span from its stored evidence. Its error is a [record.ErrEvidence].
func (m *Table) Restore(now pcommon.Timestamp, evidence []byte) error {
	process, call, err := record.DecodeMCP(evidence)
	if err != nil {
		return err
	}
	m.Add(now, process, call)
	return nil
}

// Size is how many bytes the MCP spans keep alive, as an estimate.
func (m *Table) Size() int { return m.all.Bytes() }

// slack is how far the clocks of two instrumentations may be apart.
const slack = agentrun.ClockSlack

// spanBytes is the size of an MCP span without its texts, and of its places.
const spanBytes = 500

// place is the place of an MCP span in a list of spans like it. If it is not there, place is where to insert it.
func (m *Table) place(calls []*remembered, o *remembered) (at int, stands bool) {
	return slices.BinarySearchFunc(calls, o, func(a, b *remembered) int {
		m.work++
		return compareSpans(a, b)
	})
}

func compareSpans(a, b *remembered) int {
	return cmp.Or(agentrun.CompareSpans(a.Span, b.Span), slices.Compare(a.Trace[:], b.Trace[:]))
}

func (o *remembered) bytes() int {
	return spanBytes + len(o.Name) + len(o.CallID) + o.Arguments.Size() + o.Output.Size()
}

// forget removes an MCP span that was evicted.
func (m *Table) forget(old *remembered) {
	key := toolKey{old.process, old.Name}
	delete(m.known, spanKey{key, old.Trace, old.ID})
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
