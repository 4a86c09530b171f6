//go:build alerts

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/collectorproc"
)

// alerting has the rules and the dashboard, and tools what `make e2e-alerts` builds and installs.
const (
	alerting = "../../examples/alerting"
	tools    = "../../.cache/alerts"
)

// run starts a program and returns what it prints. It must succeed.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(tools, program))
	require.NoError(t, err)
	require.FileExists(t, path, "make e2e-alerts makes it")
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

// The dashboard is what dashboard.py writes.
func TestDashboardIsUpToDate(t *testing.T) {
	script, err := filepath.Abs("testdata/alerts/dashboard.py")
	require.NoError(t, err)
	want := run(t, ".", "venv/bin/python", script)
	got, err := os.ReadFile(filepath.Join(alerting, "dashboard.json"))
	require.NoError(t, err)
	require.Equal(t, want, string(got), "make dashboard writes it")
}

// durations are how long the test has each time of the rules last. Nothing else of the rules is changed.
var durations = map[string]string{
	"1w": "90s", "6h": "60s", "1h": "15s", "30m": "2s", "15m": "8s", "10m": "2s", "5m": "1s", "2m": "1s", "1m": "1s",
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

// A prom is a running Prometheus that scrapes one collector.
type prom struct {
	t   *testing.T
	url string
}

func startPrometheus(t *testing.T, scrapes string) *prom {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(shortened(t)), 0o600))
	config := "global: {scrape_interval: 500ms, evaluation_interval: 1s}\nrule_files: [rules.yaml]\n" +
		"scrape_configs: [{job_name: otelcol, static_configs: [{targets: ['" + scrapes + "']}]}]\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yaml"), []byte(config), 0o600))
	free, err := collectorproc.FreeEndpoints(t.Context(), 1)
	require.NoError(t, err)
	binary, err := filepath.Abs(filepath.Join(tools, "prometheus"))
	require.NoError(t, err)
	require.FileExists(t, binary, "make e2e-alerts builds it")
	var said bytes.Buffer
	cmd := exec.Command(binary, "--config.file=prometheus.yaml", "--storage.tsdb.path=data", "--web.listen-address="+free[0], "--log.level=warn")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
		_ = cmd.Wait() // it was told to end
		if t.Failed() {
			t.Logf("Prometheus says\n%s", &said)
		}
	})
	p := &prom{t: t, url: "http://" + free[0]}
	eventually(t, "Prometheus is ready", func() bool {
		resp, err := http.Get(p.url + "/-/ready")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return p
}

// get asks Prometheus' API.
func (p *prom) get(path string, data any) {
	p.t.Helper()
	resp, err := http.Get(p.url + path)
	require.NoError(p.t, err)
	defer resp.Body.Close()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: data}
	require.NoError(p.t, json.NewDecoder(resp.Body).Decode(&answer))
	require.Equal(p.t, "success", answer.Status, answer.Error)
}

// states are the states of all alerts: inactive, pending or firing.
func (p *prom) states() map[string]string {
	var rules struct {
		Groups []struct {
			Rules []struct{ Name, State, Type, Health, LastError string }
		}
	}
	p.get("/api/v1/rules", &rules)
	states := map[string]string{}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			require.NotEqual(p.t, "err", rule.Health, "%s: %s", rule.Name, rule.LastError)
			if rule.Type == "alerting" {
				states[rule.Name] = rule.State
			}
		}
	}
	return states
}

// results is how many series a query has now.
func (p *prom) results(query string) int {
	var data struct{ Result []any }
	p.get("/api/v1/query?query="+url.QueryEscape(query), &data)
	return len(data.Result)
}

// firing are the alerts that fire.
func (p *prom) firing() []string {
	states := p.states()
	maps.DeleteFunc(states, func(_, state string) bool { return state != "firing" })
	return slices.Sorted(maps.Keys(states))
}

// A phase is some traffic and what it has fire.
type phase struct {
	name   string
	send   func()
	refuse error // what the backend says
	fires  []string
}

// Alerts go from inactive to firing when runs get bad, and back when they are good again: all alerts of the rules, on a collector
// that runs.
func TestAlertsFire(t *testing.T) {
	b := startBackend(t)
	free, err := collectorproc.FreeEndpoints(t.Context(), 1)
	require.NoError(t, err)
	_, port, _ := strings.Cut(free[0], ":")
	c := startProcess(t, "../../dist/otelcol-tool-correctness", collectorproc.Settings{
		Config: "testdata/alerts/collector.yaml", Env: []string{"BACKEND_ENDPOINT=" + b.endpoint, "METRICS_PORT=" + port},
	})
	p := startPrometheus(t, free[0])
	good := func() { runAgent(t, overHTTP(t, c), "search_orders", "refund_order") }
	once := false // the phases before left nothing to wait for
	var fired []string
	for _, ph := range []phase{
		{name: "forbidden and missing calls", send: func() { runAgent(t, overHTTP(t, c), "delete_account") },
			fires: []string{"ToolCorrectnessForbiddenToolCalled", "ToolCorrectnessPassRateFell", "ToolCorrectnessScoreDropped"}},
		{name: "arguments are not captured", send: func() { c.post(t, runOf("search_orders", "refund_order")) },
			fires: []string{"ToolCorrectnessRunsNotScored"}},
		{name: "many runs without their anchors", send: func() { c.post(t, callsWithoutAnchors(60)) },
			fires: []string{"ToolCorrectnessNearLimit", "ToolCorrectnessRunsClosedEarly", "ToolCorrectnessRunsIncomplete"}},
		{name: "no agents", send: func() { c.post(t, ordinarySpan()) }, fires: []string{"ToolCorrectnessNothingJudged"}},
		{name: "the backend is down", send: func() { c.post(t, runOf()) }, refuse: status.Error(codes.Unavailable, "down"),
			fires: []string{"ToolCorrectnessHeldSpansStuck"}},
		{name: "the backend refuses for good", send: func() { c.post(t, runOf()) }, refuse: status.Error(codes.InvalidArgument, "no"),
			fires: []string{"ToolCorrectnessSpansLost"}},
	} {
		began := time.Now()
		p.during(good, "no alert fires while runs are good", func(firing []string) bool {
			return len(firing) == 0 && (once || time.Since(began) > 15*time.Second && p.results("tool_correctness:pass_ratio:1h == 1") == 1)
		})
		once = true
		b.refuse(ph.refuse)
		at := time.Now()
		firing := p.during(ph.send, ph.name, func(firing []string) bool {
			return !slices.ContainsFunc(ph.fires, func(name string) bool { return !slices.Contains(firing, name) })
		})
		b.refuse(nil)
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
