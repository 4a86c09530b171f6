package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/rig"
)

// report is a Markdown page.
func (o options) report(results []result, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What tool_correctness costs, beside its neighbours\n\n")
	fmt.Fprintf(&b, "Written by `make bench` on %s. Do not edit.\n\n", now.UTC().Format("2006-01-02 15:04 MST"))
	fmt.Fprintf(&b, "%d rounds, %d spans or a little more a workload, seed %d. Every span came out, and every run got the score that it must get.\n",
		o.rounds, o.spans, o.seed)
	fmt.Fprintf(&b, "Otherwise there would be no report.\n\n%s\n", machine())
	b.WriteString("## CPU time, allocations\n\n")
	b.WriteString(howWhole)
	for _, r := range results {
		o.whole(&b, r)
	}
	b.WriteString("## Without unmarshalling\n\n")
	b.WriteString(howAlone)
	o.alone(&b, results)
	b.WriteString("## Memory\n\n")
	b.WriteString(howHeld)
	o.held(&b, results)
	o.aims(&b, results)
	b.WriteString("## Configurations\n\n")
	b.WriteString(howConfigured)
	for _, c := range o.contenders[1:] {
		if c.Config(o.wait) == "" {
			continue
		}
		fmt.Fprintf(&b, "`%s`\n\n```text\n%s```\n\n", c.Name, c.Config(o.wait))
	}
	b.WriteString("## Versions\n\n")
	b.WriteString(versions())
	return b.String()
}

const howWhole = `Figures are medians of the rounds, per span. CPU is the time of the whole process, in user code and in the kernel, with
garbage collection and all goroutines. It is measured from the first request's bytes until the last span came out. The
wait itself costs next to nothing. *Added* is CPU minus the CPU of unmarshalling in the same round, and *× floor* is CPU
divided by it. *÷ ours* is CPU divided by that of tool_correctness in the same round, and *added ÷ ours* is the same ratio
of added CPU. Wall is the time until the last request was accepted: the neighbours work on after that. A difference
below 10% says nothing.

`

const howAlone = `Here spans are unmarshalled before the clock starts, because looking at ordinary spans costs too little to be seen beside
unmarshalling. The CPU time of the sink alone in the same round is subtracted. A garbage collection that falls into these
short times makes the neighbours' figures rough.

`

const howHeld = `The heap that is alive, after garbage collection, while the processor waits for more spans: less what was alive when it
had started. *Held* are the spans that have not come out then, *started* is what the processor takes before it has seen any.

`

const howConfigured = `All processors wait equally long. The score that a run must get is that of its expectation by the native method, recall
on names; the traffic knows it.

`

func (o options) whole(b *strings.Builder, r result) {
	fmt.Fprintf(b, "### %s\n\n%s. %d spans (%d B each), %d traces, %d runs, %d calls.\n\n",
		r.load.Kind.Name, r.load.Kind.About, r.load.Spans, r.load.Bytes/r.load.Spans, r.load.Traces, r.load.Runs, r.load.Calls)
	b.WriteString("| | CPU ns | added ns | × floor | ÷ ours | added ÷ ours | wall ns | allocations | allocated B |\n")
	b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i, c := range o.contenders {
		added, byOurs, addedByOurs := "", "", ""
		if i > 0 {
			added = fmt.Sprintf("%.0f", r.added(r.whole, i))
		}
		if ours := o.ours(); ours > 0 {
			byOurs = fmt.Sprintf("%.2f", paired(r.whole[i], r.whole[ours], quotient))
			addedByOurs = ratio(i, r.added(r.whole, i), r.added(r.whole, ours))
		}
		fmt.Fprintf(b, "| %s | %.0f | %s | %.2f | %s | %s | %.0f | %.1f | %.0f |\n", c.Name,
			r.perSpan(r.whole[i], cpu), added, paired(r.whole[i], r.whole[0], quotient), byOurs, addedByOurs,
			r.perSpan(r.whole[i], wall), r.perSpan(r.whole[i], allocs), r.perSpan(r.whole[i], bytes))
	}
	b.WriteString("\n")
}

// ratio returns the ratio of two differences. There is none if the lower one is not above 0.
func ratio(contender int, a, b float64) string {
	if contender == 0 || b <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", a/b)
}

// ours is the index of our processor; 0 where it does not take part.
func (o options) ours() int {
	for i, c := range o.contenders {
		if c.Name == rig.Ours.Name {
			return i
		}
	}
	return 0
}

func (o options) alone(b *strings.Builder, results []result) {
	b.WriteString("| added ns per span (allocations) |")
	for _, r := range results {
		fmt.Fprintf(b, " %s |", r.load.Kind.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(results)) + "\n")
	for i, c := range o.contenders[1:] {
		fmt.Fprintf(b, "| %s |", c.Name)
		for _, r := range results {
			fmt.Fprintf(b, " %.0f (%.2f) |", r.added(r.alone, i+1), r.perSpan(r.alone[i+1], allocs))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func (o options) held(b *strings.Builder, results []result) {
	b.WriteString("| | | held | B per span | B per run | started KiB |\n|---|---|--:|--:|--:|--:|\n")
	for _, r := range results {
		for i, c := range o.contenders[1:] {
			h := r.held[i+1]
			perRun := ""
			if r.load.Runs > 0 {
				perRun = fmt.Sprintf("%.0f", float64(h.Bytes)/float64(r.load.Runs))
			}
			fmt.Fprintf(b, "| %s | %s | %d of %d | %.1f | %s | %.0f |\n", r.load.Kind.Name, c.Name,
				h.Spans, r.load.Spans, float64(h.Bytes)/float64(r.load.Spans), perRun, float64(h.Started)/1024)
		}
	}
	b.WriteString("\n")
}
