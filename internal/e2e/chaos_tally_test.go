//go:build chaos

package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/e2e/spans"
)

// A fault is a time in which a collector was away.
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
	cut      int // any other verdict or none, and the collector was away in the middle of the trace
	unjudged int // no verdict
	wrong    int // any other verdict
	examples []string

	held, retries, givenUp, pending int // as stage and sent have them
}

// count compares what was sent with what arrived. hold is how long the processor holds an anchor at most.
func count(s *sent, a *arrivals, faults []fault, hold time.Duration) tally {
	t := tally{acked: len(s.acked), exported: len(a.times), retries: s.retries, givenUp: s.givenUp, pending: s.pending}
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
			t.runs++
			if a.times[anchor.id] > 0 { // else it is counted as lost
				t.judge(anchor, a.verdicts[anchor.id], r.isCut(faults))
			}
		}
	}
	return t
}

// judge puts an anchor that arrived into its class.
func (t *tally) judge(a anchor, came []spans.Verdict, cut bool) {
	right, honest, known, began := true, true, true, true
	for _, v := range came {
		right = right && v == a.want
		honest = honest && (v == a.want || !v.Complete)
		began = began && (v.Complete || v.Because == "restarted")
		v.Complete, v.Because = true, ""
		known = known && v == a.want
	}
	switch {
	case len(came) == 0 && !cut:
		t.unjudged++
	case len(came) > 0 && right:
		t.right++
		return
	case len(came) > 0 && honest:
		t.partial++
		if known {
			t.known++
		}
		if !began {
			t.other++
		}
		return
	case cut:
		t.cut++
	default:
		t.wrong++
	}
	if len(t.examples) < 3 {
		t.examples = append(t.examples, fmt.Sprintf("the anchor %s of trace %s: wanted %v; came %v", a.id.span, a.id.trace, a.want, came))
	}
}

// heldAt says whether a span that was acknowledged at a time may have been held when a fault came.
func heldAt(acked time.Time, faults []fault, hold time.Duration) bool {
	return slices.ContainsFunc(faults, func(f fault) bool { return acked.Add(hold).After(f.from) && acked.Before(f.to) })
}

// isCut says whether the collector was away between a run's first request and its last.
func (r *sentRun) isCut(faults []fault) bool {
	return slices.ContainsFunc(faults, func(f fault) bool { return r.began.Before(f.to) && r.acked.After(f.from) })
}

// breaks says how a tally breaks a promise.
func (t *tally) breaks(p promise) (found []string) {
	check := func(kept bool, format string, args ...any) {
		if !kept {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	check(t.acked > 0 && t.runs > 0, "nothing was acknowledged")
	check(t.pending == 0, "%d requests were not accepted in the end", t.pending)
	check(t.givenUp == 0, "%d requests were answered so that senders drop their spans", t.givenUp)
	check(p.loses || t.lost == 0, "%d acknowledged spans are lost", t.lost)
	check(t.unheld == 0 || !p.loses, "%d acknowledged spans are lost that were not held", t.unheld)
	check(p.duplicates || t.duplicates == 0, "%d copies came", t.duplicates)
	check(p.cuts || t.cut == 0, "%d verdicts are wrong or missing on runs around the fault", t.cut)
	check(t.unjudged == 0, "%d anchors came without a verdict", t.unjudged)
	check(t.wrong == 0, "%d verdicts are wrong", t.wrong)
	check(!p.refused || t.retries > 0, "no sender was refused: nothing is shown")
	switch p.partial {
	case none:
		check(t.partial == 0, "%d verdicts are partial", t.partial)
	case few:
		check(t.partial*100 <= t.runs, "%d verdicts of %d are partial", t.partial, t.runs)
		check(t.other == 0, "%d verdicts are partial for another reason than a restart", t.other)
	case some:
		check(t.partial > 0, "no verdict is partial: nothing is shown")
	case all:
		check(t.partial == t.runs-t.unjudged, "%d verdicts of %d are partial, not all", t.partial, t.runs)
	}
	check(!p.known || t.known == t.partial, "%d partial verdicts of %d are not as they must be", t.partial-t.known, t.partial)
	return found
}

// panics are the lines of a log that report a panic or a fatal error of Go.
func panics(log []byte) (found []string) {
	for line := range bytes.Lines(log) {
		if bytes.Contains(line, []byte("panic")) || bytes.HasPrefix(line, []byte("fatal error:")) {
			found = append(found, "the collector's log says: "+strings.TrimSpace(string(line)))
		}
	}
	return found[:min(len(found), 3)]
}

const columns = "case\tacknowledged\texported\tduplicates\tlost\theld\tretries\tverdicts\tright\tpartial\tcut\tunjudged\twrong\tseconds\tpromise\n"

// row is a line of the table.
func (t *tally) row(name string, took time.Duration, kept bool) string {
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%s\n", name, t.acked, t.exported, t.duplicates, t.lost, t.held, t.retries,
		t.runs, t.right, t.partial, t.cut, t.unjudged, t.wrong, took.Seconds(), map[bool]string{true: "kept", false: "BROKEN"}[kept])
}

// legend says what the columns are.
const legend = `
- acknowledged: spans whose Export call returned without an error. exported: different spans at the sink, and duplicates further copies.
  lost: acknowledged, and not at the sink.
- held: acknowledged spans that waited in the processor when the collector was last killed, or told to stop in sigterm.
- retries: requests that were refused, or cut off, and sent again.
- verdicts: agent spans of traces that were acknowledged completely. right: score, passed and called tools are those known beforehand, and
  complete is true. partial: complete is false. cut: the collector was away in the middle of the trace, and the verdict is another one, or
  there is none, as for an agent that only delegates and whose calls of models are elsewhere.
  unjudged: there is none. wrong: complete is true, and the verdict is another one.
- kill9 and disk-full cases run without the exporter's sending queue, which is in memory and would lose spans of its own.
`
