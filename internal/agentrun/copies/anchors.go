package copies

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// AnchorsAgree reports whether two copies of an anchor may be of one span: values that both have are equal. Conditions read the
// scope, too.
func AnchorsAgree(a, o *agentrun.Anchor) bool {
	return a.Start == o.Start && a.Parent == o.Parent && (a.Scope == o.Scope || a.Scope == 0 || o.Scope == 0) &&
		(a.Agent == o.Agent || a.Agent == "" || o.Agent == "") &&
		(a.Conversation == o.Conversation || a.Conversation == "" || o.Conversation == "")
}

// AnchorAttributes compares the attributes of copies with those of the first copy of their span, when a trace closes.
type AnchorAttributes struct {
	reading
	// first has the attributes of the first copies of repeated spans, by their places.
	first map[int]map[string]pcommon.Value
}

// NewAnchorAttributes returns AnchorAttributes for one closing. They count their work in w.
func NewAnchorAttributes(w *compare.Work) AnchorAttributes {
	return AnchorAttributes{reading: reading{MaxRead, w}}
}

// Agree reports whether no attribute of a copy has another value in the first one. Conditions read attributes, and so choose
// the expectation. Beyond [MaxRead] no copy agrees. A copy that repeats the one before it is not compared.
func (x *AnchorAttributes) Agree(place int, first, a *agentrun.Anchor) bool {
	if a.Repeats {
		return true
	}
	known := x.first[place]
	if known == nil {
		attributes := first.Held.Attributes()
		if !x.read(attributes.Len()) {
			return false
		}
		if x.first == nil {
			x.first = make(map[int]map[string]pcommon.Value)
		}
		known = make(map[string]pcommon.Value, attributes.Len())
		maps.Insert(known, attributes.All())
		x.first[place] = known
	}
	for key, value := range a.Held.Attributes().All() {
		if !x.read(1) {
			return false
		}
		if other, isKnown := known[key]; isKnown && !x.same(value, other) {
			return false
		}
	}
	return true
}

// OfBestKind keeps the copies of a span that have the kind of the highest precedence. The others are passed through: if they
// had arrived later, they would not have been held.
func OfBestKind(ready []agentrun.Anchor, h *agentrun.ClosedBatch) []agentrun.Anchor {
	if !slices.ContainsFunc(ready, func(a agentrun.Anchor) bool { return a.Kind != ready[0].Kind }) {
		return ready
	}
	best, differ := make(map[agentrun.SpanKey]agentrun.AnchorKind, len(ready)), false
	for i := range ready {
		kind, again := best[ready[i].Key()]
		differ = differ || again && kind != ready[i].Kind
		if !again || ready[i].Kind < kind {
			best[ready[i].Key()] = ready[i].Kind
		}
	}
	if !differ {
		return ready
	}
	return slices.DeleteFunc(ready, func(a agentrun.Anchor) bool {
		lesser := a.Kind > best[a.Key()] && !a.ID.IsEmpty()
		if lesser {
			h.Passthrough = append(h.Passthrough, a)
		}
		return lesser
	})
}

// SortAnchors sorts anchors by start, span ID and process. The fullest copy of a span is first: the longest, because an
// unfinished span has no end, and then the one with more attributes. The order of arrival never decides. SortAnchors marks
// copies that repeat another one.
func SortAnchors(anchors []agentrun.Anchor, w *compare.Work) {
	slices.SortFunc(anchors, compareAnchors)
	of := make(scopes)
	for rest := anchors; len(rest) > 1; {
		alike := 1
		for alike < len(rest) && compareAnchors(rest[0], rest[alike]) == 0 {
			alike++
		}
		if alike > 1 {
			orderWritten(rest[:alike], of, w)
		}
		rest = rest[alike:]
	}
}

func compareAnchors(a, b agentrun.Anchor) int {
	if order := cmp.Or(agentrun.CompareStart(a.Span, b.Span), cmp.Compare(a.Process, b.Process)); order != 0 {
		return order
	}
	return cmp.Or(
		cmp.Compare(b.End, a.End),
		cmp.Compare(b.Held.Attributes().Len(), a.Held.Attributes().Len()),
		cmp.Compare(a.Agent, b.Agent),
		cmp.Compare(a.Conversation, b.Conversation),
		cmp.Compare(agentrun.SpanNumber(a.Parent), agentrun.SpanNumber(b.Parent)),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Scope, b.Scope),
	)
}

// scopes has the digests of scopes, by the origins of spans. Many copies may have one large scope, so each is written once.
type scopes map[*agentrun.Origin][sha256.Size]byte

// digest is the digest of an origin's scope as OTLP.
func (s scopes) digest(o *agentrun.Origin, w *compare.Work) [sha256.Size]byte {
	known, written := s[o]
	if written || o == nil {
		return known
	}
	td := ptrace.NewTraces()
	scope := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	o.Scope.Scope().CopyTo(scope.Scope())
	scope.SetSchemaUrl(o.Scope.SchemaUrl())
	if text, err := new(ptrace.ProtoMarshaler).MarshalTraces(td); err == nil {
		w.Read(len(text))
		known = sha256.Sum256(text)
	}
	s[o] = known
	return known
}

// orderWritten sorts copies by their bytes as OTLP and by their scopes, and marks those that repeat the one before. Each copy is
// written once.
func orderWritten(copies []agentrun.Anchor, of scopes, w *compare.Work) {
	type written struct {
		anchor agentrun.Anchor
		span   []byte
		scope  [sha256.Size]byte
	}
	all := make([]written, len(copies))
	td := ptrace.NewTraces()
	place := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	for i := range copies {
		held := copies[i].Held
		held.MoveTo(place) // takes less time than a copy
		span, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
		place.MoveTo(held)
		if err == nil {
			all[i].span = span
		}
		all[i].anchor, all[i].scope = copies[i], of.digest(copies[i].Origin, w)
		w.Read(len(span))
	}
	slices.SortFunc(all, func(a, b written) int {
		return cmp.Or(bytes.Compare(a.span, b.span), bytes.Compare(a.scope[:], b.scope[:]))
	})
	for i := range all {
		copies[i] = all[i].anchor
		copies[i].Repeats = i > 0 && all[i].span != nil && bytes.Equal(all[i-1].span, all[i].span) && all[i-1].scope == all[i].scope
	}
}
