package agentrun

import (
	"slices"
	"sort"
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// told puts together what tool spans and models tell of the calls of one run. The calls are in order.
//
// A request of a model and a tool span of the same name tell of the same call if they have the same call id; else the
// same arguments; else where arguments are not at hand. The request then fills in what the span does
// not tell: the call id, arguments that were not captured, the name of a bare argument, the spelling of the tool's
// name. The result that a later request repeats fills in the output.
//
// What no tool span tells of is
//
//   - for [Spans]: nothing; models are not listened to,
//   - for [Messages]: every call that a model asked for, and tool spans that nobody asked for are left out,
//   - for [Auto]: the calls that a model asked for by an instrumentation that is not known to write tool spans, if the
//     run has no tool spans at all; or if each of its tool spans was asked for, so that both sides use the same names, and the
//     model was given a result, so that something was executed whose span was lost.
func (b *Buffer) told(calls []record, answers []Answer, known known) []record {
	if b.set.Sources == Spans || b.set.Sources == Auto && !b.wanting(calls, answers, known) {
		return calls
	}
	requests, told := requestsOf(answers, known, &b.resolver.work)
	m := matching{calls: calls, requests: requests, asked: make([]int, len(calls)), made: make([]int, len(requests)), work: &b.resolver.work}
	m.match()
	for i, r := range m.asked {
		if r != none {
			calls[i].ask(&requests[r])
		}
		calls[i].result(told)
	}
	kept := calls
	if b.set.Sources == Messages {
		kept = nil
		for i := range calls {
			if m.asked[i] != none {
				kept = append(kept, calls[i])
			}
		}
	}
	complete := !slices.Contains(m.asked, none)
	for i := range requests {
		_, answered := told.of(requests[i].ID, requests[i].by.End)
		switch {
		case m.made[i] != none:
		case b.set.Sources == Messages,
			requests[i].sole && (len(calls) == 0 || complete && answered):
			r := requests[i].record()
			r.result(told)
			kept = append(kept, r)
		}
	}
	slices.SortStableFunc(kept, compareRecords)
	return kept
}

// wanting reports whether models may tell something that the tool spans do not. Mostly they do not: every call that
// was asked for has its span, and that tells all. This look saves the maps of a matching.
func (b *Buffer) wanting(calls []record, answers []Answer, known known) bool {
	if len(answers) == 0 {
		return false
	}
	tellsLess := func(r *record) bool {
		return r.callID == "" || r.doubts.Folded || b.set.KeepArguments && (r.doubts.Bare || !r.arguments().Captured()) ||
			r.learns(known)
	}
	if indexOf(calls, tellsLess) != none {
		return true
	}
	ids := idsOf(calls)
	for i := range answers {
		if a := &answers[i]; a.Sole && (b.set.KeepOutput && len(a.Results) > 0 ||
			slices.ContainsFunc(a.Asked, func(q Asked) bool { return !Telling(q.ID) || !ids.have(&q) })) {
			return true
		}
	}
	return false
}

// learns reports whether a model was told something of the outcome of r that its span does not tell.
func (r *record) learns(known known) bool {
	o, told := known.of(r.callID)
	return told && (o.Failed && r.status == scoring.StatusUnset ||
		o.Output.Captured() && (r.payloads == nil || !r.payloads.output.Captured()))
}

// callIDs are the ids and names of calls. Few are compared, and more are hashed.
type callIDs struct {
	calls  []record
	hashed callIndex[int]
}

func idsOf(calls []record) callIDs {
	ids := callIDs{calls: calls}
	if len(calls) > few {
		for i := range calls {
			ids.hashed.add(calls[i].callID, calls[i].name.Value(), i)
		}
	}
	return ids
}

// have reports whether one of the calls is surely the one that a model asked for.
func (ids *callIDs) have(q *Asked) bool {
	if len(ids.calls) > few {
		_, known := ids.hashed.find(q.ID, q.Name)
		return known
	}
	return indexOf(ids.calls, func(r *record) bool { return r.callID == q.ID && sameName(r.name.Value(), q.Name) }) != none
}

// request is a call that a model asked for.
type request struct {
	Asked
	by    Span // the model call
	scope Scope
	place int
	sole  bool
}

// requestsOf are what models asked for in order, and what they were told of the outcomes. Two model calls that tell of
// a request of the same id and name, because two instrumentations wrote it down, are one. The answers are in order.
func requestsOf(answers []Answer, known known, w *work) ([]request, results) {
	var requests []request
	told := results{known: known, repeatable: make(map[string][]outcome), work: w}
	var index callIndex[int]
	for i := range answers {
		for place, asked := range answers[i].Asked {
			q := request{asked, answers[i].Span, answers[i].Scope, place, answers[i].Sole}
			if at, again := index.find(asked.ID, asked.Name); again {
				requests[at].Arguments = requests[at].Arguments.Or(asked.Arguments)
				continue
			}
			index.add(asked.ID, asked.Name, len(requests))
			requests = append(requests, q)
		}
		for _, result := range answers[i].Results {
			if result.ID != "" && !Telling(result.ID) {
				told.repeatable[result.ID] = append(told.repeatable[result.ID], outcome{result, answers[i].Start})
			}
		}
	}
	return requests, told
}

// results are what models were told: known by the ids that only one call can have, the repeatable ones in order of time.
type results struct {
	known      known
	repeatable map[string][]outcome
	work       *work
}

// known is what models of one process were told.
type known struct {
	told    map[toldID]outcome
	process Process
}

// of is what was told of the call with that id. Of what an earlier version stored it is not known in which process.
func (k known) of(id string) (o outcome, ok bool) {
	if o, ok = k.told[toldID{k.process, id}]; !ok && k.process != 0 {
		o, ok = k.told[toldID{0, id}]
	}
	return o, ok
}

type outcome struct {
	Result
	at pcommon.Timestamp // when the model was told
}

// of is what a model was told of a call that was made at that time. Where ids count up, it is the next thing told.
func (r results) of(id string, made pcommon.Timestamp) (Result, bool) {
	if Telling(id) {
		told, ok := r.known.of(id)
		return told.Result, ok
	}
	told := r.repeatable[id]
	next := sort.Search(len(told), func(i int) bool {
		*r.work++
		return told[i].at >= made
	})
	if next == len(told) {
		return Result{}, false
	}
	return told[next].Result, true
}

// record is the call itself, where no tool span tells of it. It began when the model had answered.
func (q *request) record() record {
	r := record{
		id: q.by.ID, parent: q.by.Parent, start: q.by.End, end: q.by.End, process: q.by.Process, scope: q.scope,
		name: unique.Make(q.Name), callID: q.ID, rank: rankOf(q.place), standing: spoken,
	}
	if q.Arguments != (scoring.Payload{}) {
		r.payloads = &payloads{arguments: q.Arguments}
	}
	return r
}

// ask fills in what the model asked for, and the call's place in its answer.
func (r *record) ask(q *request) {
	asked := &q.Asked
	if r.callID == "" {
		r.callID, r.rank = asked.ID, rankOf(q.place)
	}
	if r.doubts.Folded {
		r.name, r.doubts.Folded = unique.Make(asked.Name), false
	}
	if asked.Arguments == (scoring.Payload{}) || r.arguments().Captured() && !r.doubts.Bare {
		return
	}
	p := payloads{}
	if r.payloads != nil {
		p = *r.payloads
	}
	p.arguments, r.doubts.Bare = asked.Arguments, false
	r.payloads = &p
}

// result fills in what the model was told of the outcome.
func (r *record) result(told results) {
	result, ok := told.of(r.callID, r.start)
	if !ok {
		return
	}
	if result.Failed && r.status == scoring.StatusUnset {
		r.status = scoring.StatusFailed
	}
	if result.Output == (scoring.Payload{}) || r.payloads != nil && r.payloads.output.Captured() {
		return
	}
	p := payloads{}
	if r.payloads != nil {
		p = *r.payloads
	}
	p.output = result.Output
	r.payloads = &p
}
