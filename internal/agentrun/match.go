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
	// ran and named are the keys of the tools' names of calls and requests, each folded once.
	ran, named []string
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
	m.ran, m.named = make([]string, len(m.calls)), make([]string, len(m.requests))
	for i := range m.calls {
		m.ran[i] = toolKey(m.calls[i].name.Value())
	}
	for i := range m.requests {
		m.named[i] = toolKey(m.requests[i].Name)
	}
	m.pair(func(i int) string { return m.calls[i].callID }, func(i int) string { return m.requests[i].ID }, m.sameID)
	byName, asName := func(int) string { return "" }, func(int) string { return "" }
	m.pair(byName, asName, m.sameArguments)
	m.pair(byName, asName, m.unknownArguments)
}

// pair takes calls and requests of one tool with the same id for the same, in order, where alike allows it.
func (m *matching) pair(of, as func(int) string, alike func(call, request int) bool) {
	waiting := make(map[callName][]int)
	for i := range m.requests {
		if m.made[i] == none && m.named[i] != "" {
			key := callName{as(i), m.named[i]}
			waiting[key] = append(waiting[key], i)
		}
	}
	for i := range m.calls {
		if m.asked[i] != none || m.ran[i] == "" {
			continue
		}
		key := callName{of(i), m.ran[i]}
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

// sameID reports whether equal ids of one tool mean the same call.
func (m *matching) sameID(call, asked int) bool {
	r, q := &m.calls[call], &m.requests[asked]
	if r.callID == "" {
		return false
	}
	return Telling(r.callID) || q.by.Start <= r.start &&
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
