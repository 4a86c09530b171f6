package tracebuffer

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A span may arrive again: unchanged in a retried export, or with less if it was exported while it was under way. Such
// copies are one call. Copies that contradict each other are several calls, because either may be true: a sender who knows
// the ids of a span can make another one. All of them are kept, and no run of the trace is complete.

func (r *pendingCall) key() agentrun.SpanKey { return agentrun.SpanKey{Process: r.process, ID: r.id} }

// isCopyOf reports whether r and o are equal. Payloads are read only where all else is equal.
func (r *pendingCall) isCopyOf(o *pendingCall, w *compare.Work) bool {
	if r.start != o.start || r.end != o.end || r.parent != o.parent {
		return false // decides about most records without a copy of them
	}
	a, b := *r, *o
	a.payloads, b.payloads = nil, nil
	a.rank, b.rank = 0, 0
	if a != b {
		return false
	}
	return w.Equal(r.arguments(), o.arguments()) && w.Equal(r.output(), o.output())
}

// agrees reports whether two records of one span may be of one call: values that both have are equal. The end may differ,
// because it moves while the span is under way.
func (r *pendingCall) agrees(o *pendingCall, c *comparer) bool {
	return r.parent == o.parent && r.start == o.start && r.toolType == o.toolType &&
		(r.callID == o.callID || r.callID == "" || o.callID == "") &&
		(r.status == o.status || r.status == scoring.StatusUnset || o.status == scoring.StatusUnset || r.inherited || o.inherited) &&
		c.sameTool(r, o) && c.sameArguments(r, o) && c.sameOutput(r, o)
}

// comparePayloads orders records by their arguments and outputs.
func comparePayloads(a, b *pendingCall) int {
	if a.payloads == b.payloads {
		return 0
	}
	return cmp.Or(compareForms(a.arguments(), b.arguments()), compareForms(a.output(), b.output()))
}

func compareForms(a, b scoring.Payload) int {
	if a == b {
		return 0
	}
	if order := a.Compare(b); order != 0 {
		return order
	}
	return cmp.Compare(a.String(), b.String()) // equal bytes of different kinds
}

// copiesAgree reports whether two copies of an anchor may be of one span: values that both have are equal.
func copiesAgree(a, o *agentrun.Anchor) bool {
	return a.Start == o.Start && a.Parent == o.Parent &&
		(a.Agent == o.Agent || a.Agent == "" || o.Agent == "") &&
		(a.Conversation == o.Conversation || a.Conversation == "" || o.Conversation == "")
}

// attributesOf are the attributes of the first copies of spans that came again, by their places.
type attributesOf map[int]map[string]pcommon.Value

// agree reports whether no attribute of a copy has another value in the first one. Conditions read attributes, and so choose
// what is expected.
func (x attributesOf) agree(place int, first, a *agentrun.Anchor) bool {
	known := x[place]
	if known == nil {
		known = maps.Collect(first.Held.Attributes().All())
		x[place] = known
	}
	for key, value := range a.Held.Attributes().All() {
		if other, tells := known[key]; tells && !value.Equal(other) {
			return false
		}
	}
	return true
}

// inOrder sorts anchors by start, span id and process. The copy that says most stands in front: the longest, because a span
// that is under way has no end, and then the copy with more attributes. Arrival never decides.
func inOrder(anchors []agentrun.Anchor, w *compare.Work) {
	slices.SortFunc(anchors, compareAnchors)
	for rest := anchors; len(rest) > 1; {
		alike := 1
		for alike < len(rest) && compareAnchors(rest[0], rest[alike]) == 0 {
			alike++
		}
		if alike > 1 {
			orderWritten(rest[:alike], w)
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
	)
}

// orderWritten sorts copies by their bytes as OTLP. Each copy is written once.
func orderWritten(copies []agentrun.Anchor, w *compare.Work) {
	type written struct {
		anchor agentrun.Anchor
		span   []byte
	}
	all := make([]written, len(copies))
	for i := range copies {
		td := ptrace.NewTraces()
		copies[i].Held.CopyTo(td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
		span, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
		if err == nil {
			all[i].span = span
		}
		all[i].anchor = copies[i]
		w.Read(len(span))
	}
	slices.SortFunc(all, func(a, b written) int { return bytes.Compare(a.span, b.span) })
	for i := range all {
		copies[i] = all[i].anchor
	}
}
