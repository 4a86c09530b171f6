package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// A result is what a case has shown.
type result struct {
	name string
	tally
	held                      int
	retries, givenUp, pending int
	took                      time.Duration
	broken                    []string // how the promise was broken; empty: it was kept
	log                       string   // where the collector's log is, if the promise was broken
}

func (r *result) count(l *ledger, a arrivals, faults []fault, s settings) {
	l.look(func(known *sent) {
		r.tally = count(known, a, faults, s.wait+slack)
		r.retries, r.givenUp, r.pending = known.retries, known.givenUp, known.pending
	})
}

// broken compares a result with its case's promise.
func broken(p promise, r result) []string {
	var found []string
	check := func(kept bool, format string, args ...any) {
		if !kept {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	check(r.acked > 0 && r.runs > 0, "nothing was acknowledged")
	check(r.pending == 0, "%d requests were not accepted in the end", r.pending)
	check(r.givenUp == 0, "%d requests were answered so that senders drop their spans", r.givenUp)
	check(p.loses || r.lost == 0, "%d acknowledged spans are lost", r.lost)
	check(r.unheld == 0 || !p.loses, "%d acknowledged spans are lost that were not held", r.unheld)
	check(p.duplicates || r.duplicates == 0, "%d copies came", r.duplicates)
	check(p.cuts || r.cut == 0, "%d verdicts are wrong on runs around the fault", r.cut)
	check(r.unjudged == 0, "%d anchors came without a verdict", r.unjudged)
	check(r.wrong == 0, "%d verdicts are wrong", r.wrong)
	check(!p.refused || r.retries > 0, "no sender was refused: nothing is shown")
	switch p.partial {
	case none:
		check(r.partial == 0, "%d verdicts are partial", r.partial)
	case few:
		check(r.partial*100 <= r.runs, "%d verdicts of %d are partial", r.partial, r.runs)
		check(r.other == 0, "%d verdicts are partial for another reason than a restart", r.other)
	case some:
		check(r.partial > 0, "no verdict is partial: nothing is shown")
	case all:
		check(r.partial == r.runs-r.unjudged, "%d verdicts of %d are partial, not all", r.partial, r.runs)
	}
	check(!p.known || r.known == r.partial, "%d partial verdicts of %d are not as they must be", r.partial-r.known, r.partial)
	return found
}

var columns = []string{
	"case", "acknowledged", "exported", "duplicates", "lost", "held", "retries",
	"verdicts", "right", "partial", "cut", "unjudged", "wrong", "seconds", "promise",
}

func (r result) row() []string {
	row := []string{r.name}
	for _, n := range []int{r.acked, r.exported, r.duplicates, r.lost, r.held, r.retries, r.runs, r.right, r.partial, r.cut, r.unjudged, r.wrong} {
		row = append(row, strconv.Itoa(n))
	}
	kept := "kept"
	if len(r.broken) > 0 {
		kept = "BROKEN"
	}
	return append(row, fmt.Sprintf("%.1f", r.took.Seconds()), kept)
}

func printTable(w io.Writer, results []result) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(columns, "\t"))
	for _, r := range results {
		fmt.Fprintln(tw, strings.Join(r.row(), "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, legend)
	return err
}

// legend says what the columns are.
const legend = `
- acknowledged: spans whose Export call returned without an error. exported: different spans at the sink, and duplicates further copies.
  lost: acknowledged, and not at the sink.
- held: acknowledged spans that waited in the processor when the collector was last killed, or told to stop in sigterm.
- retries: requests that were refused, or cut off, and sent again.
- verdicts: agent spans of traces that were acknowledged completely. right: score, passed and called tools are those known beforehand, and
  complete is true. partial: complete is false. cut: the collector was away in the middle of the trace, and the verdict is another one.
  unjudged: there is none. wrong: complete is true, and the verdict is another one.
- kill9 and disk-full cases run without the exporter's sending queue, which is in memory and would lose spans of its own.
`
