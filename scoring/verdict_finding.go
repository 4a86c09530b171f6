package scoring

import "slices"

// FindingKind is a kind of fault. The kinds are in the order in which a person would fix them.
type FindingKind uint8

const (
	ForbiddenCall  FindingKind = iota // a call of a forbidden tool
	MissingCall                       // an expected tool that was not called
	WrongArguments                    // it was called, with other arguments
	WrongOutput                       // it was called, and returned something else
	WrongType                         // it was called as a tool of another type
	UnmetCondition                    // it was called, and its condition did not hold
	OutOfOrder                        // it was called, but not where it was expected
	RepeatedCall                      // it was called again just the same, which the method does not count
	OverLimit                         // it was called more often than its count allows
	UnexpectedCall                    // a call that matches no expected tool
)

// A Finding is one fault that an alignment shows.
type Finding struct {
	Kind FindingKind
	// Name is the name of the call or, if there is none, of the expected tool.
	Name string
	// Count is the number of calls, or of expected tools, with this finding.
	Count int
	// Made and Limit are set for OverLimit only: the number of calls of the tool, and the number that its count allows.
	Made, Limit int
	// Differences are the first differences between the expected tool and the call, at most 8.
	Differences []Difference
}

const (
	// maxDetails bounds the unpaired tools that are compared with unpaired calls, and maxRivals the calls for each. A reason
	// has no room for more, and hostile input must not make a reason cost more than the score.
	maxDetails = 64
	maxRivals  = 8
	// maxNames bounds the names of unpaired calls that are tried against a tool with a * or alternatives.
	maxNames = 256
)

// Findings returns the faults behind the score, the one to fix first first. It is empty if nothing is wrong.
func (v Verdict) Findings() []Finding {
	f := newFindingBuilder(v.Alignment)
	defer f.release()
	f.find()
	return append([]Finding(nil), f.found...)
}

// add adds a finding without details, or counts it if there is an equal one.
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

// pairs adds a finding for each pair with less than full credit.
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
			// The method gave less than full credit, so it did not find the arguments alike, even if Equal does.
			kind = WrongArguments
		}
		f.found = append(f.found, Finding{Kind: kind, Name: f.a.Called[p.Called].Name, Count: 1, Differences: differences})
	}
}

// detail reports whether one more tool may be compared in detail, and counts it.
func (f *findingBuilder) detail() bool {
	f.details++
	return f.details <= maxDetails
}

// unmatched explains the unpaired expected tools.
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

// instead finds the unpaired call that was most likely meant as expected tool i, and their differences. call is -1 if there
// is none.
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

// presumably returns the most likely kind of difference between an expected tool and a call of its name, without comparing
// them.
func (a *Alignment) presumably(expected, called int) FindingKind {
	switch {
	case a.isUnmet(a.Expected[expected], called):
		return UnmetCondition
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

// inPlace reports whether a call is at the position of an expected tool, and no pair crosses the two.
func (a *Alignment) inPlace(expected, called int) bool {
	next, _ := slices.BinarySearchFunc(a.Pairs, expected, func(p Pair, e int) int { return p.Expected - e })
	return expected == called && (next == 0 || a.Pairs[next-1].Called < called) &&
		(next == len(a.Pairs) || a.Pairs[next].Called > called)
}

// closest returns the rival that differs least from expected tool i, and its differences. Nothing shows which call was meant,
// and this one needs the smallest fix.
func (f *findingBuilder) closest(i int, rivals []int) (best int, kind FindingKind, differences []Difference) {
	for n, j := range rivals {
		k, d := f.a.compare(i, j)
		if n == 0 || len(d) < len(differences) {
			best, kind, differences = j, k, d
		}
	}
	if len(differences) == 0 && (kind == RepeatedCall && !f.repeats(best) || kind == OutOfOrder) {
		// The values are equal by our rules. The method has its own rules and found them different.
		kind = f.a.presumably(i, best)
	}
	return best, kind, differences
}

// repeats reports whether a paired call has the same name and payloads as an unpaired one. It tries only the first paired
// calls of the name.
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

// unexpected adds findings for the calls that are still unexplained.
func (f *findingBuilder) unexpected() {
	f.overLimit()
	for j := range f.a.Called {
		if f.taken[j] == CallUnexpected {
			f.add(UnexpectedCall, f.a.Called[j].Name)
		}
	}
}
