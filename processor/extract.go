package processor

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

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
			Held: ptrace.NewSpan(), Origin: origin, Size: spanWeight(span),
		}
		if len(b.held) == 0 || b.held[len(b.held)-1].Origin != origin {
			a.Size += originWeight(origin)
		}
		span.MoveTo(a.Held)
		b.held = append(b.held, a)
		return true
	})
}

// originOf copies the resource and scope of spans that are about to leave them.
func originOf(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans) *agentrun.Origin {
	o := &agentrun.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	rs.Resource().CopyTo(o.Resource.Resource())
	o.Resource.SetSchemaUrl(rs.SchemaUrl())
	ss.Scope().CopyTo(o.Scope.Scope())
	o.Scope.SetSchemaUrl(ss.SchemaUrl())
	return o
}
