package acceptance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	collectorprocessor "go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The processor finds the runs in recordings of real frameworks. Their calls are those that the tools logged: agent, name,
// arguments, order and failure. The table of losses lists what an instrumentation does not record. An entry that is no longer
// true fails the test.
func TestCorpus(t *testing.T) {
	var all tally
	needed := map[*loss]bool{}
	for _, library := range corpus.All(t) {
		var one tally
		for _, scenario := range library.Scenarios {
			t.Run(library.Name+"/"+scenario.Name, func(t *testing.T) {
				lost := lossesOf(library.Name, scenario.Name)
				happened, found := truth(t, library.Name, scenario), runsOf(t, reportsOf(t, scenario.Requests))
				markRefused(found, scenario.NotExecuted)
				sortAtOnce(happened, scenario.AtOnce)
				sortAtOnce(found, scenario.AtOnce)
				one.count(happened, found, lost.parts())
				want, got := lines(happened, lost.parts()), lines(found, lost.parts())
				if !slices.Equal(want, got) {
					t.Errorf("happened\n\t%s\nfound\n\t%s", strings.Join(want, "\n\t"), strings.Join(got, "\n\t"))
				}
				for i := range lost {
					rest := lost.without(i).parts()
					needed[lost[i]] = needed[lost[i]] || !slices.Equal(lines(happened, rest), lines(found, rest))
				}
			})
		}
		if one.happened > 0 {
			t.Logf("%-50s %s", library.Name, one)
		}
		all.add(one)
	}
	t.Logf("%-50s %s", "all", all)
	for i := range losses {
		assert.True(t, needed[&losses[i]], "not lost any more, mend the table: %v", losses[i])
	}
	all.check(t)
}

// run is a run of an agent, as it happened or as it was found.
type run struct {
	agent string
	sub   bool // another agent called it; for a found run, known by its name
	calls []call
}

type call struct {
	name, arguments string
	failed          bool
	refused         bool   // the model requested it, and nothing was executed
	kind            string // that of the truth
}

// isLost reports whether a call is in the spans and did not happen, or the other way round. One that waits counts only where the spans do not
// say so.
func (c call) isLost(lost map[part]bool) bool {
	return c.refused && lost[lostRefusals] || c.kind == "hosted" && lost[lostHosted] || c.kind == "waiting" && !lost[lostWaits]
}

// nameIn is the name of a call, as far as it is recorded.
func (c call) nameIn(lost map[part]bool) string {
	if lost[lostNames] {
		return "a tool"
	}
	return c.name
}

// markRefused marks the calls of tools that do not exist.
func markRefused(found []run, notExecuted []corpus.Tool) {
	for _, r := range found {
		for i := range r.calls {
			r.calls[i].refused = slices.ContainsFunc(notExecuted, func(tool corpus.Tool) bool { return tool.Name == r.calls[i].name })
		}
	}
}

// sortAtOnce sorts calls that a model requested at once, n each time.
func sortAtOnce(runs []run, n int) {
	for _, r := range runs {
		if n == 0 {
			return
		}
		for chunk := range slices.Chunk(r.calls, n) {
			slices.SortFunc(chunk, func(a, b call) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.arguments, b.arguments)) })
		}
	}
}

// lines returns a line for every run, without the lost parts.
func lines(runs []run, lost map[part]bool) []string {
	var all []string
	for _, r := range runs {
		var calls []string
		for _, c := range r.calls {
			if c.isLost(lost) {
				continue
			}
			if lost[lostArguments] {
				c.arguments = ""
			}
			if c.failed && !lost[lostErrors] {
				c.arguments += " failed"
			}
			if !lost[lostCalls] {
				calls = append(calls, c.nameIn(lost)+c.arguments)
			}
		}
		if lost[lostAgents] && !r.sub || lost[lostSubAgents] && r.sub {
			r.agent = "an agent"
		}
		switch {
		case lost[lostRuns]:
			all = append(all, calls...)
		case lost[lostEmptyRuns] && len(calls) == 0:
		default:
			all = append(all, r.agent+": "+strings.Join(calls, "; "))
		}
	}
	slices.Sort(all)
	if lost[lostDuplicates] {
		all = slices.Compact(all)
	}
	return all
}

// truth returns the runs that the tools logged. Gemini CLI's spans have the names that the model saw.
func truth(t *testing.T, library string, scenario corpus.Scenario) []run {
	asSeen := strings.HasPrefix(library, "gemini-cli@")
	var runs []run
	for _, happened := range scenario.Runs {
		agents := []string{happened.Agent}
		calls := map[string][]call{}
		for _, tool := range slices.SortedFunc(slices.Values(happened.Tools), func(a, b corpus.Tool) int { return a.Order - b.Order }) {
			if !slices.Contains(agents, tool.Agent) {
				agents = append(agents, tool.Agent)
			}
			name := tool.Name
			if asSeen {
				name = cmp.Or(tool.ModelName, name)
			}
			calls[tool.Agent] = append(calls[tool.Agent], call{
				name: name, arguments: content(t, tool.Arguments), failed: tool.Error != "", kind: tool.Kind,
			})
		}
		for _, agent := range agents {
			runs = append(runs, run{agent, agent != happened.Agent, calls[agent]})
		}
	}
	return runs
}

// runsOf returns the runs that a processor found.
func runsOf(t *testing.T, reports []evaluate.Report) []run {
	var runs []run
	for _, r := range reports {
		found := run{}
		if len(r.Run.Anchors) > 0 {
			found.agent = r.Run.Anchors[0].Agent
		}
		found.sub = found.agent == subAgent
		for _, c := range r.Run.Calls {
			found.calls = append(found.calls, call{
				name: c.Name, arguments: content(t, c.Arguments.AppendJSON(nil)), failed: c.Status == scoring.StatusFailed,
			})
		}
		runs = append(runs, found)
	}
	return runs
}

// subAgent is the name of the agent that others call in the recordings.
const subAgent = "researcher"

// played has the reports of each recording that was played without a change, by its first request. Several tests look at them, one after
// the other.
var played = map[*ptrace.Traces][]evaluate.Report{}

func reportsOf(t *testing.T, recorded []ptrace.Traces) []evaluate.Report {
	reports, ok := played[&recorded[0]]
	if !ok {
		reports = reportsWith(t, recorded, unchanged)
		played[&recorded[0]] = reports
	}
	return reports
}

func unchanged(*toolcorrectnessprocessor.Config) {}

func reportsWith(t *testing.T, requests []ptrace.Traces, change func(*toolcorrectnessprocessor.Config)) []evaluate.Report {
	return reportsPaced(t, requests, 0, change)
}

// reportsPaced plays requests through a processor, with a pause after each.
func reportsPaced(t *testing.T, requests []ptrace.Traces, pause time.Duration, change func(*toolcorrectnessprocessor.Config)) []evaluate.Report {
	t.Helper()
	cfg := defaultConfig()
	cfg.Expectations = []toolcorrectnessprocessor.ExpectationConfig{{Tools: []toolcorrectnessprocessor.ToolConfig{{Name: "get_weather"}, {Name: "lookup_order"}}}}
	change(cfg)
	p := dryRun(t, cfg)
	var reports []evaluate.Report
	p.DryRun(func(r evaluate.Report) { reports = append(reports, r) })
	for _, td := range requests {
		sent := ptrace.NewTraces()
		td.CopyTo(sent)
		require.NoError(t, p.ConsumeTraces(t.Context(), sent))
		if pause > 0 {
			p.Advance(t.Context(), pause)
		}
	}
	p.Advance(t.Context(), cfg.Run.Wait)
	p.Advance(t.Context(), cfg.Run.IdleTimeout)
	require.NoError(t, p.Shutdown(t.Context()))
	return reports
}

func dryRun(t *testing.T, cfg *toolcorrectnessprocessor.Config) *toolcorrectness.Processor {
	var set collectorprocessor.Settings = processortest.NewNopSettings(toolcorrectnessprocessor.NewFactory().Type())
	p, err := toolcorrectnessprocessor.NewFactory().CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
	require.NoError(t, err)
	return p.(*toolcorrectness.Processor)
}

// content returns the arguments as JSON with sorted keys and canonical numbers. Python frameworks turn 100 into 100.0 if a
// tool wants a float, and scores compare numbers by value.
func content(t *testing.T, text json.RawMessage) string {
	if text == nil {
		return "{}" // a tool without arguments
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v), "%s", text)
	out, err := json.Marshal(canonicalNumbers(v))
	require.NoError(t, err)
	return string(out)
}

// canonicalNumbers writes the numbers of a value as fractions.
func canonicalNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return json.Number(strings.TrimSuffix(r.FloatString(9), ".000000000"))
		}
	case []any:
		for i := range v {
			v[i] = canonicalNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = canonicalNumbers(v[k])
		}
	}
	return v
}

// someLibraries returns all libraries of the corpus, or every sixth one with -short.
func someLibraries(t *testing.T) (some []corpus.Library) {
	t.Helper()
	for i, library := range corpus.All(t) {
		if i%6 == 0 || !testing.Short() {
			some = append(some, library)
		}
	}
	return some
}
