package agentrun

import (
	"slices"
	"strings"
	"unicode"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// told puts together what tool spans and models tell of the calls of one run. The calls are in order.
//
// A request of a model and a tool span tell of the same call if they have the same call id; else the same name and the
// same arguments; else the same name, where arguments are not at hand. The request then fills in what the span does
// not tell: the call id, arguments that were not captured, the name of a bare argument, the spelling of the tool's
// name. The result that a later request repeats fills in the output.
//
// What no tool span tells of is
//
//   - for [Spans]: nothing; models are not listened to,
//   - for [Messages]: every call that a model asked for, and tool spans that nobody asked for are left out,
//   - for [Auto]: the calls that a model asked for by an instrumentation that writes no tool spans, if the run has no
//     tool spans at all; or if each of its tool spans was asked for, so that both sides use the same names, and the
//     model was given a result, so that something was executed whose span was lost.
func (b *Buffer) told(calls []record, answers []Answer) []record {
	if b.set.Sources == Spans || b.set.Sources == Auto && !b.wanting(calls, answers) {
		return calls
	}
	requests, results := requestsOf(answers)
	m := matching{calls: calls, requests: requests, asked: make([]int, len(calls)), made: make([]int, len(requests))}
	m.match()
	for i, r := range m.asked {
		if r != none {
			calls[i].ask(&requests[r])
		}
		calls[i].result(results)
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
		_, answered := results[requests[i].ID]
		switch {
		case m.made[i] != none:
		case b.set.Sources == Messages,
			requests[i].sole && (len(calls) == 0 || complete && answered):
			r := requests[i].record()
			r.result(results)
			kept = append(kept, r)
		}
	}
	slices.SortStableFunc(kept, compareRecords)
	return kept
}

// wanting reports whether answers may tell something that the tool spans do not. Mostly they do not.
func (b *Buffer) wanting(calls []record, answers []Answer) bool {
	for i := range answers {
		if answers[i].Sole {
			return true
		}
	}
	return len(answers) > 0 && slices.ContainsFunc(calls, func(r record) bool {
		return r.callID == "" || r.doubts.Folded || b.set.KeepArguments && (r.doubts.Bare || !r.arguments().Captured())
	})
}

// request is a call that a model asked for.
type request struct {
	Asked
	by    Span // the model call
	place int
	sole  bool
}

// requestsOf are what models asked for in order, each call id once, and the results by call id.
func requestsOf(answers []Answer) ([]request, map[string]Result) {
	var requests []request
	results := make(map[string]Result)
	seen := make(map[string]int)
	for i := range answers {
		for place, asked := range answers[i].Asked {
			if at, again := seen[asked.ID]; again && asked.ID != "" {
				requests[at].Arguments = requests[at].Arguments.Or(asked.Arguments)
				continue
			}
			seen[asked.ID] = len(requests)
			requests = append(requests, request{asked, answers[i].Span, place, answers[i].Sole})
		}
		for _, result := range answers[i].Results {
			if result.ID != "" {
				results[result.ID] = result
			}
		}
	}
	return requests, results
}

// record is the call itself, where no tool span tells of it. It began when the model had answered.
func (q *request) record() record {
	r := record{
		id: q.by.ID, parent: q.by.Parent, start: q.by.End, end: q.by.End,
		name: q.Name, callID: q.ID, rank: rankOf(q.place),
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
		r.name, r.doubts.Folded = asked.Name, false
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
func (r *record) result(results map[string]Result) {
	result, ok := results[r.callID]
	if !ok || r.callID == "" {
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

// matching pairs the tool spans of a run with what models asked for.
type matching struct {
	calls    []record
	requests []request
	asked    []int // by call: its request, or none
	made     []int // by request: its call, or none
}

func (m *matching) match() {
	for i := range m.asked {
		m.asked[i] = none
	}
	for i := range m.made {
		m.made[i] = none
	}
	m.pair(func(r *record) string { return r.callID }, func(q *request) string { return q.ID }, nil)
	byName := func(r *record) string { return folded(r.name) }
	asName := func(q *request) string { return folded(q.Name) }
	m.pair(byName, asName, sameArguments)
	m.pair(byName, asName, unknownArguments)
}

// pair takes calls and requests with the same key for the same, in order, where alike allows it.
func (m *matching) pair(of func(*record) string, as func(*request) string, alike func(*record, *request) bool) {
	waiting := make(map[string][]int)
	for i := range m.requests {
		if key := as(&m.requests[i]); m.made[i] == none && key != "" {
			waiting[key] = append(waiting[key], i)
		}
	}
	for i := range m.calls {
		key := of(&m.calls[i])
		if m.asked[i] != none || key == "" {
			continue
		}
		candidates := waiting[key]
		at := slices.IndexFunc(candidates[:min(len(candidates), maxCandidates)], func(q int) bool {
			return alike == nil || alike(&m.calls[i], &m.requests[q])
		})
		if at < 0 {
			continue
		}
		q := candidates[at]
		m.asked[i], m.made[q] = q, i
		waiting[key] = slices.Delete(slices.Clone(candidates), at, at+1)
	}
}

// maxCandidates bounds how many requests a call is compared with.
const maxCandidates = 64

// sameArguments compares by value. Different call ids tell calls apart whatever their arguments.
func sameArguments(r *record, q *request) bool {
	if different(r, q) {
		return false
	}
	a, known := r.arguments().Value()
	b, asked := q.Arguments.Value()
	if !known || !asked {
		return false
	}
	if r.doubts.Bare {
		return isOnlyMember(a, b)
	}
	return scoring.Equal(a, b)
}

// unknownArguments reports whether one of the two does not tell its arguments.
func unknownArguments(r *record, q *request) bool {
	return !different(r, q) && (!r.arguments().Captured() || !q.Arguments.Captured() || r.doubts.Bare)
}

func different(r *record, q *request) bool { return r.callID != "" && q.ID != "" && r.callID != q.ID }

// isOnlyMember reports whether bare is the value of the only member of object. Text stands for any value.
func isOnlyMember(bare, object scoring.Value) bool {
	if object.Kind() != scoring.Object || object.Len() != 1 {
		return false
	}
	for _, member := range object.Members() {
		if scoring.Equal(bare, member) {
			return true
		}
		return bare.Kind() == scoring.String && member.Kind() == scoring.Number && bare.Text() == member.Lexeme()
	}
	return false
}

// folded is a name without case and separators.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
