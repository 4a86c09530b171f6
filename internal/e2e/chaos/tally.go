package main

import (
	"fmt"
	"time"
)

// A fault is a time in which the collector was away.
type fault struct{ from, to time.Time }

// A tally counts the outcomes of acknowledged spans.
type tally struct {
	acked      int // acknowledged spans
	exported   int // spans at the sink, each counted once
	duplicates int // further copies at the sink
	lost       int // acknowledged, and not at the sink
	unheld     int // those of them that were not held when the collector was killed

	runs     int // anchors of traces that were acknowledged completely
	right    int // with the verdict that is known beforehand
	partial  int // judged early, and said so: complete is false
	known    int // those of them with the verdict that is known beforehand in all else
	other    int // those of them that give another reason than that the collector began anew
	cut      int // any other verdict, and the collector was away in the middle of the trace
	unjudged int // no verdict
	wrong    int // any other verdict
	examples []string
}

// count compares what was sent with what arrived. hold is how long the processor holds an anchor at most.
func count(s *sent, a arrivals, faults []fault, hold time.Duration) tally {
	t := tally{acked: len(s.acked), exported: len(a.times)}
	for _, times := range a.times {
		t.duplicates += times - 1
	}
	heldable := s.heldable()
	for id, at := range s.acked {
		if a.times[id] > 0 {
			continue
		}
		t.lost++
		if _, ok := heldable[id]; !ok || !heldAt(at, faults, hold) {
			t.unheld++
		}
	}
	for _, r := range s.runs {
		if r.acked.IsZero() {
			continue
		}
		for _, anchor := range r.anchors {
			if a.times[anchor.id] > 0 { // else it is counted as lost
				t.judge(anchor, a.verdicts[anchor.id], r.isCut(faults))
			} else {
				t.runs++
			}
		}
	}
	return t
}

// judge puts an anchor that arrived into its class.
func (t *tally) judge(a anchor, came []verdict, cut bool) {
	t.runs++
	honest, known, began := len(came) > 0, true, true
	for _, v := range came {
		honest = honest && (v == a.want || !v.complete)
		began = began && (v.complete || v.because == "restarted")
		v.complete, v.because = true, ""
		known = known && v == a.want
	}
	switch {
	case right(came, a.want):
		t.right++
	case honest:
		t.partial++
		if known {
			t.known++
		}
		if !began {
			t.other++
		}
	case len(came) == 0:
		t.unjudged++
		t.example(a, came)
	case cut:
		t.cut++
		t.example(a, came)
	default:
		t.wrong++
		t.example(a, came)
	}
}

// example keeps the first few anchors that are not as they must be, for messages.
func (t *tally) example(a anchor, came []verdict) {
	if len(t.examples) < 3 {
		t.examples = append(t.examples, fmt.Sprintf("the anchor %s of trace %s: wanted %v; came %v", a.id.span, a.id.trace, a.want, came))
	}
}

// heldAt says whether a span that was acknowledged at a time may have been held when a fault came.
func heldAt(acked time.Time, faults []fault, hold time.Duration) bool {
	for _, f := range faults {
		if acked.Add(hold).After(f.from) && acked.Before(f.to) {
			return true
		}
	}
	return false
}

// isCut says whether the collector was away between a run's first request and its last.
func (r *sentRun) isCut(faults []fault) bool {
	for _, f := range faults {
		if r.began.Before(f.to) && r.acked.After(f.from) {
			return true
		}
	}
	return false
}
