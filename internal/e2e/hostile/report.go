package main

import (
	"fmt"
	"io"
	"runtime"
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

// kept says whether every bound was kept.
func (r *results) kept() bool {
	for _, f := range r.figures {
		if len(f.broken()) > 0 {
			return false
		}
	}
	for _, p := range r.plays {
		if len(p.broken) > 0 {
			return false
		}
	}
	for _, s := range r.raids {
		if len(s.broken) > 0 {
			return false
		}
	}
	return true
}

var (
	figureColumns = []string{"attack", "sent kB", "p99", "max", "late", "alive MiB", "lost", "changed", "partial", "shutdown", "bounds"}
	playColumns   = []string{"attack on a verdict", "bounds"}
	raidColumns   = []string{"attack on the collector", "sent kB", "decoded kB", "p99", "max", "late", "memory MiB", "lost", "changed", "partial", "disk kB", "bounds"}
)

func verdictOf(broken []string) string {
	if len(broken) == 0 {
		return "kept"
	}
	return "BROKEN"
}

func (f figure) row() []string {
	return []string{
		f.Attack, number(f.Bytes / 1000), ms(f.P99).String(), ms(f.Max).String(), ms(f.Delay).String(), number(int(f.Live >> 20)),
		number(f.Lost), number(f.Changed), number(f.Partial), ms(f.Shutdown).String(), verdictOf(f.broken()),
	}
}

func (s siege) row() []string {
	return []string{
		s.name, number(s.sent / 1000), number(s.decoded / 1000), ms(s.p99).String(), ms(s.max).String(), ms(s.delay).String(),
		number(int(s.memory >> 20)), number(s.lost), number(s.changed), number(s.partial), number(int(s.written / 1000)), verdictOf(s.broken),
	}
}

// tables are the three tables, each with its titles first.
func (r *results) tables() [][][]string {
	figures, plays, raids := [][]string{figureColumns}, [][]string{playColumns}, [][]string{raidColumns}
	for _, f := range r.figures {
		figures = append(figures, f.row())
	}
	for _, p := range r.plays {
		plays = append(plays, []string{p.name, verdictOf(p.broken)})
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
	broken := 0
	for _, t := range r.tables() {
		for _, row := range t[1:] {
			if row[len(row)-1] != "kept" {
				broken++
			}
		}
	}
	_, err := fmt.Fprintf(w, "%d attacks: %d kept every bound, %d broke one\n", r.count(), r.count()-broken, broken)
	return err
}

func (r *results) count() int { return len(r.figures) + len(r.plays) + len(r.raids) }

// markdown is the tables as docs/security.md has them, and what each attack does.
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
