package scoring

// CallClass is what became of one call.
type CallClass uint8

const (
	CallUnexpected    CallClass = iota // no expected tool stands for it
	CallMatched                        // it was taken for an expected tool, with full credit
	CallPartlyMatched                  // it was taken for one, with a part of the credit
	CallMismatched                     // an expected tool of its name was left over, with other arguments, another output or type
	CallOutOfOrder                     // likewise, but not where it was expected
	CallForbidden                      // it must not be
	CallRepeated                       // it repeats another call, and did not count
	CallUncertain                      // the telemetry does not tell
)

// String returns the class as it is written on spans.
func (f CallClass) String() string {
	return [...]string{
		"unexpected", "matched", "partly_matched", "mismatched", "out_of_order", "forbidden", "repeated", "uncertain",
	}[f]
}

// A CallVerdict is what a verdict says of one call of the run.
type CallVerdict struct {
	Class CallClass
	// Credit is how much of the call agreed with the expected tool that it was taken for; 0 where it was taken for none.
	Credit float64
}

// OfCalls says of each call of the run, in order, what became of it. Where the run is not scored it says nothing.
//
//   - It says what [Verdict.Reason] says: a call is mismatched, or out of order, where the reason names it in place of an
//     expected tool, which is one call for each.
//   - Credit is positive for calls that are matched or partly matched, and for no others.
//   - Where pairs are a guess, it says no more than which calls are forbidden.
func (v Verdict) OfCalls() []CallVerdict {
	if v.Status != Scored {
		return nil
	}
	f := newFindingBuilder(v.Alignment)
	defer f.release()
	f.takePaired()
	f.pairs() // what they show is not shown twice
	f.unmatched()
	all := make([]CallVerdict, len(f.taken))
	for j, class := range f.taken {
		all[j].Class = class
		if f.a.Guessed && class != CallForbidden {
			all[j].Class = CallUncertain
		}
	}
	if f.a.Guessed {
		return all
	}
	for _, p := range f.a.Pairs {
		all[p.Called] = CallVerdict{classOf(p.Credit), p.Credit}
	}
	return all
}

// classOf is the class of a call in a pair.
func classOf(credit float64) CallClass {
	if credit >= 1 {
		return CallMatched
	}
	return CallPartlyMatched
}

// class is the class of a call which a finding has explained.
func (k FindingKind) class() CallClass {
	switch k {
	case OutOfOrder:
		return CallOutOfOrder
	case RepeatedCall:
		return CallRepeated
	}
	return CallMismatched
}
