package copies

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// sameValue reports whether two values are equal. Entries of maps have no order, except those of one key. It stops at the first
// difference, and takes as long as sorting the smaller value. [pcommon.Value.Equal] looks for each key in the whole other map.
func sameValue(a, b pcommon.Value, w *compare.Work) bool {
	*w++
	if a.Type() != b.Type() {
		return false
	}
	switch a.Type() {
	case pcommon.ValueTypeMap:
		return sameMap(a.Map(), b.Map(), w)
	case pcommon.ValueTypeSlice:
		x, y := a.Slice(), b.Slice()
		if x.Len() != y.Len() {
			return false
		}
		for i := range x.Len() {
			if !sameValue(x.At(i), y.At(i), w) {
				return false
			}
		}
		return true
	case pcommon.ValueTypeStr:
		if len(a.Str()) == len(b.Str()) {
			w.Read(len(a.Str()))
		}
	case pcommon.ValueTypeBytes:
		if a.Bytes().Len() == b.Bytes().Len() {
			w.Read(a.Bytes().Len())
		}
	}
	return a.Equal(b)
}

func sameMap(a, b pcommon.Map, w *compare.Work) bool {
	if a.Len() != b.Len() {
		return false
	}
	x, y := byKey(a), byKey(b)
	*w += compare.Work(len(x) + len(y))
	for i := range x {
		if x[i].key != y[i].key || !sameValue(x[i].value, y[i].value, w) {
			return false
		}
	}
	return true
}

type entry struct {
	key   string
	value pcommon.Value
}

func byKey(m pcommon.Map) []entry {
	entries := make([]entry, 0, m.Len())
	for key, value := range m.All() {
		entries = append(entries, entry{key, value})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return entries
}
