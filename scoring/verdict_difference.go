package scoring

import (
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// A Difference is one place at which two values differ.
type Difference struct {
	// Path is the way there: "currency", "lines[0].sku"; empty for the value as a whole.
	Path string
	// Expected and Called are the two values at the path. Missing says that the call has none, Extra that the expectation
	// has none.
	Expected, Called Value
	Missing, Extra   bool

	// If only the call has the key, under is the path of its object. alike is the number of such keys in that object; the
	// first difference of an object has it, the others have 0.
	under string
	alike int
}

// maxDifferences is how many differences of one call are looked for.
const maxDifferences = 8

// compare says in what expected tool i and call j, which has its name, differ.
func (a *Alignment) compare(i, j int) (FindingKind, []Difference) {
	t, c := a.Expected[i], &a.Called[j]
	if a.ComparesArguments && !(t.Arguments == Payload{} && a.Arguments != ArgumentsUnset) {
		mode := a.Arguments
		if t.Match != ArgumentsUnset {
			mode = t.Match
		}
		expected, called := t.Arguments, c.Arguments
		if t.tolerant() {
			expected, called = t.tolerated(mode, c.Arguments)
		}
		if d := differences(mode, expected, called); len(d) > 0 {
			return WrongArguments, d
		}
	}
	if a.ComparesOutput && !(t.Output == Payload{} && a.Arguments != ArgumentsUnset) {
		if d := a.outputDifferences(t, c); len(d) > 0 {
			return WrongOutput, d
		}
	}
	switch {
	case a.isUnmet(t, j):
		return UnmetCondition, nil
	case a.ComparesType && t.Type != c.Type:
		return WrongType, nil
	case a.Ordered:
		return OutOfOrder, nil
	}
	return RepeatedCall, nil
}

// outputDifferences are the first between what was expected and what was returned, if the two do not agree.
func (a *Alignment) outputDifferences(t *Tool, c *Call) []Difference {
	mode := ArgumentsExact
	if a.Output == OutputSubset {
		mode = ArgumentsSubset
	}
	if t.Output == c.Output {
		return nil
	}
	e, _ := t.Output.Value()
	v, _ := c.Output.Value()
	expected, called := wantedOutput(t.Output, e), outputOf(c.Output, v)
	if expected.agrees(&called, a.Output.equal()) {
		return nil
	}
	return differences(mode, t.Output, c.Output)
}

// differences are the first between two payloads, as far as the mode cares.
func differences(m ArgumentMode, expected, called Payload) []Difference {
	if m == ArgumentsIgnore || expected == called {
		return nil
	}
	d := differ{
		ignoreExtra:   m == ArgumentsSubset || m == ArgumentsFuzzy,
		ignoreMissing: m == ArgumentsSuperset,
	}
	e, _ := expected.Value()
	c, _ := called.Value()
	d.compare(orEmptyObject(e), orEmptyObject(c))
	return d.found
}

// A differ walks two values side by side.
type differ struct {
	path                       []byte
	found                      []Difference
	ignoreExtra, ignoreMissing bool
}

func (d *differ) add(e, c Value, missing bool) {
	if len(d.found) < maxDifferences {
		d.found = append(d.found, Difference{Path: string(d.path), Expected: e, Called: c, Missing: missing})
	}
}

func (d *differ) compare(e, c Value) {
	switch {
	case len(d.found) == maxDifferences:
	case e.Kind() == Object && c.Kind() == Object:
		d.objects(e, c)
	case e.Kind() == Array && c.Kind() == Array && e.Len() == c.Len():
		d.arrays(e, c)
	case !Equal(e, c):
		d.add(e, c, false)
	}
}

// at runs do with a step added to the path.
func (d *differ) at(step []byte, do func()) {
	n := len(d.path)
	d.path = append(d.path, step...)
	do()
	d.path = d.path[:n]
}

func (d *differ) objects(e, c Value) {
	s := jsonvalue.NewLookup(c)
	extra := c.Len()
	for m, ok := e.FirstMember(); ok; m, ok = m.Next() {
		v, found := s.Find(m)
		if found {
			extra--
		} else if d.ignoreMissing {
			continue
		}
		d.at(d.key(m.Name()), func() {
			if found {
				d.compare(m.Value(), v)
			} else {
				d.add(m.Value(), Value{}, true)
			}
		})
	}
	if !d.ignoreExtra {
		d.extraKeys(e, c, extra)
	}
}

// extraKeys adds differences for keys that only the call has. There are extra such keys; the first of them are added.
func (d *differ) extraKeys(e, c Value, extra int) {
	s := jsonvalue.NewLookup(e)
	m, ok := c.FirstMember()
	for first := true; ok && extra > 0 && len(d.found) < maxDifferences; m, ok = m.Next() {
		if _, found := s.Find(m); found {
			continue
		}
		difference := Difference{Called: m.Value(), Extra: true, under: string(d.path)}
		if first {
			difference.alike, first = extra, false
		}
		d.at(d.key(m.Name()), func() { difference.Path = string(d.path) })
		d.found = append(d.found, difference)
	}
}

// arrays compares elements for full equality, as every mode does.
func (d *differ) arrays(e, c Value) {
	strict := differ{path: d.path, found: d.found}
	y, _ := c.FirstElement()
	i := 0
	for x := range e.Elements() {
		strict.at(strconv.AppendInt([]byte{'['}, int64(i), 10), func() {
			strict.path = append(strict.path, ']')
			strict.compare(x, y.Value())
		})
		y, _ = y.Next()
		i++
	}
	d.found = strict.found
}

// key is the step to a member: .name, or ["what is no name"].
func (d *differ) key(name string) []byte {
	if !plainKey(name) {
		return []byte(`["` + clean(name) + `"]`)
	}
	if len(d.path) == 0 {
		return []byte(name)
	}
	return []byte("." + name)
}

// plainKey reports whether a key reads well without quotes.
func plainKey(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return 0 < len(name) && len(name) <= 64
}
