package agentrun

import (
	"cmp"
	"encoding/binary"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Evidence is what was told of one trace, as bytes that outlive the process. It has a method for each way to tell a
// Buffer something, and [Buffer.Restore] tells another Buffer the same. Like a Buffer it does not mind the order, nor
// what is told twice.
//
// The bytes are the trace id and then facts: a byte that says what it is, and what the encode methods append. Texts and
// lists have their length in front, as an unsigned varint; ids stand as they are and times in eight bytes, little
// endian.
//
// A factSource says who told what stands behind it, up to the next one. In front of the first it is not known who did, as
// in all evidence of earlier versions.
type Evidence struct {
	set    *Settings
	data   []byte
	source source // of the facts that come next
}

// source is who told a fact. The zero source is unknown.
type source struct {
	process Process
	scope   Scope
}

// fact says what stands in the next bytes of an Evidence. The numbers are stored, so they never change.
type fact byte

const (
	factLink         fact = 1
	factSight        fact = 2
	factStep         fact = 3
	factCall         fact = 4
	factAnswer       fact = 5
	factConversation fact = 6
	factTold         fact = 7
	factPast         fact = 8
	factTrace        fact = 9
	factCut          fact = 10
	factSource       fact = 11
	factDispute      fact = 12
)

// sourceBytes are those of a factSource.
const sourceBytes = 1 + 8 + 4

// NewEvidence returns Evidence of a trace that tells nothing yet. Of payloads it keeps what set says.
func NewEvidence(set *Settings, id pcommon.TraceID) *Evidence {
	return &Evidence{set: set, data: append(make([]byte, 0, 256), id[:]...)}
}

// Bytes is what Restore reads.
func (e *Evidence) Bytes() []byte { return e.data }

// Add adds the facts of o, which is of the same trace.
func (e *Evidence) Add(o *Evidence) {
	facts := o.data[len(pcommon.TraceID{}):]
	if len(facts) == 0 {
		return
	}
	if fact(facts[0]) != factSource {
		e.from(source{})
	} else if first := (&reader{data: facts[1:]}).source(); first == e.source {
		facts = facts[sourceBytes:]
	}
	e.data, e.source = append(e.data, facts...), o.source
}

// Reset forgets all facts, and takes those of another trace from now on.
func (e *Evidence) Reset(id pcommon.TraceID) {
	e.data, e.source = append(e.data[:0], id[:]...), source{}
}

// from says who tells what is added from now on.
func (e *Evidence) from(s source) {
	if s == e.source {
		return
	}
	e.data = append(e.data, byte(factSource))
	e.data = binary.LittleEndian.AppendUint64(e.data, uint64(s.process))
	e.data = binary.LittleEndian.AppendUint32(e.data, uint32(s.scope))
	e.source = s
}

// Link is [Buffer.Link].
func (e *Evidence) Link(s Span) {
	e.from(source{process: s.Process})
	e.link(factLink, s.ID, s.Parent)
}

// Step is [Buffer.Step].
func (e *Evidence) Step(s Span) {
	e.from(source{process: s.Process})
	e.link(factStep, s.ID, s.Parent)
}

// Sight is [Buffer.Sight].
func (e *Evidence) Sight(s Span, tier Tier) {
	e.from(source{process: s.Process})
	e.data = append(e.data, byte(factSight))
	e.span(s)
	e.data = append(e.data, byte(tier))
}

// Conversation is [Buffer.Conversation].
func (e *Evidence) Conversation(by Process, conversation string) {
	e.from(source{process: by})
	e.data = append(e.data, byte(factConversation))
	e.text(conversation)
}

// Call is [Buffer.Call].
func (e *Evidence) Call(c Call) {
	r := e.set.record(&c)
	e.call(&r)
}

// Answer is [Buffer.Answer].
func (e *Evidence) Answer(a Answer) {
	e.from(source{a.Process, a.Scope})
	e.data = append(e.data, byte(factAnswer))
	e.span(a.Span)
	e.flags(a.counted, a.Sole)
	e.count(len(a.Asked))
	for i := range a.Asked {
		e.text(a.Asked[i].ID)
		e.text(a.Asked[i].Name)
		e.payload(kept(a.Asked[i].Arguments, e.set.KeepArguments, e.set.MaxPayload))
	}
	e.count(len(a.Results))
	for _, r := range a.Results {
		r.Output = kept(r.Output, e.set.KeepOutput, e.set.MaxPayload)
		e.result(r)
	}
}

func (e *Evidence) call(r *record) {
	e.from(source{r.process, r.scope})
	e.data = append(e.data, byte(factCall))
	e.span(r.span())
	e.data = append(e.data, byte(r.status), byte(r.kind))
	e.flags(r.inherited, r.counted, r.doubts.Outcome, r.doubts.Bare, r.doubts.Folded, r.doubts.Protocol, r.doubts.Served,
		r.doubts.Refused)
	e.text(r.name.Value())
	e.text(r.callID)
	var p payloads
	if r.payloads != nil {
		p = *r.payloads
	}
	e.payload(p.arguments)
	e.payload(p.output)
}

func (e *Evidence) told(p Process, o outcome) {
	e.from(source{process: p})
	e.data = append(e.data, byte(factTold))
	e.result(o.Result)
	e.time(o.at)
}

func (e *Evidence) past(r closedRun) {
	e.from(source{process: r.Process})
	e.data = append(e.data, byte(factPast))
	e.span(r.Span)
	e.data = append(e.data, byte(r.tier), byte(r.by))
	e.time(pcommon.Timestamp(r.at))
}

// remainder is all that is known of t, but for the anchors that wait.
func (t *trace) remainder(set *Settings) []byte {
	e := NewEvidence(set, t.id)
	e.data = append(e.data, byte(factTrace))
	if t.presences.is == 0 {
		e.flags(t.called, false, t.truncated, t.tiers[Agent], t.tiers[Workflow], t.tiers[Root], t.contested)
	} else { // what was called, and what there is, each process says for itself
		e.flags(false, false, t.truncated, false, false, t.tiers[Root], t.contested)
	}
	for p, is := range t.presences.all {
		e.from(source{process: p})
		e.data = append(e.data, byte(factTrace))
		e.flags(is&hasCalls != 0, is&isJoint != 0, false, is&hasAgent != 0, is&hasWorkflow != 0)
	}
	if t.cut > 0 {
		e.data = append(e.data, byte(factCut))
		e.time(t.cut)
	}
	for by, id := range t.conversations.all {
		e.Conversation(by, id)
	}
	for _, r := range t.past {
		e.past(r)
	}
	e.links(t)
	for _, s := range t.expected {
		e.Sight(s.Span, s.tier)
	}
	for process, of := range t.steps {
		e.from(source{process: process})
		for above := range of {
			e.link(factStep, pcommon.SpanID{}, above)
		}
	}
	for i := range t.calls {
		e.call(&t.calls[i])
	}
	for i := range t.answers {
		e.Answer(t.answers[i])
	}
	for id, o := range t.told {
		e.told(id.process, o)
	}
	return e.data
}

// links adds the links of t, those of one process together.
func (e *Evidence) links(t *trace) {
	all := slices.Clone(t.links)
	for id, known := range t.index {
		all = append(all, link{id, known.parent, known.process})
	}
	for span, parent := range t.others {
		all = append(all, link{span.id, parent, span.process})
	}
	slices.SortStableFunc(all, func(a, b link) int { return cmp.Compare(a.process, b.process) })
	for _, l := range all {
		e.Link(Span{ID: l.id, Parent: l.parent, Process: l.process})
	}
	for span := range t.disputed {
		e.from(source{process: span.process})
		e.data = append(append(e.data, byte(factDispute)), span.id[:]...)
	}
}

// closed is what tells a late span of a trace that is retired, or nothing if nothing does.
func (t *trace) closed(set *Settings) []byte {
	if len(t.past) == 0 {
		return nil
	}
	e := NewEvidence(set, t.id)
	for _, r := range t.past {
		e.past(r)
	}
	return e.data
}

func (e *Evidence) link(f fact, id, parent pcommon.SpanID) {
	e.data = append(append(append(e.data, byte(f)), id[:]...), parent[:]...)
}

func (e *Evidence) span(s Span) {
	e.data = append(append(e.data, s.ID[:]...), s.Parent[:]...)
	e.time(s.Start)
	e.time(s.End)
}

func (e *Evidence) time(t pcommon.Timestamp) {
	e.data = binary.LittleEndian.AppendUint64(e.data, uint64(t))
}

func (e *Evidence) count(n int) { e.data = binary.AppendUvarint(e.data, uint64(n)) }

func (e *Evidence) text(s string) {
	e.count(len(s))
	e.data = append(e.data, s...)
}

func (e *Evidence) payload(p scoring.Payload) {
	e.count(p.BinarySize())
	e.data, _ = p.AppendBinary(e.data)
}

func (e *Evidence) result(r Result) {
	e.text(r.ID)
	e.flags(r.Failed)
	e.payload(r.Output)
}

// flags packs up to eight answers into a byte, the first one lowest.
func (e *Evidence) flags(set ...bool) {
	var b byte
	for i, is := range set {
		if is {
			b |= 1 << i
		}
	}
	e.data = append(e.data, b)
}
