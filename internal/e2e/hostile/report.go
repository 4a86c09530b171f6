package main

import (
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// results are all that was measured.
type results struct {
	short   bool
	seed    uint64
	figures []figure
	plays   []outcome
	raids   []siege
}

// kept says whether every bound was kept that is not known to be open.
func (r *results) kept() bool { return r.with("BROKEN") == 0 }

// with is how many attacks have a verdict on their bounds.
func (r *results) with(verdict string) (n int) {
	for _, t := range r.tables() {
		for _, row := range t[1:] {
			if row[len(row)-1] == verdict {
				n++
			}
		}
	}
	return n
}

var (
	figureColumns = []string{"attack", "sent kB", "p99", "max", "late", "alive MiB", "lost", "changed", "partial", "shutdown", "busy", "bounds"}
	playColumns   = []string{"attack on a verdict", "bounds"}
	raidColumns   = []string{"attack on the collector", "sent kB", "decoded kB", "p99", "max", "late", "memory MiB", "lost", "changed", "partial", "disk kB", "bounds"}
)

func (f figure) row() []string {
	return []string{
		f.Attack, number(f.Bytes / 1000), ms(f.P99).String(), ms(f.Max).String(), ms(f.Delay).String(), number(int(f.Live >> 20)),
		number(f.Lost), number(f.Changed), number(f.Partial), ms(f.Shutdown).String(), fmt.Sprintf("%.1f", f.Busy), verdictOf(f.Attack, f.broken()),
	}
}

func (s siege) row() []string {
	return []string{
		s.name, number(s.sent / 1000), number(s.decoded / 1000), ms(s.p99).String(), ms(s.max).String(), ms(s.delay).String(),
		number(int(s.memory >> 20)), number(s.lost), number(s.changed), number(s.partial), number(int(s.written / 1000)), verdictOf(s.name, s.broken),
	}
}

// tables are the three tables, each with its titles first.
func (r *results) tables() [][][]string {
	figures, plays, raids := [][]string{figureColumns}, [][]string{playColumns}, [][]string{raidColumns}
	for _, f := range r.figures {
		figures = append(figures, f.row())
	}
	for _, p := range r.plays {
		plays = append(plays, []string{p.name, verdictOf(p.name, p.broken)})
	}
	for _, s := range r.raids {
		raids = append(raids, s.row())
	}
	var all [][][]string
	for _, t := range [][][]string{figures, plays, raids} {
		if len(t) > 1 {
			all = append(all, t)
		}
	}
	return all
}

func (r *results) print(w io.Writer) error {
	for _, t := range r.tables() {
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range t {
			fmt.Fprintln(tw, strings.Join(row, "\t"))
		}
		fmt.Fprintln(tw)
		if err := tw.Flush(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d attacks: %d kept every bound, %d broke one, %d are known to break one\n", r.count(), r.with("kept"), r.with("BROKEN"), r.with("open"))
	return err
}

func (r *results) count() int { return len(r.figures) + len(r.plays) + len(r.raids) }

// markdown is the tables, and what each attack does.
func (r *results) markdown() string {
	var b strings.Builder
	form := "in full"
	if r.short {
		form = "in its short form"
	}
	fmt.Fprintf(&b, "`make hostile` %s, seed %d, %s/%s, %d cores.\n", form, r.seed, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, t := range r.tables() {
		fmt.Fprintf(&b, "\n| %s |\n|---%s|\n", strings.Join(t[0], " | "), strings.Repeat("|---:", len(t[0])-2)+"|---")
		for _, row := range t[1:] {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	if r.with("open") > 0 {
		b.WriteString("\n| open | why |\n|---|---|\n")
		for _, name := range slices.Sorted(maps.Keys(open)) {
			fmt.Fprintf(&b, "| %s | %s |\n", name, open[name])
		}
	}
	b.WriteString("\n| attack | what it does |\n|---|---|\n")
	for _, a := range attacks() {
		fmt.Fprintf(&b, "| %s | %s |\n", a.name, a.does)
	}
	for _, p := range plays() {
		fmt.Fprintf(&b, "| %s | %s |\n", p.name, p.does)
	}
	for _, a := range raids() {
		fmt.Fprintf(&b, "| %s | %s |\n", a.name, a.does)
	}
	return b.String()
}
