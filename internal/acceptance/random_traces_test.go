package acceptance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The law: each run is found once, complete, and with its own calls in their order. It holds whatever agents do, in one
// process or in many. The order and the batches in which spans arrive never count.
func TestRandomTraces(t *testing.T) {
	randomLaw(t, func(*toolcorrectnessprocessor.Config) {}, false, func(trace *randomTrace) []string {
		var lines []string
		for _, run := range trace.runs {
			lines = append(lines, randomLine(run.anchor.id, run.agent, true, run.calls))
		}
		return lines
	})
}

// With nested: include, a call counts for each agent around it as well.
func TestRandomTracesNested(t *testing.T) {
	randomLaw(t, func(cfg *toolcorrectnessprocessor.Config) { cfg.Run.Nested = "include" }, false, func(trace *randomTrace) []string {
		calls := map[*randomRun][]randomCall{}
		for _, run := range trace.runs {
			for around := run; around != nil; around = around.outer {
				calls[around] = append(calls[around], run.calls...)
			}
		}
		var lines []string
		for _, run := range trace.runs {
			lines = append(lines, randomLine(run.anchor.id, run.agent, true, calls[run]))
		}
		return lines
	})
}

// With scope: trace, the root has all calls of all agents. It is held only if its trace is known as an agent's, so it
// comes last.
func TestRandomTracesWhole(t *testing.T) {
	randomLaw(t, func(cfg *toolcorrectnessprocessor.Config) { cfg.Run.Scope = "trace" }, true, func(trace *randomTrace) []string {
		var calls []randomCall
		for _, run := range trace.runs {
			calls = append(calls, run.calls...)
		}
		root, agent := trace.spans[0], ""
		if trace.runs[0].anchor == root {
			agent = trace.runs[0].agent
		}
		return []string{randomLine(root.id, agent, true, calls)}
	})
}

// randomLaw checks that the processor finds in random traces what truth says of them.
func randomLaw(t *testing.T, change func(*toolcorrectnessprocessor.Config), rootsLast bool, truth func(*randomTrace) []string) {
	for _, part := range []struct {
		name         string
		shape        randomShape
		traces, some int // some are enough with -short
	}{
		{"one process", randomOneProcess, 100, 20},
		{"names with prefixes", randomShape{prefixes: true}, 50, 10},
		{"tools elsewhere", randomShape{tools: true}, 50, 10},
		{"servers elsewhere", randomShape{servers: true}, 50, 10},
		{"agents elsewhere", randomShape{agents: true}, 50, 10},
		{"everything", randomEverything, 500, 60},
	} {
		t.Run(part.name, func(t *testing.T) {
			n := part.traces
			if testing.Short() {
				n = part.some
			}
			runs, spans, wrong := 0, 0, 0
			for seed := uint64(0); n > 0; seed++ {
				traces := randomTraces(seed, part.shape)
				traces = traces[:min(n, len(traces))]
				n -= len(traces)
				found := randomFound(t, randomRequests(rand.New(rand.NewPCG(seed, 2)), traces, rootsLast), change)
				for i, trace := range traces {
					runs, spans = runs+len(trace.runs), spans+len(trace.spans)
					want, got := truth(trace), found[trace.id]
					delete(found, trace.id)
					slices.Sort(want)
					slices.Sort(got)
					if slices.Equal(want, got) {
						continue
					}
					if wrong++; wrong <= randomMostShown {
						t.Errorf("seed %d, trace %d\n%s\n%s", seed, i, trace.tree(), randomDifference(want, got))
					}
				}
				assert.Empty(t, found, "seed %d: runs of no trace that was sent", seed)
			}
			if wrong > 0 {
				t.Errorf("%d traces are wrong", wrong)
			}
			t.Logf("%d runs of %d spans", runs, spans)
		})
	}
}

// randomPause is long before the wait of a run is over.
const randomPause = time.Millisecond

// randomMostShown is how many wrong traces a test prints.
const randomMostShown = 3

// randomTraces are the traces that one processor gets.
func randomTraces(seed uint64, shape randomShape) []*randomTrace {
	traces := make([]*randomTrace, 1+seed%5)
	for i := range traces {
		traces[i] = randomTraceOf(seed<<8+uint64(i), shape)
	}
	return traces
}

// randomFound returns the runs that the processor finds, a line for each, by trace.
func randomFound(t *testing.T, requests []ptrace.Traces, change func(*toolcorrectnessprocessor.Config)) map[pcommon.TraceID][]string {
	t.Helper()
	found := map[pcommon.TraceID][]string{}
	for _, report := range reportsPaced(t, requests, randomPause, change) {
		var calls []randomCall
		for _, c := range report.Run.Calls {
			calls = append(calls, randomCall{name: c.Name, arguments: string(c.Arguments.AppendJSON(nil)), failed: c.Status == scoring.StatusFailed})
		}
		var anchor pcommon.SpanID
		agent := ""
		if len(report.Run.Anchors) > 0 {
			anchor, agent = report.Run.Anchors[0].ID, report.Run.Anchors[0].Agent
		}
		found[report.Run.Trace] = append(found[report.Run.Trace], randomLine(anchor, agent, report.Run.Doubts.Complete(), calls))
	}
	return found
}

// randomLine says what matters of a run. The ID of its span tells runs of one agent apart.
func randomLine(anchor pcommon.SpanID, agent string, complete bool, calls []randomCall) string {
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b randomCall) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q", anchor, agent)
	if anchor.IsEmpty() {
		b.WriteString(" without an anchor")
	}
	if !complete {
		b.WriteString(" not complete")
	}
	for _, c := range calls {
		fmt.Fprintf(&b, "\n      %s(%s)", c.name, randomCompact(c.arguments))
		if c.failed {
			b.WriteString(" failed")
		}
	}
	return b.String()
}

// randomCompact removes what two texts of one JSON value may differ in. The generator writes keys in order.
func randomCompact(text string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		return text
	}
	return b.String()
}

// randomDifference lists the runs that only one side has.
func randomDifference(want, got []string) string {
	var b strings.Builder
	only := func(title string, these, others []string) {
		rest := slices.Clone(others)
		for _, line := range these {
			if i := slices.Index(rest, line); i >= 0 {
				rest = slices.Delete(rest, i, i+1)
				continue
			}
			fmt.Fprintf(&b, "  %s %s\n", title, line)
		}
	}
	only("true, and not found:", want, got)
	only("found, and not true:", got, want)
	return b.String()
}

// tree has a line for each span, below its parent and in the order of time.
func (g *randomTrace) tree() string {
	var b strings.Builder
	var below func(parent pcommon.SpanID, depth int)
	below = func(parent pcommon.SpanID, depth int) {
		children := slices.DeleteFunc(slices.Clone(g.spans), func(s *randomSpan) bool { return s.parent != parent })
		slices.SortFunc(children, func(a, b *randomSpan) int { return cmp.Compare(a.start, b.start) })
		for _, s := range children {
			fmt.Fprintf(&b, "%s%s [%s %s] %s<%s %d-%d", strings.Repeat("  ", depth), s.name, s.kind, s.process, s.id, s.parent, s.start, s.end)
			for _, key := range []string{"gen_ai.tool.call.id", "gen_ai.tool.call.arguments", "gen_ai.output.messages"} {
				if value := s.attributes[key]; value != "" {
					fmt.Fprintf(&b, " %s", value)
				}
			}
			if s.failed {
				b.WriteString(" failed")
			}
			b.WriteString("\n")
			below(s.id, depth+1)
		}
	}
	fmt.Fprintf(&b, "trace %s\n", g.id)
	below(pcommon.SpanID{}, 1)
	return b.String()
}
