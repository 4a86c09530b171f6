package reconcile

import (
	"iter"
	"slices"
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// matching pairs the tool spans of a run with what models asked for.
type matching struct {
	calls     []agentrun.PendingCall
	requests  []request
	requestOf []int // by call: its request, or none
	callOf    []int // by request: its call, or none
	cut       bool  // a call without an ID of its own was not compared with all requests of its tool
	// given, wanted and only describe the arguments of calls and requests. They are made for the first comparison, because
	// usually all calls are paired by their IDs.
	given, wanted []compare.Payload
	only          []compare.OnlyMember
	// ran and named have the keys of the tool names of calls and requests. Each name is folded once.
	ran, named []string
	spelled    toolname.Spellings // the names in requests; nil until a call needs them
	texts      bool               // some request has a text that begins like an object
	compare    *compare.Calls
	work       *compare.Work
}

func (m *matching) match() {
	m.requestOf, m.callOf = slices.Repeat([]int{none}, len(m.calls)), slices.Repeat([]int{none}, len(m.requests))
	m.ran, m.named = make([]string, len(m.calls)), make([]string, len(m.requests))
	for i := range m.calls {
		m.ran[i] = m.compare.ToolKey(m.calls[i].Name)
	}
	for i := range m.requests {
		m.work.Read(len(m.requests[i].Name))
		m.named[i] = toolname.Key(m.requests[i].Name)
		m.texts = m.work.HasObjectText(m.requests[i].Arguments) || m.texts
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
	waiting := make(map[compare.CallName][]int)
	for i := range m.requests {
		if m.callOf[i] == none && m.named[i] != "" {
			key := compare.CallName{ID: as(i), Tool: m.named[i]}
			waiting[key] = append(waiting[key], i)
		}
	}
	if len(waiting) == 0 {
		return
	}
	for i := range m.calls {
		if m.requestOf[i] != none || m.ran[i] == "" {
			continue
		}
		key := compare.CallName{ID: of(i), Tool: m.ran[i]}
		candidates := waiting[key]
		at := slices.IndexFunc(candidates[:min(len(candidates), compare.MaxCandidates)], func(q int) bool {
			*m.work++
			return alike(i, q)
		})
		if at < 0 {
			m.cut = m.cut || len(candidates) > compare.MaxCandidates && !agentrun.IsUniqueCallID(m.calls[i].CallID)
			continue
		}
		q := candidates[at]
		m.requestOf[i], m.callOf[q] = q, i
		copy(candidates[1:at+1], candidates[:at]) // usually few are before it, and many after it
		waiting[key] = candidates[1:]
	}
}

// sameID reports whether equal ids of one tool mean the same call.
func (m *matching) sameID(call, request int) bool {
	r, q := &m.calls[call], &m.requests[request]
	if r.CallID == "" {
		return false
	}
	return agentrun.IsUniqueCallID(r.CallID) || q.by.Start <= r.Start &&
		(m.sameArguments(call, request) || m.unknownArguments(call, request))
}

// sameArguments compares by value. Calls with different call IDs are different, whatever their arguments.
func (m *matching) sameArguments(call, request int) bool {
	r, q := &m.calls[call], &m.requests[request]
	if different(r, q) {
		return false
	}
	arguments := r.Arguments()
	if !arguments.Captured() || !q.Arguments.Captured() {
		return false
	}
	if m.given == nil {
		m.given, m.wanted = make([]compare.Payload, len(m.calls)), make([]compare.Payload, len(m.requests))
	}
	if r.Traits.UnnamedArgument && m.onlyMember(request).Is(m.compare.Digest(arguments, &m.given[call])) {
		return true
	}
	return m.compare.EqualPayloads(arguments, q.Arguments, &m.given[call], &m.wanted[request])
}

// isText reports whether the arguments of a call may be a text that the model wrote as the only argument. Some
// instrumentations leave out the name of such an argument, and what begins like an object is read as one.
func (m *matching) isText(call, request int) bool {
	r, q := &m.calls[call], &m.requests[request]
	return m.texts && !different(r, q) && m.compare.IsTextOf(r.Arguments(), m.onlyMember(request))
}

func (m *matching) onlyMember(request int) *compare.OnlyMember {
	if m.only == nil {
		m.only = make([]compare.OnlyMember, len(m.requests))
	}
	*m.work++
	return m.compare.OnlyMember(m.requests[request].Arguments, &m.only[request])
}

// unknownArguments reports whether the arguments of the call or of the request were not recorded.
func (m *matching) unknownArguments(call, request int) bool {
	r, q := &m.calls[call], &m.requests[request]
	return !different(r, q) && (!r.Arguments().Captured() || !q.Arguments.Captured())
}

func different(r *agentrun.PendingCall, q *request) bool {
	return r.CallID != "" && q.ID != "" && r.CallID != q.ID
}

// isMeant reports whether the call ID says that the call has that request.
func (m *matching) isMeant(call, request int) bool {
	id := m.calls[call].CallID
	return id == m.requests[request].ID && agentrun.IsUniqueCallID(id)
}

// spell gives a call whose name is normalized the name in the requests of its tool. A model may also ask for a tool that does
// not exist, and whose name differs only in case or separators. If no call ID says which request is meant, the requests
// contradict each other.
func (m *matching) spell(call int) (contradicted bool) {
	r := &m.calls[call]
	if !r.Traits.NormalizedName {
		return false
	}
	if m.spelled == nil {
		m.spelled = make(toolname.Spellings)
		for i, key := range m.named {
			m.work.Read(len(key))
			m.spelled.Add(key, m.requests[i].Name)
		}
	}
	name, requested := m.spelled.Of(m.ran[call])
	contradicted = requested && name == ""
	if q := m.requestOf[call]; q != none {
		name = m.requests[q].Name
		contradicted = contradicted && !m.isMeant(call, q)
	}
	if name != "" {
		r.Name, r.Traits.NormalizedName = unique.Make(name), false
	}
	return contradicted
}

// usersOfResults yields the calls and the requests without a call, which may have results of models.
func (m *matching) usersOfResults(callOf []int) iter.Seq2[string, pcommon.Timestamp] {
	return func(yield func(string, pcommon.Timestamp) bool) {
		for i := range m.calls {
			if !yield(m.calls[i].CallID, m.calls[i].Start) {
				return
			}
		}
		for i := range m.requests {
			if q := &m.requests[i]; callOf[i] == none && !yield(q.ID, q.by.End) {
				return
			}
		}
	}
}
