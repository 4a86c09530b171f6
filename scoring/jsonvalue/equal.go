package jsonvalue

// Equal is the native method's equality.
//
//   - Numbers compare by their exact mathematical value: 1, 1.0 and 10e-1 are equal, and so are 0 and -0. 9007199254740993
//     and 9007199254740992.0 are not.
//   - Text compares by code point, without normalisation. true is not 1, and "1" is not 1.
//   - Arrays compare in order, objects irrespective of it.
func Equal(a, b Value) bool {
	if a.doc == nil || b.doc == nil {
		return a.Kind() == b.Kind()
	}
	x, y := a.node(), b.node()
	if x.kind != y.kind {
		return false
	}
	switch x.kind {
	case Bool:
		return a.Bool() == b.Bool()
	case Number:
		return equalNumbers(a.doc.raw(x), b.doc.raw(y))
	case String:
		return sameText(a.doc.textOf(x), b.doc.textOf(y))
	case Array:
		return x.count() == y.count() && SameElements(a, b, Equal)
	case Object:
		return x.count() == y.count() && MembersWithin(a, b, Equal)
	}
	return true
}

// SameElements reports whether the elements of two arrays of the same length are equal in order.
func SameElements(a, b Value, equal func(a, b Value) bool) bool {
	y := b.at + 1
	for x, end := a.at+1, a.node().next; x < end; x = a.doc.nodes[x].next {
		if !equal(Value{a.doc, x}, Value{b.doc, y}) {
			return false
		}
		y = b.doc.nodes[y].next
	}
	return true
}

// MembersWithin reports whether all members of the object a are in the object b, and equal there.
func MembersWithin(a, b Value, equal func(a, b Value) bool) bool {
	in := NewLookup(b)
	for m, ok := a.FirstMember(); ok; m, ok = m.Next() {
		v, found := in.Find(m)
		if !found || !equal(m.Value(), v) {
			return false
		}
	}
	return true
}
