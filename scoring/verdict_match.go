package scoring

// A Match is an expected tool with the call that was matched with it, or one of the two alone.
type Match struct {
	// Expected is an index into the alignment's Expected. It is -1 if the call matches no expected tool.
	Expected int
	// Called is an index into the alignment's Called. It is -1 if the expected tool was not called.
	Called int
	// Class is what became of the call. If there is no call it means nothing, except that [CallUncertain] says that the
	// telemetry does not show whether there is one.
	Class CallClass
	// Credit is how much of the call agreed with the expected tool, from 0 to 1. It is 0 if they are no pair.
	Credit float64
	// Differences are the first between what was expected and what was called, of the first expected tools.
	Differences []Difference
}

// Matches lists the expected tools in their order, each with its call. That is the paired call, or the call that the reason
// names as the wrong one. All other calls follow in their order. If the run is not scored, the list is empty.
//
//   - Each index into Expected stands in one match, and each into Called.
//   - Classes are those of [Verdict.OfCalls].
//   - If the pairs are a guess (see [Alignment]), no expected tool has a call.
func (v Verdict) Matches() []Match {
	if v.Status != Scored {
		return nil
	}
	f := newFindingBuilder(v.Alignment)
	defer f.release()
	f.takePaired()
	matches := make([]Match, len(f.a.Expected), max(len(f.a.Expected), len(f.a.Called)))
	for i := range matches {
		matches[i] = Match{Expected: i, Called: -1}
		if f.a.Guessed {
			matches[i].Class = CallUncertain
		}
	}
	if !f.a.Guessed {
		f.match(matches)
	}
	return f.unlisted(matches)
}

// match finds the calls of expected tools: pairs first, because the reason looks closely at those first.
func (f *findingBuilder) match(matches []Match) {
	paired := make([]bool, len(matches))
	for _, p := range f.a.Pairs {
		matches[p.Expected], paired[p.Expected] = f.paired(p), true
	}
	for i, t := range f.a.Expected {
		if paired[i] {
			continue
		}
		m := &matches[i]
		if m.Called, _, m.Differences = f.instead(i, t); m.Called >= 0 {
			m.Class = f.taken[m.Called]
		}
	}
}

// paired is the match of a pair.
func (f *findingBuilder) paired(p Pair) Match {
	m := Match{Expected: p.Expected, Called: p.Called, Class: classOf(p.Credit), Credit: p.Credit}
	if p.Credit < 1 && f.detail() {
		_, m.Differences = f.a.compare(p.Expected, p.Called)
	}
	return m
}

// unlisted adds the calls that stand in no match yet.
func (f *findingBuilder) unlisted(matches []Match) []Match {
	listed := make([]bool, len(f.a.Called))
	for _, m := range matches {
		if m.Called >= 0 {
			listed[m.Called] = true
		}
	}
	for j, class := range f.taken {
		if listed[j] {
			continue
		}
		if f.a.Guessed && class != CallForbidden {
			class = CallUncertain
		}
		matches = append(matches, Match{Expected: -1, Called: j, Class: class})
	}
	return matches
}
