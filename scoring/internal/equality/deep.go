package equality

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"

// A Leaf compares two values that are not both arrays and not both objects.
type Leaf func(a, b jsonvalue.Value) bool

// Deep compares arrays element by element, objects irrespective of key order, and all else with leaf.
func Deep(a, b jsonvalue.Value, leaf Leaf) bool {
	k := a.Kind()
	if k != b.Kind() || k != jsonvalue.Array && k != jsonvalue.Object {
		return leaf(a, b)
	}
	if a.Len() != b.Len() {
		return false
	}
	if k == jsonvalue.Array {
		return deepArrays(a, b, leaf)
	}
	in := jsonvalue.NewLookup(b)
	for m, ok := a.FirstMember(); ok; m, ok = m.Next() {
		v, found := in.Find(m)
		if !found || !Deep(m.Value(), v, leaf) {
			return false
		}
	}
	return true
}

// deepArrays compares arrays of the same length.
func deepArrays(a, b jsonvalue.Value, leaf Leaf) bool {
	x, more := a.FirstElement()
	y, _ := b.FirstElement()
	for more {
		if !Deep(x.Value(), y.Value(), leaf) {
			return false
		}
		x, more = x.Next()
		y, _ = y.Next()
	}
	return true
}
