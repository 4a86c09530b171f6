//go:build alerts

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// alerting has the rules and the dashboard, and tools what `make e2e WITH=alerts` builds and installs.
const (
	alerting = "../../examples/alerting"
	tools    = "../../.cache/alerts"
)

// run starts a program and returns what it prints. It must succeed.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(tools, program))
	require.NoError(t, err)
	require.FileExists(t, path, "make e2e WITH=alerts makes it")
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	require.NoError(t, cmd.Run(), "%s%s", &out, &said)
	return out.String()
}

// promtool finds no fault in the rules, and they fire when rules_test.yaml says.
func TestAlertRules(t *testing.T) {
	t.Log(run(t, alerting, "promtool", "check", "rules", "--lint=all", "--lint-fatal", "rules.yaml"))
	t.Log(run(t, alerting, "promtool", "test", "rules", "rules_test.yaml"))
}

// A healthy agent of which 95 of 100 runs pass, in no order, fires nothing for a day, however many runs it has an hour.
func TestAlertsOfAHealthyAgent(t *testing.T) {
	var series strings.Builder
	for i, perHour := range []float64{600, 60, 12, 6, 1} {
		random := rand.New(rand.NewPCG(uint64(i), 0))
		var values [2]strings.Builder // passed and failed, one value a minute
		var counts [2]int
		for range 24 * 60 {
			for range 10 {
				if random.Float64() < perHour/60/10 {
					counts[min(1, int(random.Float64()+0.05))]++
				}
			}
			for k := range values {
				fmt.Fprintf(&values[k], "%d ", counts[k])
			}
		}
		series.WriteString(verdicts(fmt.Sprint(perHour), true, values[0].String()) + verdicts(fmt.Sprint(perHour), false, values[1].String()))
	}
	promtoolTest(t, "1m", "1m", series.String(), `{expr: 'count_over_time(ALERTS{alertstate="firing"}[1d])', eval_time: 24h}`)
}

// docs/operations.md says how long each accident takes to page: from its first minute to the first alert that is critical.
func TestAlertsPage(t *testing.T) {
	const day = 24 * 60
	page, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	good := func(int) bool { return true }
	wrong := func(int) bool { return false }
	most := func(run int) bool { return run%10 < 3 }
	for _, a := range []struct {
		accident string
		good     int                // minutes before the accident
		passes   func(run int) bool // nil: no run meets the expectation any more
	}{
		{"30% pass, from the first day on", 0, most},
		{"all are wrong, from the first day on", 0, wrong},
		{"all are wrong, after two good days", 2 * day, wrong},
		{"none meets the expectation, as if the agent was renamed", 2 * day, nil},
	} {
		cells := []string{a.accident}
		for _, traffic := range []struct {
			every int // minutes from one batch of runs to the next
			runs  int
		}{{1, 10}, {10, 1}, {60, 1}} {
			const before = 5 // minutes without any series
			values := [3]string{"_x5", "_x5", "_x5"}
			var counts [3]int
			for minute := range a.good + day {
				passes := a.passes
				if minute < a.good {
					passes = good
				}
				for run := range traffic.runs {
					switch n := minute/traffic.every*traffic.runs + run; {
					case minute%traffic.every != 0:
					case passes == nil:
						counts[2]++
					case passes(n):
						counts[0]++
					default:
						counts[1]++
					}
				}
				for i := range counts {
					if counts[i] == 0 {
						values[i] += " _" // a counter appears with its first count
					} else {
						values[i] += fmt.Sprintf(" %d", counts[i])
					}
				}
			}
			first := firstPage(t, a.good+day, verdicts("refund", true, values[0])+verdicts("refund", false, values[1])+unmatched("", values[2]))
			after := "no page within a day"
			switch took := first - before - a.good; {
			case first == 0:
			case took < 120:
				after = fmt.Sprintf("%d minutes", took)
			default:
				after = fmt.Sprintf("%.1f hours", float64(took)/60)
			}
			cells = append(cells, after)
		}
		row := "| " + strings.Join(cells, " | ") + " |"
		t.Log(row)
		assert.Contains(t, string(page), row)
	}
}

var gotValue = regexp.MustCompile(`got:\s+\{\} (\S+)`)

// firstPage is the minute in which the first critical alert fires over series of so many minutes; 0: none does.
func firstPage(t *testing.T, minutes int, series string) int {
	t.Helper()
	query := fmt.Sprintf(`min(min_over_time(timestamp(ALERTS{alertstate="firing", severity="critical"})[%dm:1m])) or vector(0)`, minutes)
	file := promtoolFile(t, "1m", "1m", series, fmt.Sprintf(`{expr: '%s', eval_time: %dm, exp_samples: [{labels: '{}', value: -1}]}`, query, minutes))
	path, err := filepath.Abs(filepath.Join(tools, "promtool"))
	require.NoError(t, err)
	said, err := exec.CommandContext(t.Context(), path, "test", "rules", file).CombinedOutput()
	require.Error(t, err, "no alert fires at -1")
	got := gotValue.FindSubmatch(said)
	require.NotNil(t, got, "%s", said)
	seconds, err := strconv.ParseFloat(string(got[1]), 64)
	require.NoError(t, err)
	return int(seconds) / 60
}

// An agent that rests on the weekend, as it did the week before, is not silent. One with a run an hour is not silent on its first weekend,
// though runs of another agent meet no expectation all week.
func TestAlertsOfARestingAgent(t *testing.T) {
	promtoolTest(t, "10m", "5m", verdicts("refund", true, "5+0x576 5+10x1440 14405+0x300"),
		`{expr: 'tool_correctness:scored{window="1w"} > bool 0', eval_time: 7d2h, exp_samples: [{labels: '{window="1w", metric="m", expectation="refund"}', value: 1}]}`,
		`{expr: 'ALERTS{alertstate="firing"}', eval_time: 7d2h}`, `{expr: 'ALERTS{alertstate="firing"}', eval_time: 7d14h}`)
	promtoolTest(t, "10m", "5m", verdicts("refund", true, hourly(5*24)+"120+0x576")+unmatched("", hourly(7*24)), `{expr: 'count_over_time(ALERTS{alertstate="firing"}[7d])', eval_time: 7d}`)
}

// unmatched is a series of the counter of runs that met no expectation.
func unmatched(agent, values string) string {
	return fmt.Sprintf("      - series: otelcol_processor_tool_correctness_runs_unmatched{agent=\"%s\"}\n        values: %s\n", agent, values)
}

// hourly is a counter with a value every five minutes that grows each hour.
func hourly(hours int) string {
	var values strings.Builder
	for h := range hours {
		fmt.Fprintf(&values, "%d+0x11 ", h+1)
	}
	return values.String()
}

// verdicts is a series of the counter of verdicts.
func verdicts(expectation string, passed bool, values string) string {
	return fmt.Sprintf("      - series: otelcol_processor_tool_correctness_verdicts{metric=\"m\", expectation=\"%s\", status=\"scored\", passed=\"%t\", complete=\"true\"}\n        values: %s\n",
		expectation, passed, values)
}

// promtoolTest has promtool evaluate the rules over series that have a value each interval.
func promtoolTest(t *testing.T, evaluation, interval, series string, checks ...string) {
	t.Helper()
	t.Log(run(t, alerting, "promtool", "test", "rules", promtoolFile(t, evaluation, interval, series, checks...)))
}

func promtoolFile(t *testing.T, evaluation, interval, series string, checks ...string) string {
	t.Helper()
	rules, err := filepath.Abs(filepath.Join(alerting, "rules.yaml"))
	require.NoError(t, err)
	text := "rule_files: [" + rules + "]\nevaluation_interval: " + evaluation +
		"\ngroup_eval_order: [tool-correctness-recorded, tool-correctness-verdicts, tool-correctness-processor]\n" +
		"tests:\n  - interval: " + interval + "\n    input_series:\n" + series + "    promql_expr_test:\n      - " + strings.Join(checks, "\n      - ") + "\n"
	file := filepath.Join(t.TempDir(), "test.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// The dashboard is what dashboard.py writes.
func TestDashboardIsUpToDate(t *testing.T) {
	script, err := filepath.Abs("testdata/alerts/dashboard.py")
	require.NoError(t, err)
	want := run(t, ".", "venv/bin/python", script)
	got, err := os.ReadFile(filepath.Join(alerting, "dashboard.json"))
	require.NoError(t, err)
	require.Equal(t, want, string(got), "make e2e WITH=dashboard writes it")
}

// durations are how long the test has each time of the rules last. Nothing else of the rules is changed.
var durations = map[string]string{
	"1w": "90s", "1d": "75s", "6h": "60s", "2h": "20s", "1h": "15s", "30m": "2s", "15m": "8s", "10m": "2s", "5m": "1s", "2m": "1s", "1m": "1s",
}

var durationOf = regexp.MustCompile(`(\[|offset |for: |interval: )(\d+[smhdw])`)

// shortened are the committed rules with the test's durations.
func shortened(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(alerting, "rules.yaml"))
	require.NoError(t, err)
	return durationOf.ReplaceAllStringFunc(string(text), func(match string) string {
		parts := durationOf.FindStringSubmatch(match)
		short, known := durations[parts[2]]
		require.True(t, known, "durations has no %s", parts[2])
		return parts[1] + short
	})
}

// A phase is some traffic and what it has fire.
type phase struct {
	name       string
	begin, end func() // around the phase, or nil
	send       func()
	refuse     error // what the backend says
	fires      []string
}

// On a running collector, all alerts of the rules fire when runs get bad, and become inactive when they are good again.
func TestAlertsFire(t *testing.T) {
	b := startBackend(t)
	free, err := freeEndpoints(t.Context(), 2)
	require.NoError(t, err)
	file := newExpectationFile(t)
	c := startAlerting(t, b, free[0], file, "200ms")
	second := startAlerting(t, b, free[1], file, "0") // of the same job; it gets no spans and never reloads
	p := startPrometheus(t, free...)
	good := func() { runAgent(t, overHTTP(t, c), "search_orders", "refund_order") }
	once := false // the phases before left nothing to wait for
	var fired []string
	for _, ph := range []phase{
		{name: "forbidden and missing calls", send: func() { runAgent(t, overHTTP(t, c), "delete_account") },
			fires: []string{"ToolCorrectnessForbiddenToolCalled", "ToolCorrectnessPassRateFell", "ToolCorrectnessPassRateLow", "ToolCorrectnessScoreDropped"}},
		{name: "arguments are not captured", send: func() { c.post(t, runOf("search_orders", "refund_order")) },
			fires: []string{"ToolCorrectnessRunsNotScored"}},
		{name: "many runs without their anchors", send: func() { c.post(t, callsWithoutAnchors(60)) },
			fires: []string{"ToolCorrectnessNearLimit", "ToolCorrectnessRunsClosedEarly", "ToolCorrectnessRunsIncomplete"}},
		{name: "a file of expectations is wrong", begin: func() { file.write(t, "- {tool: [search_orders]}") }, send: good, end: func() { file.write(t, "[]") },
			fires: []string{"ToolCorrectnessReloadFailed"}},
		{name: "one collector misses a change", begin: func() { file.write(t, "- {when: 'false', tools: [x]}") }, send: good,
			end: func() { file.write(t, "[]") }, fires: []string{"ToolCorrectnessExpectationsDiffer"}},
		{name: "the agent has a new name", send: func() { c.post(t, renamed(runOf("search_orders"))) },
			fires: []string{"ToolCorrectnessExpectationSilent", "ToolCorrectnessRunsUnmatched"}},
		{name: "no agents", send: func() { c.post(t, ordinarySpan()) }, fires: []string{"ToolCorrectnessNothingJudged"}},
		{name: "the backend is down", send: func() { c.post(t, runOf()) }, refuse: status.Error(codes.Unavailable, "down"),
			fires: []string{"ToolCorrectnessHeldSpansStuck"}},
		{name: "the backend refuses for good", send: func() { c.post(t, runOf()) }, refuse: status.Error(codes.InvalidArgument, "no"),
			fires: []string{"ToolCorrectnessSpansLost"}},
	} {
		began := time.Now()
		p.during(good, "no alert fires while runs are good", func(firing []string) bool {
			return len(firing) == 0 && (once || time.Since(began) > 15*time.Second && p.results("tool_correctness:pass_ratio:recent == 1") == 1)
		})
		once = true
		b.refuse(ph.refuse)
		if ph.begin != nil {
			ph.begin()
		}
		at := time.Now()
		firing := p.during(ph.send, ph.name, func(firing []string) bool {
			return !slices.ContainsFunc(ph.fires, func(name string) bool { return !slices.Contains(firing, name) })
		})
		b.refuse(nil)
		if ph.end != nil {
			ph.end()
		}
		t.Logf("%s: after %s fire %s", ph.name, time.Since(at).Round(time.Second), strings.Join(firing, ", "))
		fired = append(fired, ph.fires...)
	}
	at := time.Now()
	p.during(good, "all alerts are inactive again", func([]string) bool {
		return !slices.ContainsFunc(slices.Collect(maps.Values(p.states())), func(state string) bool { return state != "inactive" })
	})
	t.Logf("all are inactive %s after runs are good again", time.Since(at).Round(time.Second))
	slices.Sort(fired)
	require.Equal(t, slices.Sorted(maps.Keys(p.states())), fired, "each alert of the rules was seen")
	p.dashboard()
	c.stop(t)
	second.stop(t)
}

// An expectationFile is the path of a file of expectations.
type expectationFile string

func newExpectationFile(t *testing.T) expectationFile {
	t.Helper()
	f := expectationFile(filepath.Join(t.TempDir(), "expectations.yaml"))
	f.write(t, "[]")
	return f
}

func (f expectationFile) write(t *testing.T, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(string(f), []byte(text), 0o600))
}

// startAlerting starts a collector with this file, which it looks at so often, and with its metrics at an address.
func startAlerting(t *testing.T, b *backend, metrics string, f expectationFile, reload string) *collector {
	t.Helper()
	_, port, _ := strings.Cut(metrics, ":")
	return startHealthy(t, "../../dist/otelcol-tool-correctness", processSettings{
		config: "testdata/alerts/collector.yaml",
		env:    []string{"BACKEND_ENDPOINT=" + b.endpoint, "METRICS_PORT=" + port, "EXPECTATIONS=" + string(f), "RELOAD=" + reload},
	})
}

// during sends traffic until the alerts that fire are as they should be.
func (p *prom) during(send func(), claim string, holds func(firing []string) bool) []string {
	p.t.Helper()
	const most = 2 * time.Minute
	var firing []string
	for began := time.Now(); time.Since(began) < most; time.Sleep(100 * time.Millisecond) {
		send()
		if firing = p.firing(); holds(firing) {
			return firing
		}
	}
	p.t.Fatalf("waited in vain: %s; these fire: %v", claim, firing)
	return nil
}

// dashboard asks each query of the dashboard. Each must be one that Prometheus takes, and all that count no trouble have data.
func (p *prom) dashboard() {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(alerting, "dashboard.json"))
	require.NoError(p.t, err)
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(p.t, json.Unmarshal(text, &board))
	asked := 0
	for _, panel := range board.Panels {
		for _, target := range panel.Targets {
			query := strings.NewReplacer("$__rate_interval", "60s", "$metric", ".*", "$expectation", ".*").Replace(target.Expr)
			require.NotContains(p.t, query, "$")
			if n := p.results(query); panel.Title != "Trouble" && panel.Title != "Late calls" {
				require.Positive(p.t, n, "%s: %s", panel.Title, query)
			}
			asked++
		}
	}
	require.Greater(p.t, asked, 15)
	p.t.Logf("%d queries of the dashboard were asked", asked)
}

// post sends spans in one request. The answer does not matter, because the backend may be down.
func (c *collector) post(t *testing.T, spans []string) {
	t.Helper()
	body := `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[` +
		strings.Join(spans, ",") + `]}]}]}`
	resp, err := http.Post("http://"+c.http+"/v1/traces", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	resp.Body.Close()
}

// spanJSON is a span that has ended now, with one attribute beside its operation.
func spanJSON(trace, id, parent, operation, key, value string) string {
	now := time.Now().UnixNano()
	return fmt.Sprintf(`{"traceId":"%s","spanId":"%s","parentSpanId":"%s","name":"x","startTimeUnixNano":"%d","endTimeUnixNano":"%d",
		"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"%s"}},{"key":"%s","value":{"stringValue":"%s"}}]}`,
		trace, id, parent, now-1000, now, operation, key, value)
}

// newID is an id that no other span has.
func newID(bytes int) string { return fmt.Sprintf("%0*x", 2*bytes, rand.Uint64()) }

// runOf is a run without arguments.
func runOf(names ...string) (spans []string) {
	trace, root := newID(16), newID(8)
	for _, name := range names {
		spans = append(spans, spanJSON(trace, newID(8), root, "execute_tool", "gen_ai.tool.name", name))
	}
	return append(spans, spanJSON(trace, root, "", "invoke_agent", "gen_ai.agent.name", "support"))
}

// renamed are the spans of another agent.
func renamed(spans []string) []string {
	for i := range spans {
		spans[i] = strings.ReplaceAll(spans[i], `"support"`, `"support-v2"`)
	}
	return spans
}

// callsWithoutAnchors are calls in traces of their own, whose agents' spans never come.
func callsWithoutAnchors(n int) (spans []string) {
	for range n {
		spans = append(spans, spanJSON(newID(16), newID(8), newID(8), "execute_tool", "gen_ai.tool.name", "search_orders"))
	}
	return spans
}

func ordinarySpan() []string {
	return []string{spanJSON(newID(16), newID(8), "", "", "http.request.method", "GET")}
}

// refuse has the backend refuse traces with this error, or take them again if there is none.
func (b *backend) refuse(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refusal = err
}
