package reconcile

import (
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// FoldSpans folds calls that are right below a call of the same name into that call. It returns, for each call, the call
// that it was folded into, or [NotFolded]; any other negative number means that the span records no call. The calls are in
// order. above returns the nearest call above a call, and the nearest one that its own process recorded; each may be -1.
func (r *Reconciler) FoldSpans(calls []agentrun.PendingCall, above func(call *agentrun.PendingCall) (nearest, own int)) []int {
	r.into = r.into[:0]
	for range calls {
		r.into = append(r.into, none)
	}
	into := r.into
	outermost := func(i int) int {
		for into[i] >= 0 {
			if next := into[into[i]]; next >= 0 {
				into[i] = next // halves the way for the next one
			}
			i = into[i]
		}
		return i
	}
	for outcome, of := range resultSpansOf(calls, r.work) {
		into[outcome] = of
	}
	var protocol compare.Protocol
	for i := range calls {
		nearest, up := above(&calls[i])
		r.noteBelow(calls, i, nearest)
		if up == none || into[i] != none || !r.sameBelow(calls, i, up) {
			continue
		}
		// In a cycle of parents a call is its own ancestor; there the first one stays.
		if top := outermost(up); top != i && protocol.IsOf(calls, i, top, &r.compare) {
			into[i] = top
		}
	}
	for i := range calls {
		if into[i] >= 0 {
			copies.Absorb(&calls[outermost(i)], calls[i])
		}
	}
	return into
}

// noteBelow remembers a call that is right below a call of another process. Whether both are one call is decided once the
// run is known.
func (r *Reconciler) noteBelow(calls []agentrun.PendingCall, i, above int) {
	if above == none || !calls[above].Process.DiffersFrom(calls[i].Process) {
		return
	}
	if r.below == nil {
		r.below = make(map[agentrun.SpanKey]pcommon.SpanID)
	}
	r.below[calls[i].Key()] = calls[above].ID
}

// sameBelow reports whether a tool span below another of the same name records the same call. A tool may also call itself:
// then IDs or arguments differ. The arguments of a protocol's span are compared later.
func (r *Reconciler) sameBelow(calls []agentrun.PendingCall, below, above int) bool {
	inner, outer := &calls[below], &calls[above]
	if inner.Name == nameless || inner.Name != outer.Name ||
		inner.CallID != "" && outer.CallID != "" && inner.CallID != outer.CallID {
		return false
	}
	if inner.Traits.MCP {
		return true
	}
	*r.work++
	return r.compare.SameArguments(inner, outer)
}

// resultSpansOf finds, for each span that only records how a call ended, the span of its process that records the call. That
// is the span above it or with its call ID, if the names are equal or the result has none. Otherwise it is the next span with
// the same name and, if the result has any, the same arguments. A span with the same parent is preferred. A result span
// without a matching call span is a call. If it has no name, it is dropped. The calls are in order.
func resultSpansOf(calls []agentrun.PendingCall, w *compare.Work) map[int]int {
	some := false
	for i := range calls {
		some = some || calls[i].Traits.ResultOnly
	}
	if !some {
		return nil
	}
	s := starts{
		calls: calls, byID: make(map[agentrun.ProcessCallID]int), bySpan: make(map[agentrun.SpanKey]int), alike: make(map[likeness][]int),
		taken: make(map[int]bool), tools: make(map[int]string), work: w,
	}
	for i := range calls {
		if !calls[i].Traits.ResultOnly {
			s.add(i, &calls[i])
		}
	}
	of := make(map[int]int)
	for i := range calls {
		if !calls[i].Traits.ResultOnly {
			continue
		}
		if start := s.of(&calls[i]); start != none {
			of[i] = start
		} else if calls[i].Name == nameless {
			of[i] = noCall
		}
	}
	return of
}

// likeness is what the spans of one call have in common. The arguments are left out if a result span has none.
type likeness struct {
	process   agentrun.Process
	name      unique.Handle[string]
	arguments scoring.Payload
}

// starts are the spans that record calls.
type starts struct {
	calls  []agentrun.PendingCall
	byID   map[agentrun.ProcessCallID]int
	bySpan map[agentrun.SpanKey]int
	alike  map[likeness][]int
	taken  map[int]bool
	tools  map[int]string
	work   *compare.Work
}

func (s *starts) add(i int, r *agentrun.PendingCall) {
	if agentrun.IsUniqueCallID(r.CallID) {
		s.byID[agentrun.ProcessCallID{Process: r.Process, ID: r.CallID}] = i
	}
	if !r.ID.IsEmpty() {
		s.bySpan[r.Key()] = i
	}
	like := likeness{r.Process, r.Name, r.Arguments()}
	s.alike[like] = append(s.alike[like], i)
	if r.Arguments() != (scoring.Payload{}) {
		like.arguments = scoring.Payload{}
		s.alike[like] = append(s.alike[like], i)
	}
}

// of returns the call that a result span belongs to, or none.
func (s *starts) of(r *agentrun.PendingCall) int {
	i, ok := s.bySpan[agentrun.SpanKey{Process: r.Process, ID: r.Parent}]
	if !ok || r.CallID == "" {
		i, ok = s.byID[agentrun.ProcessCallID{Process: r.Process, ID: r.CallID}]
	}
	if ok && (r.Name == nameless || r.Name == s.calls[i].Name || s.toolOf(i) == s.toolKey(r)) {
		s.taken[i] = true
		return i
	}
	like := likeness{r.Process, r.Name, r.Arguments()}
	for len(s.alike[like]) > 0 && s.taken[s.alike[like][0]] {
		*s.work++
		s.alike[like] = s.alike[like][1:]
	}
	best, most := none, -1
	for _, i := range s.alike[like][:min(len(s.alike[like]), compare.MaxCandidates)] {
		*s.work++
		if s.taken[i] {
			continue
		}
		fit := 0
		if s.calls[i].Parent == r.Parent {
			fit++
		}
		if s.calls[i].CallID == r.CallID {
			fit += 2
		}
		if fit > most {
			best, most = i, fit
		}
	}
	if best != none {
		s.taken[best] = true
	}
	return best
}

// toolOf returns the key of the tool that a call names. Many result spans may need it.
func (s *starts) toolOf(call int) string {
	if key, known := s.tools[call]; known {
		return key
	}
	key := s.toolKey(&s.calls[call])
	s.tools[call] = key
	return key
}

func (s *starts) toolKey(r *agentrun.PendingCall) string {
	s.work.Read(len(r.Name.Value()))
	return toolname.Key(r.Name.Value())
}

// noCall is the target of a span that records no call.
const noCall = -2
