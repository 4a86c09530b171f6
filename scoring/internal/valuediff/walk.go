package valuediff

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"

// A Difference is one place at which two values differ.
type Difference struct {
	// Path leads to the place: "currency", "lines[0].sku". It is empty for the value as a whole.
	Path string
	// Expected and Called are the two values at the path. Missing: the called value has none. Extra: the expected value has
	// none.
	Expected, Called jsonvalue.Value
	Missing, Extra   bool
	// If only the called value has the key, Under is the path of its object. Alike, in the first difference of an object, is
	// the number of such keys there; the others have 0.
	Under string
	Alike int
}

// A Rule says which keys of objects do not count: those that only the called value has (IgnoreExtra), or those that it lacks
// (IgnoreMissing).
type Rule struct{ IgnoreExtra, IgnoreMissing bool }

// Walk calls found for the first differences. most bounds their number.
func Walk(expected, called jsonvalue.Value, rule Rule, most int, found func(Difference)) {
	w := walker{rule: rule, left: most, found: found}
	w.compare(expected, called)
}

// A walker walks two values side by side.
type walker struct {
	rule  Rule
	path  []byte
	left  int // how many more differences may be found
	found func(Difference)
}

// add reports a difference. left must not be 0.
func (w *walker) add(d Difference) {
	w.left--
	w.found(d)
}

func (w *walker) compare(e, c jsonvalue.Value) {
	switch {
	case w.left == 0:
	case e.Kind() == jsonvalue.Object && c.Kind() == jsonvalue.Object:
		w.objects(e, c)
	case e.Kind() == jsonvalue.Array && c.Kind() == jsonvalue.Array && e.Len() == c.Len():
		w.arrays(e, c)
	case !jsonvalue.Equal(e, c):
		w.add(Difference{Path: string(w.path), Expected: e, Called: c})
	}
}

func (w *walker) objects(e, c jsonvalue.Value) {
	s := jsonvalue.NewLookup(c)
	extra := c.Len()
	for m, ok := e.FirstMember(); ok; m, ok = m.Next() {
		v, found := s.Find(m)
		if found {
			extra--
		} else if w.rule.IgnoreMissing {
			continue
		}
		at := w.enter(m.Name())
		if found {
			w.compare(m.Value(), v)
		} else if w.left > 0 {
			w.add(Difference{Path: string(w.path), Expected: m.Value(), Missing: true})
		}
		w.leave(at)
	}
	if !w.rule.IgnoreExtra {
		w.extraKeys(e, c, extra)
	}
}

// extraKeys adds differences for the first keys that only the called value has. extra is how many there are.
func (w *walker) extraKeys(e, c jsonvalue.Value, extra int) {
	s := jsonvalue.NewLookup(e)
	alike := extra
	for m, ok := c.FirstMember(); ok && extra > 0 && w.left > 0; m, ok = m.Next() {
		if _, found := s.Find(m); found {
			continue
		}
		under := string(w.path)
		at := w.enter(m.Name())
		w.add(Difference{Path: string(w.path), Called: m.Value(), Extra: true, Under: under, Alike: alike})
		w.leave(at)
		alike = 0
	}
}

// arrays compares elements for full equality, under any rule.
func (w *walker) arrays(e, c jsonvalue.Value) {
	rule := w.rule
	w.rule = Rule{}
	y, _ := c.FirstElement()
	i := 0
	for x := range e.Elements() {
		at := w.enterIndex(i)
		w.compare(x, y.Value())
		w.leave(at)
		y, _ = y.Next()
		i++
	}
	w.rule = rule
}
