package main

import (
	"fmt"
	"strconv"
	"time"
)

// A fleetTally counts the outcomes of acknowledged spans.
type fleetTally struct {
	acked, lost int // acknowledged spans, and those of them that came to no sink
	copies      int // further copies of spans at the sinks

	runs       int // anchors of traces that were acknowledged completely
	underWay   int // those that were under way when the fleet changed
	once       int // one verdict, which is known beforehand
	twice      int // several verdicts
	incomplete int // complete is false
	torn       int // complete is true, the verdict is another one, and the run was under way when the fleet changed
	wrong      int // the same on any other run
	unjudged   int // no verdict
	busiest    float64
	examples   []string
}

// countFleet compares what was sent with what came. A run counts as under way if it was so within margin of a change.
func countFleet(s *sent, a arrivals, faults []fault, margin time.Duration) fleetTally {
	t := fleetTally{acked: len(s.acked)}
	for _, times := range a.times {
		t.copies += times - 1
	}
	for id := range s.acked {
		if a.times[id] == 0 {
			t.lost++
		}
	}
	around := make([]fault, len(faults))
	for i, f := range faults {
		around[i] = fault{f.from.Add(-margin), f.to.Add(margin)}
	}
	for _, r := range s.runs {
		if r.acked.IsZero() {
			continue
		}
		for _, anchor := range r.anchors {
			t.judge(anchor, a.verdicts[anchor.id], r.isCut(around))
		}
	}
	return t
}

// judge puts a run into one class. Several verdicts are counted besides.
func (t *fleetTally) judge(a anchor, came []verdict, underWay bool) {
	t.runs++
	if underWay {
		t.underWay++
	}
	if len(came) > 1 {
		t.twice++
	}
	complete, honest := true, true
	for _, v := range came {
		complete = complete && v.complete
		honest = honest && (v == a.want || !v.complete)
	}
	switch {
	case len(came) == 0:
		t.unjudged++
		t.example(a, came)
	case honest && !complete:
		t.incomplete++
	case honest && len(came) == 1:
		t.once++
	case honest: // twice, and the same each time
	case underWay:
		t.torn++
	default:
		t.wrong++
		t.example(a, came)
	}
}

func (t *fleetTally) example(a anchor, came []verdict) {
	if len(t.examples) < 3 {
		t.examples = append(t.examples, fmt.Sprintf("the anchor %s of trace %s: wanted %v; came %v", a.id.span, a.id.trace, a.want, came))
	}
}

// brokenFleet compares a tally with its case's promise.
func brokenFleet(p fleetPromise, t fleetTally, s *sent) (found []string) {
	for _, c := range []struct {
		kept bool
		text string
		n    int
	}{
		{t.runs > 0, "runs were acknowledged", t.runs},
		{s.pending == 0, "requests were not accepted in the end", s.pending},
		{s.givenUp == 0, "requests were answered so that senders drop their spans", s.givenUp},
		{t.lost == 0 || p.loses, "acknowledged spans are lost", t.lost},
		{t.unjudged == 0 || p.loses || p.anywhere, "runs were not judged", t.unjudged},
		{t.twice == 0 || p.twice, "runs were judged twice", t.twice},
		{t.incomplete == 0 || p.incomplete, "verdicts are incomplete", t.incomplete},
		{t.torn == 0 || p.torn || p.anywhere, "verdicts are wrong around the change", t.torn},
		{t.wrong == 0 || p.anywhere, "verdicts are wrong elsewhere", t.wrong},
	} {
		if !c.kept {
			found = append(found, strconv.Itoa(c.n)+" "+c.text)
		}
	}
	return found
}
