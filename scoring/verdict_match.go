package scoring

// A Match is an expected tool with its call, or one of the two alone.
type Match struct {
	// Expected is an index into the alignment's Expected. It is -1 if the call matches no expected tool.
	Expected int
	// Called is an index into the alignment's Called. It is -1 if the expected tool was not called.
	Called int
	// Class is the class of the call. Without a call, it is [CallUncertain] if the telemetry does not show whether there is
	// one, and has no meaning otherwise.
	Class CallClass
	// Credit is how much of the call agreed with the expected tool, in [0, 1]. It is 0 if they are no pair.
	Credit float64
	// Differences holds the first differences. Only the first maxDetails tools without full credit have any.
	Differences []Difference
}

// Matches lists the expected tools in order, each with its paired call or the call that the reason names as the wrong one.
// All other calls follow in order. If the run is not scored, the list is empty.
//
//   - Each index into Expected is in exactly one match, and so is each index into Called.
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

// match finds the calls of expected tools: pairs first, because the reason compares those in detail first.
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

// paired returns the match of a pair.
func (f *findingBuilder) paired(p Pair) Match {
	m := Match{Expected: p.Expected, Called: p.Called, Class: classOf(p.Credit), Credit: p.Credit}
	if p.Credit < 1 && f.detail() {
		_, m.Differences = f.a.compare(p.Expected, p.Called)
	}
	return m
}

// unlisted adds the calls that are in no match yet.
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
