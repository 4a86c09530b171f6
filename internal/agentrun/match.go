package agentrun

import (
	"slices"
	"strings"
	"unicode"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// matching pairs the tool spans of a run with what models asked for.
type matching struct {
	calls    []record
	requests []request
	asked    []int // by call: its request, or none
	made     []int // by request: its call, or none
	// given and wanted are the arguments of calls and requests, decoded when they are first compared.
	given, wanted []decoded
}

type decoded struct {
	value scoring.Value
	known bool
	done  bool
}

func (d *decoded) of(p scoring.Payload) (scoring.Value, bool) {
	if !d.done {
		d.done = true
		d.value, d.known = p.Value()
	}
	return d.value, d.known
}

func (m *matching) match() {
	for i := range m.asked {
		m.asked[i] = none
	}
	for i := range m.made {
		m.made[i] = none
	}
	m.given, m.wanted = make([]decoded, len(m.calls)), make([]decoded, len(m.requests))
	m.pair(func(r *record) string { return r.callID }, func(q *request) string { return q.ID }, m.sameID)
	byName := func(r *record) string { return folded(r.name.Value()) }
	asName := func(q *request) string { return folded(q.Name) }
	m.pair(byName, asName, m.sameArguments)
	m.pair(byName, asName, m.unknownArguments)
}

// pair takes calls and requests with the same key for the same, in order, where alike allows it.
func (m *matching) pair(of func(*record) string, as func(*request) string, alike func(call, request int) bool) {
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
			return alike(i, q)
		})
		if at < 0 {
			continue
		}
		q := candidates[at]
		m.asked[i], m.made[q] = q, i
		copy(candidates[1:at+1], candidates[:at]) // few stand before it, and many may stand behind
		waiting[key] = candidates[1:]
	}
}

// maxCandidates bounds how many spans or requests one is compared with.
const maxCandidates = 16

// sameID reports whether equal ids mean the same call.
func (m *matching) sameID(call, asked int) bool {
	r, q := &m.calls[call], &m.requests[asked]
	if Telling(r.callID) {
		return true
	}
	return folded(r.name.Value()) == folded(q.Name) && q.by.Start <= r.start &&
		(m.sameArguments(call, asked) || m.unknownArguments(call, asked))
}

// sameArguments compares by value. Different call ids tell calls apart whatever their arguments.
func (m *matching) sameArguments(call, asked int) bool {
	r, q := &m.calls[call], &m.requests[asked]
	if different(r, q) {
		return false
	}
	a, given := m.given[call].of(r.arguments())
	b, wanted := m.wanted[asked].of(q.Arguments)
	if !given || !wanted {
		return false
	}
	if r.doubts.Bare {
		return isOnlyMember(a, b)
	}
	return scoring.Equal(a, b)
}

// unknownArguments reports whether one of the two does not tell its arguments.
func (m *matching) unknownArguments(call, asked int) bool {
	r, q := &m.calls[call], &m.requests[asked]
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
