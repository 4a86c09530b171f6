package likeness

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/equality"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// DeepEval adds up 1/U for each key with equal values, where U is the number of distinct keys of both sides. Two objects
// under one key add their own share of 1/U. {} and {} share nothing. leaf compares values that are neither arrays nor
// objects.
//
// It also reports whether the objects are equal, so that nested objects are walked only once.
func DeepEval(e, c jsonvalue.Value, leaf equality.Leaf) (share float64, equal bool) {
	common := commonKeys(e, c)
	union := float64(e.Len() + c.Len() - common)
	equal = common == e.Len() && common == c.Len()
	in := jsonvalue.NewLookup(c)
	for m, ok := e.FirstMember(); ok; m, ok = m.Next() {
		v, found := in.Find(m)
		if !found {
			continue
		}
		part, same := deepEvalValues(m.Value(), v, leaf)
		equal = equal && same
		share += part / union
	}
	return share, equal
}

// deepEvalValues returns what two values have in common: 1, 0, or the share of two objects.
func deepEvalValues(e, c jsonvalue.Value, leaf equality.Leaf) (share float64, equal bool) {
	if e.Kind() == jsonvalue.Object && c.Kind() == jsonvalue.Object {
		if share, equal = DeepEval(e, c, leaf); !equal {
			return share, false
		}
		return 1, true
	}
	if equality.Deep(e, c, leaf) {
		return 1, true
	}
	return 0, false
}

// commonKeys counts the keys that both objects have.
func commonKeys(a, b jsonvalue.Value) int {
	common, in := 0, jsonvalue.NewLookup(b)
	for m, ok := a.FirstMember(); ok; m, ok = m.Next() {
		if _, found := in.Find(m); found {
			common++
		}
	}
	return common
}
