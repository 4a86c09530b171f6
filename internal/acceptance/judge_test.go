// Package acceptance holds the tests that judge the processor from outside: what goes in and what it says, and nothing of how
// it comes to that.
//
// [TestJudge] plays every recording of the corpus under six configurations, in five orders of delivery each, and compares what
// the processor says with testdata/judge.txt.gz. Differences on purpose are in testdata/judge-differences.txt.
//
//	go test ./internal/acceptance -run TestJudge                                  compare all
//	go test ./internal/acceptance -v -run 'TestJudge/genkit@1.42.0/sub_agent$'    one recording (a + in its name as a dot), every difference in full
//	JUDGE_FULL=1 go test ./internal/acceptance -run TestJudge                     all recordings, every difference in full
//	go test ./internal/acceptance -run TestJudge -update-judge                          rewrite what the file says of what -run selects
package acceptance

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	judgeroot "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

var judgeUpdate = flag.Bool("update-judge", false, "write what this build says over testdata/judge.txt.gz")

const (
	judgeGolden = "testdata/judge.txt.gz"
	judgeListed = "testdata/judge-differences.txt"
)

var judgeConfigs = []struct {
	name   string
	change func(*judgeroot.Config)
}{
	{"agent", func(*judgeroot.Config) {}},
	{"include", func(c *judgeroot.Config) { c.Run.Nested = "include" }},
	{"trace", func(c *judgeroot.Config) { c.Run.Scope = "trace" }},
	{"conversation", func(c *judgeroot.Config) { c.Run.Scope = "conversation" }},
	{"messages", func(c *judgeroot.Config) { c.Calls.Sources = "messages" }},
	{"spans", func(c *judgeroot.Config) { c.Calls.Sources = "spans" }},
}

// What the processor says of every recording is what the golden file says, apart from the differences that are listed.
func TestJudge(t *testing.T) {
	j := newJudge(t)
	t.Cleanup(func() { j.finish(t) })
	for i, name := range corpus.Names(t) {
		if testing.Short() && i%6 > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, scenario := range corpus.Open(t, name).Scenarios { // opened here, so that -run opens no other
				t.Run(scenario.Name, func(t *testing.T) { j.recording(t, name+"/"+scenario.Name, scenario.Requests) })
			}
		})
	}
}

// judge holds what an earlier build said, and how what this build says differs. Its keys, the cells, are a recording under a
// configuration in an order of delivery, such as "genkit@1.42.0/sub_agent include:2". Libraries are judged in parallel.
type judge struct {
	rows []judgeRow
	full bool // all differences are shown in full

	mu       sync.Mutex
	golden   map[string]string
	outcomes map[string]judgeOutcome // of the cells that were played
	shown    map[string]string       // differences, and the first cell of each
}

func newJudge(t *testing.T) *judge {
	listed, err := os.ReadFile(judgeListed)
	require.NoError(t, err)
	// Two slashes select one recording, and who does that with -v wants to see all of it.
	full := testing.Verbose() && strings.Count(flag.Lookup("test.run").Value.String(), "/") >= 2 || os.Getenv("JUDGE_FULL") != ""
	return &judge{full: full, rows: parseJudgeRows(t, string(listed)), golden: readJudged(t), outcomes: map[string]judgeOutcome{}, shown: map[string]string{}}
}

// recording plays a recording and judges what comes out.
func (j *judge) recording(t *testing.T, recording string, requests []ptrace.Traces) {
	orders := [][]ptrace.Traces{requests}
	for seed := uint64(1); seed < 5 && (seed < 2 || !testing.Short() || *judgeUpdate); seed++ {
		orders = append(orders, judgeShuffled(requests, seed))
	}
	for _, config := range judgeConfigs {
		for order, requests := range orders {
			cell := fmt.Sprintf("%s %s:%d", recording, config.name, order)
			got := judgePlay(t, requests, config.change)
			if outcome, want := j.compare(t, cell, got); outcome != judgeEqual {
				j.report(t, cell, outcome, judgeDiff(want, got))
			}
		}
	}
}

// compare compares what a cell gave with the golden file, and notes the outcome. What the recorded order gave is right in
// every order. Others gave something else only where a root had gone on before its trace was known to be an agent's.
func (j *judge) compare(t *testing.T, cell, got string) (outcome judgeOutcome, want string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if *judgeUpdate {
		j.golden[cell] = got
		return judgeEqual, got
	}
	want, ok := j.golden[cell]
	require.True(t, ok, "%s lacks %s, add it with -update-judge", judgeGolden, cell)
	outcome = min(judgeCompare(want, got), judgeCompare(j.golden[judgeRecorded(cell)], got))
	j.outcomes[cell] = outcome
	return outcome, want
}

// report fails the test unless the difference is listed. It shows the first few that are not.
func (j *judge) report(t *testing.T, cell string, outcome judgeOutcome, diff string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fail, listed := t.Errorf, ""
	if i := slices.IndexFunc(j.rows, func(r judgeRow) bool { return r.allows(cell, outcome) }); i >= 0 {
		fail, listed = t.Logf, fmt.Sprintf(", as line %d of the list says", j.rows[i].line)
	}
	first, ok := j.shown[diff]
	switch {
	case ok: // mostly the order makes no difference
		diff = ", the same lines as in " + first
	case !j.full && (listed != "" || len(j.shown) == 5):
		diff = ", shown with JUDGE_FULL=1, or with -v if -run selects one recording"
	default:
		j.shown[diff], diff = cell, "\n"+diff
	}
	fail("%s: %s%s%s", cell, outcome, listed, diff)
}

// finish logs the totals, and checks that the list has nothing that is no longer so.
func (j *judge) finish(t *testing.T) {
	if *judgeUpdate {
		writeJudged(t, j.golden)
		return
	}
	totals := map[string]int{}
	for cell, outcome := range j.outcomes {
		totals[cell[strings.Index(cell, " ")+1:strings.LastIndex(cell, ":")]+": "+outcome.String()]++
		totals["all configurations: "+outcome.String()]++
	}
	for _, total := range slices.Sorted(maps.Keys(totals)) {
		t.Logf("%-40s %6d", total, totals[total])
	}
	for _, r := range j.rows {
		if r.isStale(j.golden, j.outcomes) {
			t.Errorf("%s:%d: nothing differs there any more, mend the list", judgeListed, r.line)
		}
	}
}

// judgePlay sends requests through a processor, whose metrics ask much of calls, and returns what it says.
func judgePlay(t *testing.T, requests []ptrace.Traces, change func(*judgeroot.Config)) string {
	factory := judgeroot.NewFactory()
	cfg := factory.CreateDefaultConfig().(*judgeroot.Config)
	change(cfg)
	cfg.Annotate.Values = true
	cfg.Metrics = map[string]judgeroot.MetricConfig{
		"names":  {Native: &judgeroot.NativeConfig{}},
		"values": {Native: &judgeroot.NativeConfig{Order: "in_order", Arguments: "subset", OutputMode: "subset", Score: "f1"}},
	}
	cfg.Expectations = []judgeroot.ExpectationConfig{{Tools: []judgeroot.ToolConfig{
		{Name: "get_weather", Arguments: map[string]any{"city": "Oslo"}, Output: map[string]any{"unit": "celsius"}}, {Name: "lookup_order"},
	}}}
	p, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), cfg, consumertest.NewNop())
	require.NoError(t, err)
	var runs []string
	dry := p.(*toolcorrectness.Processor)
	dry.DryRun(judgeReader(&runs))
	for _, td := range requests {
		sent := ptrace.NewTraces()
		td.CopyTo(sent)
		require.NoError(t, dry.ConsumeTraces(t.Context(), sent))
	}
	dry.Advance(t.Context(), cfg.Run.Wait)
	dry.Advance(t.Context(), cfg.Run.IdleTimeout)
	require.NoError(t, dry.Shutdown(t.Context()))
	slices.Sort(runs)
	return strings.Join(runs, "")
}

// judgeReader adds each reported run as lines, the first not indented. Nothing else here knows what a report is.
func judgeReader(runs *[]string) func(evaluate.Report) {
	return func(r evaluate.Report) {
		var b strings.Builder
		if len(r.Run.Anchors) > 0 {
			fmt.Fprintf(&b, "run %s %s %q\n", r.Run.Anchors[0].Trace, r.Run.Anchors[0].ID, r.Run.Anchors[0].Agent)
		} else {
			b.WriteString("run without anchor\n")
		}
		for _, c := range r.Run.Calls {
			fmt.Fprintf(&b, "\t%s %q %q(%s) = %s %v\n", c.ID, c.CallID, c.Name,
				judgeText(c.Arguments.AppendJSON(nil)), judgeText(c.Output.AppendJSON(nil)), c.Status)
		}
		for _, res := range r.Results {
			fmt.Fprintf(&b, "\t%s: %v %v %q\n", res.Metric, res.Verdict.Status, res.Verdict.Score, res.Reason)
		}
		fmt.Fprintf(&b, "\tclosed by %v\n%s%t\n", r.Run.ClosedBy, judgeComplete, r.Run.Doubts.Complete())
		*runs = append(*runs, b.String())
	}
}

// judgeText replaces long texts by a hash, and line breaks, which JSON may have between its tokens.
func judgeText(json []byte) string {
	if len(json) > 200 {
		hash := sha256.Sum256(json)
		return fmt.Sprintf("<%d bytes, %x>", len(json), hash[:12])
	}
	return strings.ReplaceAll(string(json), "\n", `\n`)
}

// judgeShuffled returns every span twice, each in a request of its own, in a random order.
func judgeShuffled(requests []ptrace.Traces, seed uint64) (all []ptrace.Traces) {
	for _, td := range requests {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					one := ptrace.NewTraces()
					resource := one.ResourceSpans().AppendEmpty()
					rs.Resource().CopyTo(resource.Resource())
					scope := resource.ScopeSpans().AppendEmpty()
					ss.Scope().CopyTo(scope.Scope())
					span.CopyTo(scope.Spans().AppendEmpty())
					all = append(all, one, one) // whoever sends one sends a copy
				}
			}
		}
	}
	rand.New(rand.NewPCG(seed, 7)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// readJudged reads what writeJudged wrote: for each cell its name after "== ", and then its runs, or "same" as recorded.
func readJudged(t *testing.T) map[string]string {
	judged := map[string]string{}
	file, err := os.ReadFile(judgeGolden)
	if *judgeUpdate && errors.Is(err, os.ErrNotExist) {
		return judged
	}
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	text, err := io.ReadAll(unzipped)
	require.NoError(t, err)
	for _, section := range strings.Split(string(text), "\n== ")[1:] {
		cell, runs, _ := strings.Cut(section, "\n")
		if runs == "same" {
			runs = judged[judgeRecorded(cell)]
		}
		judged[cell] = runs
	}
	return judged
}

func writeJudged(t *testing.T, judged map[string]string) {
	var file bytes.Buffer
	zipped := gzip.NewWriter(&file)
	for _, cell := range slices.Sorted(maps.Keys(judged)) {
		runs, recorded := judged[cell], judgeRecorded(cell)
		if cell != recorded && runs == judged[recorded] {
			runs = "same"
		}
		fmt.Fprintf(zipped, "\n== %s\n%s", cell, runs)
	}
	require.NoError(t, zipped.Close())
	require.NoError(t, os.WriteFile(judgeGolden, file.Bytes(), 0o644))
}

// judgeRecorded is the cell of the recorded order. It is the first of its recording and configuration.
func judgeRecorded(cell string) string { return cell[:strings.LastIndex(cell, ":")] + ":0" }
