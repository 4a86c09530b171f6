package scoring

// CallClass is the result for one call.
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

// A CallVerdict is the part of a verdict that concerns one call of the run.
type CallVerdict struct {
	Class CallClass
	// Credit is how much of the call agreed with its expected tool, in [0, 1]. It is 0 if the call was not matched.
	Credit float64
}

// OfCalls returns the class of each call of the run, in order. It is nil if the run is not scored.
//
//   - It agrees with [Verdict.Reason]. A call is mismatched or out of order if the reason names it in place of an expected
//     tool. The reason names at most one call for each expected tool.
//   - Credit is positive if and only if the call is matched or partly matched.
//   - If the pairs are a guess (see [Alignment]), all calls except the forbidden ones are uncertain.
func (v Verdict) OfCalls() []CallVerdict {
	if v.Status != Scored {
		return nil
	}
	f := newFindingBuilder(v.Alignment)
	defer f.release()
	f.takePaired()
	f.pairs() // first, as in the reason: it uses up details
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

// classOf returns the class of a paired call.
func classOf(credit float64) CallClass {
	if credit >= 1 {
		return CallMatched
	}
	return CallPartlyMatched
}

// class returns the class of a call that a finding has explained.
func (k FindingKind) class() CallClass {
	switch k {
	case OutOfOrder:
		return CallOutOfOrder
	case RepeatedCall:
		return CallRepeated
	}
	return CallMismatched
}
