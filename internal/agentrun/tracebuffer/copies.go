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

// isCopy reports whether r and o are equal. Payloads are read only where all else is equal.
func isCopy(r, o *agentrun.PendingCall, w *compare.Work) bool {
	if r.Start != o.Start || r.End != o.End || r.Parent != o.Parent {
		return false // decides about most records without a copy of them
	}
	a, b := *r, *o
	a.Payloads, b.Payloads = nil, nil
	a.Rank, b.Rank = 0, 0
	if a != b {
		return false
	}
	return w.Equal(r.Arguments(), o.Arguments()) && w.Equal(r.Output(), o.Output())
}

// agree reports whether two records of one span may be of one call: values that both have are equal. The end may differ,
// because it moves while the span is under way.
func agree(r, o *agentrun.PendingCall, c *comparer) bool {
	return r.Parent == o.Parent && r.Start == o.Start && r.Type == o.Type &&
		(r.CallID == o.CallID || r.CallID == "" || o.CallID == "") &&
		(r.Status == o.Status || r.Status == scoring.StatusUnset || o.Status == scoring.StatusUnset || r.Inherited || o.Inherited) &&
		c.sameTool(r, o) && c.sameArguments(r, o) && c.sameOutput(r, o)
}

// absorb fills in what r does not tell from another record of the same call, and of the same process.
func absorb(r *agentrun.PendingCall, o agentrun.PendingCall) {
	if r.Key() == o.Key() {
		r.End = max(r.End, o.End)
	}
	r.CallID = cmp.Or(r.CallID, o.CallID)
	if o.Status != scoring.StatusUnset && (r.Status == scoring.StatusUnset || r.Inherited) {
		r.Status, r.Inherited = o.Status, true // of several attempts the last one counts
	}
	if o.Payloads == nil {
		return
	}
	if r.Payloads == nil {
		r.Payloads = o.Payloads
		return
	}
	both := agentrun.CallPayloads{
		Arguments: r.Payloads.Arguments.Or(o.Payloads.Arguments),
		Output:    r.Payloads.Output.Or(o.Payloads.Output),
	}
	if both != *r.Payloads { // what is known of them is known by their address
		r.Payloads = &agentrun.CallPayloads{Arguments: both.Arguments, Output: both.Output}
	}
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
