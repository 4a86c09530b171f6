package runs

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// reconcile joins what tool spans and model responses record about the calls of one run. The calls are in order.
//
// A request and a tool span with the same name are one call if their call IDs are equal. Otherwise they need equal arguments, or
// those of one are unknown. The request then fills in what the span lacks: the call ID, arguments, the name of an unnamed argument.
// A result in a later prompt fills in the output. For the spelling of the tool's name see [matching.spell].
//
// If a call has no tool span, the settings decide, and they may ignore the calls of a provider. Otherwise:
//
//   - [Spans]: it does not count;
//   - [Messages]: every request counts, and tool spans without a request are left out;
//   - [Auto]: it does not count if a tool span says that nothing was executed;
//   - [Auto]: a request counts if the response proves that the call was made, or a later prompt does and no span is of its tool: an
//     application ran it by itself;
//   - [Auto]: a request counts if its instrumentation may write no tool spans, and one of two things holds. Either the run has no
//     tool spans. Or each of them has a request, so both use the same names, and the model was shown a result, so a span was lost.
//     Otherwise such a request, without a span of its tool that may be its own, contradicts the spans.
func (t *tree) reconcile(r *run) {
	if t.o.Sources == Spans || t.o.Sources == Auto && !t.responsesAddSomething(r) {
		return
	}
	requests, shown := t.requestsOf(r)
	m := matching{calls: r.calls, requests: requests, ran: keysOf(r.calls), named: keysOf(requests), eq: &t.eq}
	m.pair(surely, true, m.sameID)
	m.pair(surely, false, m.sameArguments)
	m.pair(surely, false, unknownArguments)
	r.doubts |= doubtIf(m.spell(), CopiesDiffer)
	isSingle := func(c *Call) bool { return c.paired == single }
	all := !contains(r.calls, isSingle)
	shown.countUsers(r.calls, requests)
	for i := range r.calls {
		shown.complete(&r.calls[i])
	}
	spans := len(r.calls)
	if t.o.Sources == Messages {
		r.doubts |= doubtIf(m.cut, OwnerUnknown)
		r.calls = slices.DeleteFunc(r.calls, func(c Call) bool { return c.paired == single })
	} else if !all && contains(requests, isSingle) {
		m.pair(perhaps, false, func(c, q *Call) bool { return !c.isOther(q) })
	}
	alone := spans == 0 && !t.models // then a transcript is the only record of the run
	for i, q := range each(requests) {
		if q.paired == surely || q.by.Response.IsTranscript() && !alone {
			continue
		}
		said, result := t.told[q.CallID].said, shown.of(q)
		switch {
		case q.hosted && t.o.IgnoreHosted, t.o.Sources == Auto && said&notMade != 0:
			continue
		case t.o.Sources == Messages, q.ran, q.by.Response.MessagesOnly && spans == 0:
			// it counts, as below
		case said&made != 0 && !q.by.Response.MessagesOnly && !contains(m.ran, func(k *callKey) bool { return k.tool == m.named[i].tool }):
			// it counts: an application ran the tool by itself
		case q.by.Response.MessagesOnly && all && result != nil:
			r.doubts |= doubtIf(shown.users[result] > 1, ResultAmbiguous)
		case said&refused != 0 && q.paired == single:
			r.rejected = append(r.rejected, *q)
			continue
		default:
			r.doubts |= doubtIf(q.by.Response.MessagesOnly && q.paired == single, CopiesDiffer)
			continue
		}
		shown.complete(q)
		r.calls = append(r.calls, *q)
	}
	sortCalls(r.calls)
}

// responsesAddSomething reports whether model responses may know something that the tool spans do not. Usually they add nothing,
// because every requested call has a complete span. This check avoids the maps of a matching.
func (t *tree) responsesAddSomething(r *run) bool {
	if len(r.responses) == 0 {
		return false
	}
	for _, c := range each(r.calls) {
		if c.CallID == "" || c.NormalizedName || t.o.KeepArguments && (c.UnnamedArgument || !c.Arguments.Captured()) ||
			c.lacks(t.told[c.CallID].ToolResult) {
			return true
		}
	}
	// A request that may count adds something unless a call has its ID and tool. Each is compared with few calls: if there are many, with those
	// behind the call of the request before, so then all requests must be in order, and each of another call.
	const few = 64
	many, may, missing, next := len(r.calls) > few, false, false, 0
	for _, a := range r.responses {
		for _, q := range each(a.Response.Requests) {
			counts := a.Response.MessagesOnly || q.Ran() || t.told[q.ID].said&(made|refused) != 0
			if may = may || counts; !counts && !many {
				continue
			}
			at := indexOf(r.calls[next:min(len(r.calls), next+few)], func(c *Call) bool { return c.CallID == q.ID && toolname.Same(c.Name, q.Name) })
			missing = missing || at < 0 || !unique(q.ID)
			if many {
				next += at + 1
			}
		}
	}
	return may && missing
}

// asked returns one of the requests of a response: the call that it is itself, if no tool span records it. The call began when the response
// was complete. Of a group's, nothing says when in the time of the run it was.
func asked(a *evidence.Fact, all []evidence.ToolRequest, place int) Call {
	q := &all[place]
	c := Call{
		Call: scoring.Call{Name: q.Name, Arguments: q.Arguments, Output: q.Output}, Span: a.Span, CallID: q.ID, Rank: rankOf(place), Scope: a.Scope,
		Source: FromModel, by: a, hosted: q.Hosted, ran: q.Ran(), fact: none,
	}
	if a.Response.Shares == nil {
		c.Start = c.End
	}
	if q.Failed {
		c.Status = scoring.StatusFailed
	}
	return c
}

// requestsOf returns the requests of models in order, and the results that they were shown. Two requests of the same ID and name
// are one if their model calls overlap: two instrumentations recorded them, or one did in two layers. Otherwise, and if their
// arguments differ, they contradict each other, and all are kept.
func (t *tree) requestsOf(r *run) (requests []Call, shown *results) {
	shown = &results{unique: t.told}
	n := 0
	for _, a := range r.responses {
		n += len(a.Response.Requests)
	}
	at := make(callIndex[int], n)
	requests = make([]Call, 0, n)
	for _, transcripts := range [...]bool{false, true} { // what models recorded themselves comes first
		for _, a := range r.responses {
			if a.Response.IsTranscript() != transcripts {
				continue
			}
			for place := range a.Response.Requests {
				q := asked(a, a.Response.Requests, place)
				if k, again := at.findOrAdd(q.CallID, q.Name, len(requests)); again {
					if first := &requests[k]; t.eq.isOneRequest(first, &q) {
						first.fillIn(&q)
						continue
					}
					r.doubts |= CopiesDiffer
				}
				requests = append(requests, q)
			}
			for _, o := range each(a.Response.Results) {
				if o.ID != "" && !unique(o.ID) {
					put(&shown.repeatable, o.ID, append(shown.repeatable[o.ID], timedResult{o, a.Start}))
				}
			}
		}
	}
	return t.withoutOuter(requests), shown
}

// withoutOuter leaves out requests without an ID that the response of a model call right below has with one: a client recorded them in two
// layers.
func (t *tree) withoutOuter(requests []Call) []Call {
	if !contains(requests, func(q *Call) bool { return q.CallID == "" }) {
		return requests
	}
	inner := map[pcommon.SpanID][]int{} // by the parent of their model calls
	for i := range requests {
		if q := &requests[i]; q.CallID != "" && !q.by.Parent.IsEmpty() {
			inner[q.by.Parent] = append(inner[q.by.Parent], i)
		}
	}
	kept := make([]Call, 0, len(requests))
	for _, q := range each(requests) {
		if q.CallID == "" {
			below := inner[q.by.ID]
			at := slices.IndexFunc(below[:min(len(below), maxCandidates)], func(k int) bool {
				return q.Name == requests[k].Name && t.eq.sameArguments(q, &requests[k])
			})
			if at >= 0 {
				inner[q.by.ID] = slices.Delete(below, at, at+1) // each repeats one
				continue
			}
		}
		kept = append(kept, *q)
	}
	return kept
}

// isOneRequest reports whether two requests of one ID and name may be one. A model may give all its requests one ID. The span of a
// group may have a request of one message twice.
func (e *equality) isOneRequest(a, b *Call) bool {
	return (a.by.ID != b.by.ID || a.by.Response.Shares != nil) && a.by.Overlaps(&b.by.Span) && e.sameArguments(a, b)
}

// pairing says whether a call and a request are one.
type pairing uint8

const (
	single pairing = iota
	perhaps
	surely
)

// matching pairs the tool spans of a run with what models asked for.
type matching struct {
	calls, requests []Call
	ran, named      []callKey
	cut             bool // a call without an ID of its own was not compared with all requests of its tool
	eq              *equality
}

func keysOf(calls []Call) []callKey {
	keys := make([]callKey, len(calls))
	for i := range calls {
		keys[i] = keyOf(calls[i].CallID, calls[i].Name)
	}
	return keys
}

// pair pairs single calls and requests of one tool, and with the same ID if byID, in order, if alike allows the pair. A call is completed with
// what the model requested if it surely is that.
func (m *matching) pair(as pairing, byID bool, alike func(c, q *Call) bool) {
	of := func(k callKey) callKey {
		if !byID {
			k.id = ""
		}
		return k
	}
	free := make(map[callKey][]int32)
	for i, key := range m.named {
		if m.requests[i].paired == single && key.tool != 0 {
			free[of(key)] = append(free[of(key)], int32(i))
		}
	}
	for i, c := range each(m.calls) {
		if c.paired != single || m.ran[i].tool == 0 {
			continue
		}
		candidates := free[of(m.ran[i])]
		at := slices.IndexFunc(candidates[:min(len(candidates), maxCandidates)], func(q int32) bool { return alike(c, &m.requests[q]) })
		if at < 0 {
			m.cut = m.cut || len(candidates) > maxCandidates
			continue
		}
		q := &m.requests[candidates[at]]
		copy(candidates[1:at+1], candidates[:at]) // usually few are before it, and many after it
		free[of(m.ran[i])] = candidates[1:]
		if c.paired, q.paired = as, as; as == surely {
			if c.UnnamedArgument && q.Arguments.Captured() {
				c.Arguments, c.digest = scoring.Payload{}, nil
			}
			c.fillIn(q)
		}
	}
}

// sameID reports whether equal ids of one tool mean the same call.
func (m *matching) sameID(c, q *Call) bool {
	return unique(c.CallID) || c.CallID != "" && q.by.Start <= c.Start && (m.sameArguments(c, q) || unknownArguments(c, q))
}

// sameArguments compares by value. Calls with different call IDs are different, whatever their arguments.
func (m *matching) sameArguments(c, q *Call) bool {
	return !c.isOther(q) && c.Arguments.Captured() && q.Arguments.Captured() && m.eq.mayBeOne(c, q)
}

// unknownArguments reports whether the arguments of the call or of the request were not recorded.
func unknownArguments(c, q *Call) bool {
	return !c.isOther(q) && (!c.Arguments.Captured() || !q.Arguments.Captured())
}

// spell gives calls whose names are normalized the names in the requests of their tools. A model may also ask for a tool that does not
// exist, and whose name differs only in case or separators. Then the requests contradict each other.
func (m *matching) spell() (differ bool) {
	if !contains(m.calls, func(c *Call) bool { return c.NormalizedName }) {
		return false
	}
	spellings := make(toolname.Spellings)
	for i, key := range m.named {
		spellings.Add(key.tool, m.requests[i].Name)
	}
	for i, c := range each(m.calls) {
		if name, requested := spellings[m.ran[i].tool]; c.NormalizedName && requested {
			if differ = differ || name == ""; name != "" {
				c.Name, c.NormalizedName = name, false
			}
		}
	}
	return differ
}

// results are those that models were shown: by call ID if only one call can have that, else in order of time. users says how many calls
// and requests have each.
type results struct {
	unique     statements
	repeatable map[string][]timedResult
	users      map[*evidence.ToolResult]int
}

type timedResult struct {
	*evidence.ToolResult
	at pcommon.Timestamp
}

// told is the result of a call that models were shown, and what spans say of it besides.
type told struct {
	timedResult
	said saying
}

// A saying is what spans say of a call besides its result.
type saying uint8

const (
	made       saying = 1 << iota // it has a result, though its tool has no span: see evidence.Response.Made
	refused                       // it failed, or was not made: see evidence.Response.Refused
	notOffered                    // the model was not offered its tool
	notMade                       // nothing executed it
)

// statements are what is told of calls, by IDs that only one call can have. Of other IDs nothing is noted.
type statements map[string]told

// say notes what is said of calls.
func (s *statements) say(what saying, ids ...string) {
	for _, id := range ids {
		if unique(id) {
			put(s, id, told{(*s)[id].timedResult, (*s)[id].said | what})
		}
	}
}

// show notes the result of a call. The first one counts, so they are shown in order, and of two at once the one that did not fail, because
// a call that failed may not count.
func (s *statements) show(o *evidence.ToolResult, at pcommon.Timestamp) {
	known := (*s)[o.ID]
	if unique(o.ID) && (known.ToolResult == nil || at == known.at &&
		(known.Failed && !o.Failed || known.Failed == o.Failed && o.Output.Compare(known.Output) < 0)) {
		put(s, o.ID, told{timedResult{o, at}, known.said})
	}
}

// collectResults collects what models of the trace were shown of calls.
func (t *tree) collectResults() {
	for i := range t.facts {
		a := t.facts[i].Response
		if a == nil {
			continue
		}
		t.told.say(made, a.Made...)
		t.told.say(refused, a.Refused...)
		for k := range a.NotOffered {
			t.told.say(notOffered, a.NotOffered[k].ID)
		}
		for _, o := range each(a.Results) {
			t.told.show(o, t.facts[i].Start) // facts are in the order of their starts
		}
	}
}

func (c *Call) lacks(o *evidence.ToolResult) bool {
	return o != nil && (o.Failed && c.Status == scoring.StatusUnset || o.Output != (scoring.Payload{}) && !c.Output.Captured())
}

// of returns the result of a call, or nil. If IDs are counted up, and so repeat, it is the next result with that ID. A call that only a
// request records is made when that ends.
func (s *results) of(c *Call) *evidence.ToolResult {
	if unique(c.CallID) {
		return s.unique[c.CallID].ToolResult
	}
	shown := s.repeatable[c.CallID]
	next, _ := slices.BinarySearchFunc(shown, c.Start, func(o timedResult, made pcommon.Timestamp) int { return cmp.Compare(o.at, made) })
	if next == len(shown) {
		return nil
	}
	return shown[next].ToolResult
}

// countUsers counts how many calls, and requests without a call, have each result.
func (s *results) countUsers(calls, requests []Call) {
	s.users = make(map[*evidence.ToolResult]int)
	for _, all := range [...][]Call{calls, requests} {
		for _, c := range each(all) {
			if c.by == nil || c.paired == single {
				s.users[s.of(c)]++
			}
		}
	}
}

// complete fills in the result of a call that the model was shown. If the result is that of several calls, it fills in nothing, and
// what it says is unsure.
func (s *results) complete(c *Call) {
	switch o := s.of(c); {
	case !c.lacks(o):
	case s.users[o] > 1:
		c.unsure = true
	default:
		if o.Failed {
			c.Status = cmp.Or(c.Status, scoring.StatusFailed)
		}
		c.Output = c.Output.Or(o.Output)
	}
}
