package runs

import (
	"iter"
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
//   - [Auto]: a request counts if the response proves that the call was made;
//   - [Auto]: a request counts if its instrumentation may write no tool spans, and one of two things holds. Either the run has no
//     tool spans. Or each of them has a request, so both use the same names, and the model was shown a result, so a span was lost.
//     Otherwise such a request, without a span of its tool that may be its own, contradicts the spans.
func (t *tree) reconcile(r *run) {
	if t.o.Sources == Spans || t.o.Sources == Auto && !t.responsesAddSomething(r) {
		return
	}
	requests, shown := t.requestsOf(r)
	m := matching{calls: r.calls, requests: requests, eq: &t.eq}
	m.match()
	for i, q := range m.requestOf {
		differs := m.spell(i)
		if q != none {
			if m.isText(i, int(q)) {
				r.calls[i].UnnamedArgument, differs = true, differs || !m.isMeant(i, int(q))
			}
			r.calls[i].fill(&requests[q])
		}
		r.doubts |= doubtIf(differs, CopiesDiffer)
	}
	// By request, the call that it surely is, and the one that it may be. Calls and requests that are left over may be one.
	sure, all := slices.Clone(m.callOf), !slices.Contains(m.requestOf, none)
	shown.countUsers(r.calls, requests, sure)
	for i := range r.calls {
		shown.complete(&r.calls[i])
	}
	spans := len(r.calls)
	if t.o.Sources == Messages {
		r.doubts |= doubtIf(m.cut && !all, OwnerUnknown)
		kept := r.calls[:0:0]
		for i := range r.calls {
			if m.requestOf[i] != none {
				kept = append(kept, r.calls[i])
			}
		}
		r.calls = kept
	}
	if !all && slices.Contains(sure, none) {
		m.pair(byTool, byTool, func(call, request int) bool { return !isOther(&m.calls[call], &requests[request]) })
	}
	maybe := m.callOf
	alone := spans == 0 && !t.models // then a transcript is the only record of the run
	for i := range requests {
		q := &requests[i]
		if sure[i] != none || q.by.IsTranscript() && !alone {
			continue
		}
		c := q.call()
		_, answered := shown.of(&c)
		switch {
		case q.Hosted && t.o.IgnoreHosted, t.o.Sources == Auto && t.notMade[q.ID]:
			continue
		case t.o.Sources == Messages, q.Ran(), q.messagesOnly && spans == 0:
			// it counts, as below
		case t.made[q.ID] && !q.messagesOnly && !slices.Contains(m.ran, m.named[i]):
			// it counts: an application ran the tool by itself
		case q.messagesOnly && all && answered:
			r.doubts |= doubtIf(shown.isOfSeveral(&c), ResultAmbiguous)
		case t.refused[q.ID] && maybe[i] == none:
			r.rejected = append(r.rejected, c)
			continue
		default:
			r.doubts |= doubtIf(q.messagesOnly && maybe[i] == none, CopiesDiffer)
			continue
		}
		shown.complete(&c)
		r.calls = append(r.calls, c)
	}
	sortCalls(r.calls)
}

// responsesAddSomething reports whether model responses may know something that the tool spans do not. Usually they add nothing,
// because every requested call has a complete span. This check avoids the maps of a matching.
func (t *tree) responsesAddSomething(r *run) bool {
	if len(r.responses) == 0 {
		return false
	}
	for i := range r.calls {
		c := &r.calls[i]
		if c.CallID == "" || c.NormalizedName || t.o.KeepArguments && (c.UnnamedArgument || !c.Arguments.Captured()) || t.shown.mayComplete(c) {
			return true
		}
	}
	for _, a := range r.responses {
		if a.MessagesOnly && t.o.KeepOutput && len(a.Results) > 0 {
			return true
		}
		for k := range a.Requests {
			q := &a.Requests[k]
			if t.o.KeepArguments && hasObjectText(q.Arguments) || (a.MessagesOnly || q.Ran() || t.made[q.ID] || t.refused[q.ID]) && (!unique(q.ID) || !hasRequest(r.calls, q)) {
				return true
			}
		}
	}
	return false
}

// hasRequest reports whether a call has the ID and the tool of a request. Without such a call, a matching finds out more.
func hasRequest(calls []Call, q *evidence.ToolRequest) bool {
	const few = 64
	if len(calls) > few {
		return false
	}
	return slices.ContainsFunc(calls, func(c Call) bool { return c.CallID == q.ID && toolname.Same(c.Name, q.Name) })
}

// request is a call that a model asked for.
type request struct {
	evidence.ToolRequest
	by           *response // the model call
	place        int
	messagesOnly bool
	ofGroup      bool // nothing says when in the time of the run it was
	digests      digests
}

// requestsOf returns the requests of models in order, and the results that they were shown. Two requests of the same ID and name
// are one if their model calls overlap: two instrumentations recorded them, or one did in two layers. Otherwise, and if their
// arguments differ, they contradict each other, and all are kept.
func (t *tree) requestsOf(r *run) (requests []request, shown *results) {
	shown = t.shown.withRepeatable()
	var at callIndex[int]
	responses := slices.Clone(r.responses)
	slices.SortStableFunc(responses, func(a, b *response) int { // what models recorded themselves comes first
		switch {
		case a.IsTranscript() == b.IsTranscript():
			return 0
		case a.IsTranscript():
			return 1
		}
		return -1
	})
	for _, a := range responses {
		for place := range a.Requests {
			q := request{a.Requests[place], a, place, a.MessagesOnly, a.Shares != nil, digests{}}
			if k, again := at.findOrAdd(q.ID, q.Name, len(requests)); again {
				if first := &requests[k]; t.eq.isOneRequest(first, &q) {
					first.Arguments = first.Arguments.Or(q.Arguments)
					first.Hosted, first.Answered, first.Failed = first.Hosted || q.Hosted, first.Answered || q.Answered, first.Failed || q.Failed
					first.Output = first.Output.Or(q.Output)
					continue
				}
				r.doubts |= CopiesDiffer
			}
			requests = append(requests, q)
		}
		for k := range a.Results {
			shown.addRepeatable(&a.Results[k], a.Start)
		}
	}
	if slices.ContainsFunc(requests, func(q request) bool { return q.ID == "" }) {
		requests = t.withoutOuter(requests)
	}
	return requests, shown
}

// withoutOuter leaves out requests without an ID that the response of a model call right below has with one: a client recorded them in two
// layers.
func (t *tree) withoutOuter(requests []request) []request {
	inner := map[pcommon.SpanID][]int{} // by the parent of their model calls
	for i := range requests {
		if q := &requests[i]; q.ID != "" && !q.by.Parent.IsEmpty() {
			inner[q.by.Parent] = append(inner[q.by.Parent], i)
		}
	}
	kept := make([]request, 0, len(requests))
	for i := range requests {
		q := &requests[i]
		if q.ID == "" {
			below := inner[q.by.ID]
			at := slices.IndexFunc(below[:min(len(below), maxCandidates)], func(k int) bool { return t.eq.isRepeated(q, &requests[k]) })
			if at >= 0 {
				inner[q.by.ID] = slices.Delete(below, at, at+1) // each repeats one
				continue
			}
		}
		kept = append(kept, *q)
	}
	return kept
}

// isRepeated reports whether requests of two layers are of one tool and may have the same arguments.
func (e *equality) isRepeated(a, b *request) bool {
	return a.Name == b.Name && (!a.Arguments.Captured() || !b.Arguments.Captured() || e.same(a.Arguments, b.Arguments, &a.digests.arguments, &b.digests.arguments))
}

// isOneRequest reports whether two requests of one ID and name may be one. A model may give all its requests one ID. The span of a
// group may have a request of one message twice.
func (e *equality) isOneRequest(a, b *request) bool {
	if a.by.ID == b.by.ID && !a.ofGroup || !a.by.Overlaps(&b.by.Span) {
		return false
	}
	return !a.Arguments.Captured() || !b.Arguments.Captured() || e.same(a.Arguments, b.Arguments, &a.digests.arguments, &b.digests.arguments)
}

// call is the call itself, if no tool span records it. It began when the response was complete.
func (q *request) call() Call {
	c := Call{
		Call: scoring.Call{Name: q.Name, Arguments: q.Arguments, Output: q.Output}, Span: q.by.Span, CallID: q.ID, Rank: rankOf(q.place), Scope: q.by.scope,
		Source: FromModel, fact: none,
	}
	if !q.ofGroup {
		c.Start = c.End
	}
	if q.Failed {
		c.Status = scoring.StatusFailed
	}
	return c
}

// fill completes a call with what the model requested, and the call's place in the response.
func (c *Call) fill(q *request) {
	if c.CallID == "" {
		c.CallID, c.Rank = q.ID, rankOf(q.place)
	}
	if q.Arguments == (scoring.Payload{}) || c.Arguments.Captured() && !c.UnnamedArgument {
		return
	}
	c.UnnamedArgument = false
	c.setPayloads(q.Arguments, c.Output)
}

// matching pairs the tool spans of a run with what models asked for.
type matching struct {
	calls     []Call
	requests  []request
	requestOf []int32 // by call: its request, or none
	callOf    []int32 // by request: its call, or none
	cut       bool    // a call without an ID of its own was not compared with all requests of its tool
	// ran and named have the keys of the tool names of calls and requests.
	ran, named []string
	spellings  toolname.Spellings // the names in requests; nil until a call needs them
	texts      bool               // some request has a text that begins like an object
	eq         *equality
}

func (m *matching) match() {
	m.requestOf, m.callOf = slices.Repeat([]int32{none}, len(m.calls)), slices.Repeat([]int32{none}, len(m.requests))
	m.ran, m.named = make([]string, len(m.calls)), make([]string, len(m.requests))
	for i := range m.calls {
		m.ran[i] = toolname.Key(m.calls[i].Name)
	}
	for i := range m.requests {
		m.named[i] = toolname.Key(m.requests[i].Name)
		m.texts = m.texts || hasObjectText(m.requests[i].Arguments)
	}
	m.pair(func(i int) string { return m.calls[i].CallID }, func(i int) string { return m.requests[i].ID }, m.sameID)
	m.pair(byTool, byTool, m.sameArguments)
	m.pair(byTool, byTool, m.unknownArguments)
	m.pair(byTool, byTool, m.isText)
}

// byTool is the ID with which pairs are made by the tool alone.
func byTool(int) string { return "" }

// pair pairs calls and requests of one tool with the same ID, in order, if alike allows the pair.
func (m *matching) pair(of, as func(int) string, alike func(call, request int) bool) {
	type key struct{ id, tool string }
	free := make(map[key][]int32)
	for i := range m.requests {
		if m.callOf[i] == none && m.named[i] != "" {
			k := key{as(i), m.named[i]}
			free[k] = append(free[k], int32(i))
		}
	}
	if len(free) == 0 {
		return
	}
	for i := range m.calls {
		if m.requestOf[i] != none || m.ran[i] == "" {
			continue
		}
		k := key{of(i), m.ran[i]}
		candidates := free[k]
		at := slices.IndexFunc(candidates[:min(len(candidates), maxCandidates)], func(q int32) bool { return alike(i, int(q)) })
		if at < 0 {
			m.cut = m.cut || len(candidates) > maxCandidates && !unique(m.calls[i].CallID)
			continue
		}
		q := candidates[at]
		m.requestOf[i], m.callOf[q] = q, int32(i)
		copy(candidates[1:at+1], candidates[:at]) // usually few are before it, and many after it
		free[k] = candidates[1:]
	}
}

// sameID reports whether equal ids of one tool mean the same call.
func (m *matching) sameID(call, request int) bool {
	c, q := &m.calls[call], &m.requests[request]
	if c.CallID == "" {
		return false
	}
	return unique(c.CallID) || q.by.Start <= c.Start && (m.sameArguments(call, request) || m.unknownArguments(call, request))
}

// sameArguments compares by value. Calls with different call IDs are different, whatever their arguments.
func (m *matching) sameArguments(call, request int) bool {
	c, q := &m.calls[call], &m.requests[request]
	if isOther(c, q) || !c.Arguments.Captured() || !q.Arguments.Captured() {
		return false
	}
	if c.UnnamedArgument {
		if bare, ok := m.eq.of(c.Arguments, &c.known().arguments); ok && m.eq.only(q.Arguments, &q.digests).is(bare) {
			return true
		}
	}
	return m.eq.same(c.Arguments, q.Arguments, &c.known().arguments, &q.digests.arguments)
}

// isText reports whether the arguments of a call may be a text that the model wrote as the only argument. Some instrumentations
// leave out the name of such an argument, and what begins like an object is read as one.
func (m *matching) isText(call, request int) bool {
	c, q := &m.calls[call], &m.requests[request]
	return m.texts && !isOther(c, q) && m.eq.isTextOf(c.Arguments, m.eq.only(q.Arguments, &q.digests))
}

// unknownArguments reports whether the arguments of the call or of the request were not recorded.
func (m *matching) unknownArguments(call, request int) bool {
	c, q := &m.calls[call], &m.requests[request]
	return !isOther(c, q) && (!c.Arguments.Captured() || !q.Arguments.Captured())
}

func isOther(c *Call, q *request) bool {
	return c.CallID != "" && q.ID != "" && c.CallID != q.ID
}

// isMeant reports whether the call ID says that the call has that request.
func (m *matching) isMeant(call, request int) bool {
	id := m.calls[call].CallID
	return id == m.requests[request].ID && unique(id)
}

// spell gives a call whose name is normalized the name in the requests of its tool. A model may also ask for a tool that does not
// exist, and whose name differs only in case or separators. If no call ID says which request is meant, the requests contradict each
// other.
func (m *matching) spell(call int) (differs bool) {
	c := &m.calls[call]
	if !c.NormalizedName {
		return false
	}
	if m.spellings == nil {
		m.spellings = make(toolname.Spellings)
		for i, key := range m.named {
			m.spellings.Add(key, m.requests[i].Name)
		}
	}
	name, requested := m.spellings.Of(m.ran[call])
	differs = requested && name == ""
	if q := m.requestOf[call]; q != none {
		name = m.requests[q].Name
		differs = differs && !m.isMeant(call, int(q))
	}
	if name != "" {
		c.Name, c.NormalizedName = name, false
	}
	return differs
}

// results are those that models were shown: by call ID if only one call can have that, else in order of time.
type results struct {
	unique     map[string]timedResult
	repeatable map[string][]timedResult
	users      map[resultKey]int // how many calls and requests have each result
}

type timedResult struct {
	*evidence.ToolResult
	at pcommon.Timestamp
}

// resultKey is the ID of a call, and the place of its result among those of a repeatable ID.
type resultKey struct {
	id    string
	place int
}

// collectResults collects the results with unique IDs that models of the trace were shown. The first one of a call counts, and of two at
// once the one that did not fail, because a call that failed may not count.
func (t *tree) collectResults() {
	t.shown, t.made, t.refused, t.notOffered, t.notMade = results{}, nil, nil, nil, nil
	for i := range t.facts {
		a := t.facts[i].Response
		if a == nil {
			continue
		}
		noteAll(&t.made, slices.Values(a.Made))
		noteAll(&t.refused, slices.Values(a.Refused))
		noteAll(&t.notOffered, idsOf(a.NotOffered))
		for k := range a.Results {
			o := &a.Results[k]
			if !unique(o.ID) {
				continue
			}
			if t.shown.unique == nil {
				t.shown.unique = make(map[string]timedResult)
			}
			if known, again := t.shown.unique[o.ID]; !again || t.facts[i].Start == known.at && compareResults(o, known.ToolResult) < 0 {
				t.shown.unique[o.ID] = timedResult{o, t.facts[i].Start} // facts are in the order of their starts
			}
		}
	}
}

// noteAll adds IDs to a set, without those that several calls may have.
func noteAll(set *map[string]bool, ids iter.Seq[string]) {
	for id := range ids {
		if !unique(id) {
			continue
		}
		if *set == nil {
			*set = make(map[string]bool)
		}
		(*set)[id] = true
	}
}

func compareResults(a, b *evidence.ToolResult) int {
	if a.Failed != b.Failed {
		if a.Failed {
			return 1
		}
		return -1
	}
	return evidence.ComparePayloads(a.Output, b.Output)
}

// withRepeatable returns the results of one run, so far without those whose IDs repeat.
func (s *results) withRepeatable() *results { return &results{unique: s.unique} }

// addRepeatable adds a result that a model was shown at that time, if its ID is repeatable. Results are added in order of time.
func (s *results) addRepeatable(o *evidence.ToolResult, at pcommon.Timestamp) {
	if o.ID == "" || unique(o.ID) {
		return
	}
	if s.repeatable == nil {
		s.repeatable = make(map[string][]timedResult)
	}
	s.repeatable[o.ID] = append(s.repeatable[o.ID], timedResult{o, at})
}

// mayComplete reports whether a model was shown something about the result of c that its span lacks.
func (s *results) mayComplete(c *Call) bool {
	if s.unique == nil {
		return false
	}
	o, ok := s.unique[c.CallID]
	return ok && c.lacks(o.ToolResult)
}

func (c *Call) lacks(o *evidence.ToolResult) bool {
	return o.Failed && c.Status == scoring.StatusUnset || o.Output != (scoring.Payload{}) && !c.Output.Captured()
}

// of returns the result of a call. If IDs are counted up, and so repeat, it is the next result with that ID.
func (s *results) of(c *Call) (*evidence.ToolResult, bool) {
	if unique(c.CallID) {
		o, ok := s.unique[c.CallID]
		return o.ToolResult, ok
	}
	if next := s.next(c); next < len(s.repeatable[c.CallID]) {
		return s.repeatable[c.CallID][next].ToolResult, true
	}
	return nil, false
}

// next is the place of the next result of a call whose ID repeats. A call that only a request records is made when that ends.
func (s *results) next(c *Call) int {
	shown := s.repeatable[c.CallID]
	at, _ := slices.BinarySearchFunc(shown, c.Start, func(o timedResult, made pcommon.Timestamp) int {
		if o.at < made {
			return -1
		}
		return 1
	})
	return at
}

func (s *results) keyOf(c *Call) resultKey {
	if unique(c.CallID) {
		return resultKey{id: c.CallID}
	}
	return resultKey{c.CallID, s.next(c)}
}

// countUsers counts how many calls, and requests without a call, have each result.
func (s *results) countUsers(calls []Call, requests []request, callOf []int32) {
	s.users = make(map[resultKey]int)
	for i := range calls {
		s.users[s.keyOf(&calls[i])]++
	}
	for i := range requests {
		if callOf[i] == none {
			c := requests[i].call()
			s.users[s.keyOf(&c)]++
		}
	}
}

// isOfSeveral reports whether the result of a call is that of other calls or requests, too.
func (s *results) isOfSeveral(c *Call) bool { return s.users[s.keyOf(c)] > 1 }

// complete fills in the result of a call that the model was shown. If the result is that of several calls, it fills in nothing, and
// what it says is unsure.
func (s *results) complete(c *Call) {
	o, ok := s.of(c)
	if !ok || !c.lacks(o) {
		return
	}
	if s.isOfSeveral(c) {
		c.unsure = true
		return
	}
	if o.Failed && c.Status == scoring.StatusUnset {
		c.Status = scoring.StatusFailed
	}
	if !c.Output.Captured() {
		c.setPayloads(c.Arguments, c.Output.Or(o.Output))
	}
}
