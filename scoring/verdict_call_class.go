package scoring

// CallClass is what became of one call.
type CallClass uint8

const (
	CallUnexpected    CallClass = iota // it matches no expected tool
	CallMatched                        // it was matched with an expected tool, with full credit
	CallPartlyMatched                  // it was matched with one, with a part of the credit
	CallMismatched                     // an expected tool of its name is missing, and has other arguments, another output, type or condition
	CallOutOfOrder                     // an expected tool of its name is missing, at another position
	CallForbidden                      // its tool is forbidden
	CallRepeated                       // it repeats another call, and did not count
	CallUncertain                      // the telemetry does not show it
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
	// Credit is how much of the call agreed with the expected tool that it was matched with, from 0 to 1.
	Credit float64
}

// OfCalls returns the class of each call of the run, in order. It is nil if the run is not scored.
//
//   - It agrees with [Verdict.Reason]. A call is mismatched or out of order if the reason names it in place of an expected
//     tool. The reason names at most one call for each expected tool.
//   - Credit is positive for calls that are matched or partly matched, and for no others.
//   - If the pairs are a guess (see [Alignment]), all calls but the forbidden ones are uncertain.
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
