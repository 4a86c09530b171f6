package processor

import (
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
)

// batch is what one ConsumeTraces call found in its traces.
type batch struct {
	spans int
	// late is how many calls came after their run had closed.
	late int
	// candidates are the spans that may have to be held, in the order in which they stand.
	candidates []candidate
	held       []agentrun.Anchor
}

// candidate is a span that may stand for a run, by its place in the traces.
type candidate struct {
	resource, scope, span int
	tier                  agentrun.Tier
	agent, conversation   string
}

// batches saves the garbage of candidates: every batch of ordinary traces has some, its roots.
var batches = sync.Pool{New: func() any { return new(batch) }}

func (b *batch) free() {
	clear(b.candidates)
	*b = batch{candidates: b.candidates[:0]}
	batches.Put(b)
}

// sift asks every span once. Calls and links are written down, and anchors are moved out of td.
func (p *Processor) sift(now time.Time, td ptrace.Traces) *batch {
	b := batches.Get().(*batch)
	for i := range td.ResourceSpans().Len() {
		scopes := td.ResourceSpans().At(i).ScopeSpans()
		for j := range scopes.Len() {
			scope := dialect.ScopeOf(scopes.At(j).Scope().Name())
			spans := scopes.At(j).Spans()
			b.spans += spans.Len()
			for k := range spans.Len() {
				p.look(now, b, scope, spans.At(k), candidate{resource: i, scope: j, span: k})
			}
		}
	}
	// A root may stand before the calls of its trace, so candidates are asked again when all is written down.
	b.candidates = slices.DeleteFunc(b.candidates, func(c candidate) bool { return !p.wanted(td, c) })
	if len(b.candidates) > 0 {
		b.extract(td)
	}
	return b
}

// look reads one span, which stands at place.
func (p *Processor) look(now time.Time, b *batch, scope dialect.Scope, span ptrace.Span, place candidate) {
	reading, known := scope.Read(span)
	id := span.TraceID()
	if id.IsEmpty() {
		return // what belongs to no trace belongs to no run
	}
	key := keyOf(id)
	place.tier = agentrun.Root
	var answer agentrun.Answer
	if reading.Role == dialect.ModelCall {
		answer, known = p.answer(reading, span)
	}
	if known {
		place.agent, place.conversation = reading.Agent, p.conversation(span, reading)
		place.tier = p.record(now, key, b, reading, answer, span, place.conversation)
	} else {
		p.ordinary(now, key, span)
	}
	if p.set.Run.WholeTrace {
		place.tier = agentrun.Root
	}
	if place.tier != agentrun.Root || isLocalRoot(span, reading) {
		b.candidates = append(b.candidates, place)
	}
}

// conversation is what the configured attributes tell, else what the dialect knows.
func (p *Processor) conversation(span ptrace.Span, reading dialect.Reading) string {
	for _, key := range p.set.ConversationAttributes {
		if v, ok := span.Attributes().Get(key); ok {
			if text := v.AsString(); text != "" {
				return text
			}
		}
	}
	return reading.Conversation
}

// record writes down what a dialect knew of a span, and returns what the span may stand for.
func (p *Processor) record(
	now time.Time, key traceKey, b *batch, reading dialect.Reading, answer agentrun.Answer, span ptrace.Span, conversation string,
) agentrun.Tier {
	of := agentrun.Of(span)
	tier := agentrun.Root
	s := p.lock(key)
	switch reading.Role {
	case dialect.Agent:
		tier = agentrun.Agent
		s.runs.Sight(now, of, tier)
	case dialect.Workflow:
		tier = agentrun.Workflow
		s.runs.Sight(now, of, tier)
	case dialect.Session:
		s.runs.Link(now, of)
	case dialect.Step:
		s.runs.Step(now, of)
	case dialect.ModelCall:
		if !s.runs.Answer(now, answer) {
			b.late += len(answer.Asked)
		}
	case dialect.ToolCall:
		if !s.runs.Call(now, callOf(reading, of)) {
			b.late++
		}
		if reading.Agent != "" {
			tier = agentrun.Agent
			s.runs.Sight(now, of, tier)
		}
	}
	if conversation != "" {
		s.runs.Conversation(of.Trace, conversation)
	}
	p.unlock(s)
	p.relateAll(reading, answer, of)
	return tier
}

// relateAll looks for what other traces tell of the same calls.
func (p *Processor) relateAll(reading dialect.Reading, answer agentrun.Answer, of agentrun.Span) {
	if reading.CallID != "" {
		p.relate(reading.CallID, of.Trace)
	}
	for i := range answer.Asked {
		p.relate(answer.Asked[i].ID, of.Trace)
	}
	if reading.Role == dialect.ToolCall && reading.Traits.Has(dialect.Protocol) {
		p.echoes.add(callOf(reading, of))
	}
}

func callOf(reading dialect.Reading, of agentrun.Span) agentrun.Call {
	return agentrun.Call{
		Call: reading.Call, Span: of, CallID: reading.CallID,
		Doubts: agentrun.Doubts{
			Outcome:  reading.Traits.Has(dialect.Outcome),
			Bare:     reading.Traits.Has(dialect.Bare),
			Folded:   reading.Traits.Has(dialect.Folded),
			Protocol: reading.Traits.Has(dialect.Protocol),
		},
	}
}

// answer reads what a model call tells of tool calls. It is false if that is nothing, and for a model call that tells
// nothing which its tool spans do not.
func (p *Processor) answer(reading dialect.Reading, span ptrace.Span) (agentrun.Answer, bool) {
	sole := reading.Traits.Has(dialect.Sole)
	read := reading.Messages.Answer(span, sole || p.set.Run.Sources == agentrun.Messages)
	if read.Empty() || p.set.Run.Sources == agentrun.Spans && len(read.Asked) < 2 {
		return agentrun.Answer{}, false
	}
	a := agentrun.Answer{Span: agentrun.Of(span), Sole: sole, Asked: make([]agentrun.Asked, len(read.Asked))}
	for i := range read.Asked {
		a.Asked[i] = agentrun.Asked(read.Asked[i])
	}
	for i := range read.Results {
		a.Results = append(a.Results, agentrun.Result(read.Results[i]))
	}
	return a, true
}

// ordinary leaves the link of a span that no dialect knows: in the ring, and with its trace if that is agentic.
func (p *Processor) ordinary(now time.Time, key traceKey, span ptrace.Span) {
	if p.sieve.maybe(key) {
		s := p.lock(key)
		s.runs.Link(now, agentrun.Of(span))
		p.unlock(s)
	}
	// Also where its trace is known: that may close, and open again for its next run.
	p.links.put(key, span.SpanID(), span.ParentSpanID())
}

// The flags of a span that tell whether its parent is in another process (opentelemetry-proto, trace.proto,
// SpanFlags).
const (
	flagHasIsRemote = 0x100
	flagIsRemote    = 0x200
)

// isLocalRoot reports whether a span is the first one of its trace in its process. A tool call is so only if nothing
// called it, because the server's side of a call has its agent in another process; and a protocol's span never is,
// because the agent that speaks it is told of elsewhere.
func isLocalRoot(span ptrace.Span, reading dialect.Reading) bool {
	if reading.Role == dialect.Session || reading.Traits.Has(dialect.Protocol) {
		return false
	}
	if span.ParentSpanID().IsEmpty() {
		return true
	}
	if reading.Role == dialect.ToolCall {
		return false
	}
	const remote = flagHasIsRemote | flagIsRemote
	kind := span.Kind()
	return span.Flags()&remote == remote || kind == ptrace.SpanKindServer || kind == ptrace.SpanKindConsumer
}

// wanted reports whether a candidate is to be held.
func (p *Processor) wanted(td ptrace.Traces, c candidate) bool {
	span := td.ResourceSpans().At(c.resource).ScopeSpans().At(c.scope).Spans().At(c.span)
	key := keyOf(span.TraceID())
	if !p.sieve.maybe(key) {
		return false
	}
	s := p.lock(key)
	defer p.unlock(s)
	return s.runs.Wants(agentrun.Of(span), c.tier)
}

// extract moves the candidates' spans out of td. They are in the order of td, so those of one scope are neighbours.
func (b *batch) extract(td ptrace.Traces) {
	for rest := b.candidates; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].resource == rest[0].resource && rest[n].scope == rest[0].scope {
			n++
		}
		b.extractScope(td.ResourceSpans().At(rest[0].resource), rest[:n])
		rest = rest[n:]
	}
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		emptied := false
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			empty := ss.Spans().Len() == 0
			emptied = emptied || empty
			return empty
		})
		return emptied && rs.ScopeSpans().Len() == 0
	})
}

// extractScope moves the spans of candidates of one scope.
func (b *batch) extractScope(rs ptrace.ResourceSpans, candidates []candidate) {
	ss := rs.ScopeSpans().At(candidates[0].scope)
	origin := originOf(rs, ss)
	var sizer ptrace.ProtoMarshaler
	at := -1
	ss.Spans().RemoveIf(func(span ptrace.Span) bool {
		at++
		if len(candidates) == 0 || candidates[0].span != at {
			return false
		}
		c := candidates[0]
		candidates = candidates[1:]
		a := agentrun.Anchor{
			Span: agentrun.Of(span), Tier: c.tier, Agent: c.agent, Conversation: c.conversation,
			Held: ptrace.NewSpan(), Origin: origin, Size: sizer.SpanSize(span) * heapPerWire / 2,
		}
		if len(b.held) == 0 || b.held[len(b.held)-1].Origin != origin {
			a.Size += (sizer.ResourceSpansSize(origin.Resource) + sizer.ScopeSpansSize(origin.Scope)) * heapPerWire / 2
		}
		span.MoveTo(a.Held)
		b.held = append(b.held, a)
		return true
	})
}

// heapPerWire is how many bytes two bytes of a span on the wire take on the heap, as measured.
const heapPerWire = 3

// originOf copies the resource and scope of spans that are about to leave them.
func originOf(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans) *agentrun.Origin {
	o := &agentrun.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	rs.Resource().CopyTo(o.Resource.Resource())
	o.Resource.SetSchemaUrl(rs.SchemaUrl())
	ss.Scope().CopyTo(o.Scope.Scope())
	o.Scope.SetSchemaUrl(ss.SchemaUrl())
	return o
}
