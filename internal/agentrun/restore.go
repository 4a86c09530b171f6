package agentrun

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// errEvidence says that bytes are no [Evidence].
var errEvidence = errors.New("not the evidence of a trace")

// Restored is what a Buffer was told by stored evidence, as far as others need to know it.
type Restored struct {
	Trace pcommon.TraceID
	// CallIDs are those of all calls, made or asked for.
	CallIDs []ToldID
	// Step: a model call without a parent asked for calls, by an instrumentation that may write no tool spans.
	Step bool
}

// ToldID is the id of a call, and who told it.
type ToldID struct {
	ID      string
	Process Process
	Scope   Scope
}

// Restore tells the buffer what stored evidence tells. It returns an error, and changes nothing, if the bytes are none.
func (b *Buffer) Restore(now time.Time, evidence []byte) (Restored, error) {
	d, err := decodeEvidence(evidence)
	if err != nil {
		return Restored{}, err
	}
	t := b.trace(now, Span{Trace: d.id})
	b.touch(t, now)
	for _, s := range d.links {
		b.link(t, s)
	}
	before := t.linkCount()
	for _, span := range d.disputed {
		t.dispute(span)
	}
	b.resize(t, (t.linkCount()-before)*linkBytes)
	for _, s := range d.steps {
		if s.ID.IsEmpty() { // it is what a settling left
			b.step(t, spanKey{s.Process, s.Parent})
		} else {
			b.Step(now, s)
		}
	}
	b.recall(t, d.past)
	for _, s := range d.sights {
		b.link(t, s.Span)
		b.sight(t, s.Span, s.tier)
	}
	for tier, seen := range d.tiers {
		t.tiers[tier] = t.tiers[tier] || seen
	}
	t.called, t.contested = t.called || d.called, t.contested || d.contested
	for _, p := range d.present {
		b.resize(t, t.presences.add(p.process, p.is))
	}
	for _, c := range d.conversations {
		b.Conversation(d.id, c.by, c.id)
	}
	restored := b.retell(t, d)
	t.cut = max(t.cut, d.cut)
	t.truncated = t.truncated || d.truncated // from here on no call is taken
	return restored, nil
}

// retell writes down calls and answers, and what models were told.
func (b *Buffer) retell(t *trace, d testimony) Restored {
	restored := Restored{Trace: t.id}
	for _, o := range d.results {
		if Telling(o.ID) {
			o.Output = kept(o.Output, b.set.KeepOutput, b.set.MaxPayload)
			b.resize(t, t.addTold(o.by, o.outcome))
		}
	}
	for _, c := range d.calls {
		r := b.set.record(&c.Call)
		r.inherited, r.counted = c.inherited, c.counted
		b.resize(t, t.addCall(r, b.set.MaxCalls, &b.resolver.work))
		if c.CallID != "" {
			restored.CallIDs = append(restored.CallIDs, ToldID{c.CallID, c.Process, c.Scope})
		}
	}
	for _, a := range d.answers {
		for i := range a.Asked {
			restored.CallIDs = append(restored.CallIDs, ToldID{a.Asked[i].ID, a.Process, a.Scope})
		}
		restored.Step = restored.Step || a.Sole && a.Parent.IsEmpty()
		b.link(t, a.Span)
		b.listen(t, a)
	}
	return restored
}

// Reopen forgets that the run of a stored anchor has closed: it was not released, or at least nobody wrote that down.
func (b *Buffer) Reopen(a Anchor) {
	if a.Tier == Tool { // a closed run of that id is the agent's that the tool ran
		return
	}
	drop := func(p past) past {
		return slices.DeleteFunc(p, func(r closedRun) bool { return r.ID == a.ID && !a.ID.IsEmpty() })
	}
	if t, open := b.lookUp(a.Trace); open {
		t.past = drop(t.past)
	} else if p := b.closed.of(a.Trace); len(p) > 0 {
		b.closed.remember(a.Trace, drop(p))
	}
}

// RestoreClosed remembers a closed trace, by the evidence that was stored of it.
func (b *Buffer) RestoreClosed(evidence []byte) error {
	d, err := decodeEvidence(evidence)
	if err != nil {
		return err
	}
	if t, open := b.lookUp(d.id); open {
		b.recall(t, d.past)
		return nil
	}
	known := b.closed.of(d.id)
	for i := range d.past { // what is remembered already keeps its place
		if at := slices.IndexFunc(known, func(k closedRun) bool { return k.Span == d.past[i].Span && k.tier == d.past[i].tier }); at >= 0 {
			d.past[i].number = known[at].number
		}
	}
	b.closed.remember(d.id, d.past)
	return nil
}

// testimony is decoded Evidence.
type testimony struct {
	id                pcommon.TraceID
	links, steps      []Span
	disputed          []spanKey
	sights            []sight
	calls             []storedCall
	answers           []Answer
	results           []toldOutcome
	present           []presentProcess
	past              past
	conversations     []toldConversation
	called, truncated bool
	contested         bool
	tiers             [Root + 1]bool
	cut               pcommon.Timestamp
	source            source // of the facts that come next
}

// toldOutcome is what a model of a process was told.
type toldOutcome struct {
	outcome
	by Process
}

// toldConversation is the conversation that a process tells of.
type toldConversation struct {
	by Process
	id string
}

// presentProcess is what a process has in a trace.
type presentProcess struct {
	process Process
	is      presence
}

type storedCall struct {
	Call
	inherited, counted bool
}

func decodeEvidence(data []byte) (testimony, error) {
	var d testimony
	id, err := TraceOf(data)
	if err != nil {
		return d, err
	}
	d.id = id
	r := reader{data: data[len(id):]}
	for len(r.data) > 0 && !r.bad {
		f := fact(r.byte())
		if f < factLink || f > factDispute {
			return d, fmt.Errorf("%w: there is no fact of kind %d", errEvidence, f)
		}
		d.read(f, &r)
	}
	if r.bad {
		return d, fmt.Errorf("%w: it ends early, or has a value out of its range", errEvidence)
	}
	return d, nil
}

// read adds one fact.
func (d *testimony) read(f fact, r *reader) {
	switch f {
	case factSource:
		d.source = r.source()
	case factLink:
		d.links = append(d.links, d.told(r.link(d.id)))
	case factSight:
		d.sights = append(d.sights, sight{d.told(r.span(d.id)), r.tier()})
	case factStep:
		d.steps = append(d.steps, d.told(r.link(d.id)))
	case factCall:
		c := r.call(d.id)
		c.Process, c.Scope = d.source.process, d.source.scope
		d.calls = append(d.calls, c)
	case factAnswer:
		a := r.answer(d.id)
		a.Process, a.Scope = d.source.process, d.source.scope
		d.answers = append(d.answers, a)
	case factConversation:
		d.conversations = append(d.conversations, toldConversation{d.source.process, r.text()})
	case factTold:
		d.results = append(d.results, toldOutcome{outcome{r.result(), r.time()}, d.source.process})
	case factPast:
		d.past = append(d.past, closedRun{Span: d.told(r.span(d.id)), tier: r.tier(), by: Cause(r.below(byte(ByShutdown) + 1)), at: int64(r.time())})
	case factTrace:
		set := r.flags()
		d.called, d.truncated, d.contested = d.called || set[0], d.truncated || set[2], d.contested || set[6]
		for i, is := range [...]presence{0: hasCalls, 1: isJoint, 3: hasAgent, 4: hasWorkflow} {
			if is != 0 && set[i] {
				d.present = append(d.present, presentProcess{d.source.process, is})
			}
		}
		for tier := range d.tiers {
			d.tiers[tier] = d.tiers[tier] || set[3+tier]
		}
	case factDispute:
		d.disputed = append(d.disputed, spanKey{d.source.process, r.id()})
	case factCut:
		d.cut = max(d.cut, r.time())
	}
}

// told is s with who told of it.
func (d *testimony) told(s Span) Span {
	s.Process = d.source.process
	return s
}

// reader takes values from the front of data. What is not there, or out of its range, makes it bad, and everything
// that it returns from then on means nothing.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.data)) {
		r.bad = true
		return nil
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// below is a byte that is lower than limit.
func (r *reader) below(limit byte) byte {
	b := r.byte()
	if b >= limit {
		r.bad = true
		return 0
	}
	return b
}

func (r *reader) tier() Tier { return Tier(r.below(byte(Root) + 1)) }

func (r *reader) flags() (set [8]bool) {
	b := r.byte()
	for i := range set {
		set[i] = b&(1<<i) != 0
	}
	return set
}

func (r *reader) count() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) text() string { return string(r.take(r.count())) }

func (r *reader) time() pcommon.Timestamp {
	if b := r.take(8); len(b) == 8 {
		return pcommon.Timestamp(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (r *reader) id() (id pcommon.SpanID) {
	copy(id[:], r.take(uint64(len(id))))
	return id
}

func (r *reader) source() (s source) {
	s.process = Process(r.time())
	if b := r.take(4); len(b) == 4 {
		s.scope = Scope(binary.LittleEndian.Uint32(b))
	}
	return s
}

func (r *reader) link(id pcommon.TraceID) Span { return Span{Trace: id, ID: r.id(), Parent: r.id()} }

func (r *reader) span(id pcommon.TraceID) Span {
	return Span{Trace: id, ID: r.id(), Parent: r.id(), Start: r.time(), End: r.time()}
}

func (r *reader) payload() (p scoring.Payload) {
	if data := r.take(r.count()); !r.bad && p.UnmarshalBinary(data) != nil {
		r.bad = true
	}
	return p
}

func (r *reader) call(id pcommon.TraceID) storedCall {
	c := storedCall{Call: Call{Span: r.span(id)}}
	c.Status = scoring.CallStatus(r.below(byte(scoring.StatusFailed) + 1))
	c.Type = scoring.ToolType(r.below(byte(scoring.MCPTool) + 1))
	set := r.flags()
	c.inherited, c.counted = set[0], set[1]
	c.Doubts = Doubts{Outcome: set[2], Bare: set[3], Folded: set[4], Protocol: set[5], Served: set[6], Refused: set[7]}
	c.Name, c.CallID = r.text(), r.text()
	c.Arguments, c.Output = r.payload(), r.payload()
	return c
}

func (r *reader) answer(id pcommon.TraceID) Answer {
	a := Answer{Span: r.span(id)}
	set := r.flags()
	a.counted, a.Sole = set[0], set[1]
	for n := r.count(); n > 0 && !r.bad; n-- {
		a.Asked = append(a.Asked, Asked{ID: r.text(), Name: r.text(), Arguments: r.payload()})
	}
	for n := r.count(); n > 0 && !r.bad; n-- {
		a.Results = append(a.Results, r.result())
	}
	return a
}

func (r *reader) result() Result {
	return Result{ID: r.text(), Failed: r.flags()[0], Output: r.payload()}
}
