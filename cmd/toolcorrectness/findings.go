package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/spool"
)

// findings has the content of the input and what the processor said about it.
type findings struct {
	rows         *spool.Spool
	failed       error // of rows
	runs         int
	files, spans int
	places       places
	names        []string       // of the files
	agents       map[string]int // runs by agent
	expectations []toolcorrectnessprocessor.ExpectationConfig
	// values says that the output may have values of arguments and outputs.
	values bool
	// faulty says that a part of the input could not be read.
	faulty bool
	// warnings is how often the processor warned of something.
	warnings int
}

// see notes where the traces of a request are.
func (f *findings) see(file int, td ptrace.Traces) {
	f.spans += td.SpanCount()
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				f.places.see(span.TraceID(), file)
			}
		}
	}
}

// add takes the report of a run.
func (f *findings) add(r evaluate.Report) {
	f.runs++
	where := f.places.of(r.Run.Trace)
	run := rowsOf(r, f.values)
	for i := range run {
		run[i].Run, run[i].File, run[i].Position = f.runs, f.names[where.file], where.position
	}
	f.failed = errors.Join(f.failed, f.rows.Add(run))
	agent := "without a name"
	switch {
	case len(r.Run.Anchors) == 0:
		agent = "unknown, because the run's own span never arrived"
	case r.Run.Anchors[0].Agent != "":
		agent = strconv.Quote(r.Run.Anchors[0].Agent)
	}
	if f.agents == nil {
		f.agents = map[string]int{}
	}
	if len(f.agents) < maxAgents || f.agents[agent] > 0 {
		f.agents[agent]++
	}
}

// maxAgents bounds how many agents are counted, because recordings may have any number of names.
const maxAgents = 10_000

// why says what was found, and why no run was judged.
func (f *findings) why() string {
	in := "in " + number(f.files, "file")
	switch {
	case f.spans == 0:
		return "no spans " + in
	case f.runs == 0:
		return fmt.Sprintf("%s %s, and none is known as an agent's, a tool call's or a model call's", number(f.spans, "span"), in)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s, and no expectation is for any of them\n", number(f.runs, "run"), in)
	fmt.Fprintf(&b, "  agents found: %s", list(slices.Sorted(maps.Keys(f.agents)), func(a string) string {
		return fmt.Sprintf("%s (%s)", a, number(f.agents[a], "run"))
	}))
	for i, x := range f.expectations[:min(len(f.expectations), maxListed)] {
		when := cmp.Or(x.When, "always")
		fmt.Fprintf(&b, "\n  expectations[%d]%s: when %s", i, named(x.Name), when)
	}
	if more := len(f.expectations) - maxListed; more > 0 {
		fmt.Fprintf(&b, "\n  and %s more", number(more, "expectation"))
	}
	if f.warnings > 0 {
		b.WriteString("\n  the warnings above may say why")
	}
	return b.String()
}

// maxListed is how many agents or expectations a message names.
const maxListed = 10

func list(all []string, show func(string) string) string {
	var shown []string
	for _, s := range all[:min(len(all), maxListed)] {
		shown = append(shown, show(s))
	}
	if more := len(all) - maxListed; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", name)
}

func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
