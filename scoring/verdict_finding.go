package scoring

import "slices"

// FindingKind is what is wrong, in the order in which a person would mend it.
type FindingKind uint8

const (
	ForbiddenCall  FindingKind = iota // a call that must not be
	MissingCall                       // an expected tool that nobody called
	WrongArguments                    // it was called, with other arguments
	WrongOutput                       // it was called, and returned something else
	WrongType                         // it was called as a tool of another type
	OutOfOrder                        // it was called, but not where it was expected
	RepeatedCall                      // it was called again just the same, which the method does not count
	OverLimit                         // it was called more often than its count allows
	UnexpectedCall                    // a call that no expected tool stands for
)

// A Finding is one fact that an alignment shows.
type Finding struct {
	Kind FindingKind
	// Name is that of the call or, where there is none, of the expected tool.
	Name string
	// Count is how many calls, or expected tools, it is true of.
	Count int
	// Made and Limit are, of OverLimit, how many calls of the tool there are and how many there may be.
	Made, Limit int
	// Differences are the first that there are between what was expected and what was called.
	Differences []Difference
}

const (
	// maxDetails is how many unmatched tools are compared with the calls that are left over, and maxRivals with how
	// many each. Nobody reads more, and hostile input must not make the explanation dearer than the score.
	maxDetails = 64
	maxRivals  = 8
	// maxNames is how many names of calls left over are asked whether they fit a tool with a * or alternatives.
	maxNames = 256
)

// Findings are the facts behind the score, what should be mended first in front. Where all is well there are none.
func (v Verdict) Findings() []Finding {
	f := newFindingBuilder(v.Alignment)
	defer f.release()
	f.find()
	return append([]Finding(nil), f.found...)
}

// add counts a finding without details together with those that say the same.
func (f *findingBuilder) add(kind FindingKind, name string) {
	key := findingKey{kind, name}
	if i, ok := f.at[key]; ok {
		f.found[i].Count++
		return
	}
	f.at[key] = len(f.found)
	f.found = append(f.found, Finding{Kind: kind, Name: name, Count: 1})
}

func (f *findingBuilder) forbidden() {
	for _, j := range f.a.Forbidden {
		f.add(ForbiddenCall, f.a.Called[j].Name)
	}
}

// pairs finds those in which not everything agrees.
func (f *findingBuilder) pairs() {
	for _, p := range f.a.Pairs {
		if p.Credit >= 1 {
			continue
		}
		kind, differences := WrongArguments, []Difference(nil)
		if f.detail() {
			kind, differences = f.a.compare(p.Expected, p.Called)
		}
		if kind != WrongOutput {
			// A method that gave less than full credit did not find the arguments alike, whatever we think.
			kind = WrongArguments
		}
		f.found = append(f.found, Finding{Kind: kind, Name: f.a.Called[p.Called].Name, Count: 1, Differences: differences})
	}
}

// detail reports whether one more comparison is worth it.
func (f *findingBuilder) detail() bool {
	f.details++
	return f.details <= maxDetails
}

// unmatched explains the expected tools in no pair.
func (f *findingBuilder) unmatched() {
	next := 0
	for i, t := range f.a.Expected {
		if next < len(f.a.Pairs) && f.a.Pairs[next].Expected == i {
			next++
			continue
		}
		f.unmatchedTool(i, t)
	}
}

func (f *findingBuilder) unmatchedTool(i int, t *Tool) {
	call, kind, differences := f.instead(i, t)
	switch {
	case call < 0:
		f.add(MissingCall, t.label())
	case len(differences) == 0:
		f.add(kind, f.a.Called[call].Name)
	default:
		f.found = append(f.found, Finding{Kind: kind, Name: f.a.Called[call].Name, Count: 1, Differences: differences})
	}
}

// instead takes the call that most likely was meant to be expected tool i, which is in no pair, and says what keeps them
// apart. call is -1 where there is none.
func (f *findingBuilder) instead(i int, t *Tool) (call int, kind FindingKind, differences []Difference) {
	detailed := f.detail()
	rivals := f.rivals(t, detailed)
	switch {
	case len(rivals) == 0:
		return -1, MissingCall, nil
	case detailed:
		call, kind, differences = f.closest(i, rivals)
	default:
		call, kind = rivals[0], f.a.presumably(i, rivals[0])
	}
	f.take(call, kind)
	return call, kind, differences
}

// presumably is what most likely keeps an expected tool and a call of its name apart.
func (a *Alignment) presumably(expected, called int) FindingKind {
	switch {
	case a.Ordered && !a.inPlace(expected, called):
		return OutOfOrder
	case a.ComparesArguments:
		return WrongArguments
	case a.ComparesOutput:
		return WrongOutput
	case a.ComparesType:
		return WrongType
	case a.Ordered:
		return OutOfOrder
	}
	return RepeatedCall
}

// inPlace reports whether a call stands at the position of an expected tool, and no pair is in the way.
func (a *Alignment) inPlace(expected, called int) bool {
	next, _ := slices.BinarySearchFunc(a.Pairs, expected, func(p Pair, e int) int { return p.Expected - e })
	return expected == called && (next == 0 || a.Pairs[next-1].Called < called) &&
		(next == len(a.Pairs) || a.Pairs[next].Called > called)
}

// closest is the rival that differs least from expected tool i, and how. Which call was meant nobody can know; the
// one with the fewest differences makes the shortest way to mend it.
func (f *findingBuilder) closest(i int, rivals []int) (best int, kind FindingKind, differences []Difference) {
	for n, j := range rivals {
		k, d := f.a.compare(i, j)
		if n == 0 || len(d) < len(differences) {
			best, kind, differences = j, k, d
		}
	}
	if len(differences) == 0 && (kind == RepeatedCall && !f.repeats(best) || kind == OutOfOrder) {
		// Nothing that we can see keeps them apart, but the method has its own idea of what is equal.
		kind = f.a.presumably(i, best)
	}
	return best, kind, differences
}

// repeats reports whether a paired call is just the same. It looks at the first that are paired under the name.
func (f *findingBuilder) repeats(call int) bool {
	c := &f.a.Called[call]
	looked := 0
	for _, p := range f.a.Pairs {
		other := &f.a.Called[p.Called]
		if other.Name != c.Name {
			continue
		}
		if len(differences(ArgumentsExact, c.Arguments, other.Arguments)) == 0 {
			return true
		}
		if looked++; looked == maxRivals {
			break
		}
	}
	return false
}

// unexpected finds the calls that are still not explained.
func (f *findingBuilder) unexpected() {
	f.overLimit()
	for j := range f.a.Called {
		if f.taken[j] == CallUnexpected {
			f.add(UnexpectedCall, f.a.Called[j].Name)
		}
	}
}
