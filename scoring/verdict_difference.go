package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/valuediff"

// A Difference is one place at which two values differ.
type Difference struct {
	// Path leads to the place: "currency", "lines[0].sku". It is empty for the value as a whole.
	Path string
	// Expected and Called are the two values at the path. Missing: the call has none. Extra: the expectation has none.
	Expected, Called Value
	Missing, Extra   bool

	// If only the call has the key, under is the path of its object. alike is the number of such keys in that object; the
	// first difference of an object has it, the others have 0.
	under string
	alike int
}

// maxDifferences bounds the differences of one call.
const maxDifferences = 8

// compare finds the differences between expected tool i and call j, which has its name.
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

// outputDifferences returns the first differences between the expected and the returned output, if they do not agree.
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
	if expected.Agrees(&called, a.Output.equal()) {
		return nil
	}
	return differences(mode, t.Output, c.Output)
}

// differences returns the first differences between two payloads that count in a mode.
func differences(m ArgumentMode, expected, called Payload) []Difference {
	if m == ArgumentsIgnore || expected == called {
		return nil
	}
	rule := valuediff.Rule{
		IgnoreExtra:   m == ArgumentsSubset || m == ArgumentsFuzzy,
		IgnoreMissing: m == ArgumentsSuperset,
	}
	e, _ := expected.Value()
	c, _ := called.Value()
	var found []Difference
	valuediff.Walk(orEmptyObject(e), orEmptyObject(c), rule, maxDifferences, func(d valuediff.Difference) {
		found = append(found, Difference{
			Path: d.Path, Expected: d.Expected, Called: d.Called, Missing: d.Missing, Extra: d.Extra, under: d.Under, alike: d.Alike,
		})
	})
	return found
}
