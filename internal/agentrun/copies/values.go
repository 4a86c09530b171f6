package copies

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// MaxRead bounds how many attributes, entries of maps and elements of lists are read to compare copies that differ. An honest
// span has a few thousand at most.
const MaxRead = 1 << 17

// A reading compares values, until it has read [MaxRead] of them.
type reading struct {
	left int
	work *compare.Work
}

// read notes that n values are read next. It is false if they are too many.
func (r *reading) read(n int) bool {
	if r.left < n {
		r.left = 0
		return false
	}
	r.left -= n
	*r.work += compare.Work(n)
	return true
}

// same reports whether two values are equal, as far as they may be read. Entries of maps have no order, except those of one
// key. It stops at the first difference. [pcommon.Value.Equal] looks for each key in the whole other map.
func (r *reading) same(a, b pcommon.Value) bool {
	if a.Type() != b.Type() || !r.read(1) {
		return false
	}
	switch a.Type() {
	case pcommon.ValueTypeMap:
		return r.sameMap(a.Map(), b.Map())
	case pcommon.ValueTypeSlice:
		x, y := a.Slice(), b.Slice()
		if x.Len() != y.Len() {
			return false
		}
		for i := range x.Len() {
			if !r.same(x.At(i), y.At(i)) {
				return false
			}
		}
		return true
	case pcommon.ValueTypeStr:
		if len(a.Str()) == len(b.Str()) {
			r.work.Read(len(a.Str()))
		}
	case pcommon.ValueTypeBytes:
		if a.Bytes().Len() == b.Bytes().Len() {
			r.work.Read(a.Bytes().Len())
		}
	}
	return a.Equal(b)
}

// sameMap reads entries in their order as long as the keys are equal. It finds the others by their keys.
func (r *reading) sameMap(a, b pcommon.Map) bool {
	if a.Len() != b.Len() || !r.read(b.Len()) {
		return false
	}
	others := entriesOf(b)
	var at map[string]int
	i := 0
	for key, value := range a.All() {
		other := i
		if at == nil && others[i].key != key {
			if !r.read(len(others) - i) {
				return false
			}
			at = byKey(others, i)
		}
		if at != nil {
			other = at[key] - 1
			if other < 0 {
				return false
			}
			at[key] = others[other].next
		}
		if !r.same(value, others[other].value) {
			return false
		}
		i++
	}
	return true
}

// An entry of a map has the place of the next entry with its key, from 1, or 0.
type entry struct {
	key   string
	value pcommon.Value
	next  int
}

func entriesOf(m pcommon.Map) []entry {
	entries := make([]entry, 0, m.Len())
	for key, value := range m.All() {
		entries = append(entries, entry{key: key, value: value})
	}
	return entries
}

// byKey returns the place of the first entry of each key, from 1, and links the others to it. It leaves out the entries before
// begin.
func byKey(entries []entry, begin int) map[string]int {
	first := make(map[string]int, len(entries)-begin)
	for i := len(entries) - 1; i >= begin; i-- {
		e := &entries[i]
		e.next = first[e.key]
		first[e.key] = i + 1
	}
	return first
}
