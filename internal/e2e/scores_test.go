//go:build backends

package e2e

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// backendPatience bounds the start of a backend, which makes its database first, and the way of a score to its page.
const backendPatience = 5 * time.Minute

// venvs is where `make e2e WITH=backends` installs the backends, and pictures where the screenshots go.
const (
	venvs    = "../../.cache/backends"
	pictures = "../../.cache/backends/pictures"
)

// An annotation is a score as a backend shows it.
type annotation struct {
	name, label, explanation string
	score                    float64
}

// A scoreBackend is a backend that can be installed and run here.
type scoreBackend struct {
	name    string // of the example and the overlay
	venv    string // below venvs
	command []string
	env     []string
	health  string                                                    // a path that answers once the server runs
	find    func(t *testing.T, url string, run agentRun) []annotation // the scores of the run's span
	page    func(url string, run agentRun) string                     // the address of the page with the run
	opens   string                                                    // a script that opens the scores on the page, or ""
}

// run starts the server at a port of this machine. It ends with the test.
func (b *scoreBackend) run(t *testing.T, endpoint string) {
	t.Helper()
	free, err := freeEndpoints(t.Context(), 1)
	require.NoError(t, err)
	_, port, _ := strings.Cut(endpoint, ":")
	_, second, _ := strings.Cut(free[0], ":")
	dir := t.TempDir()
	with := strings.NewReplacer("{port}", port, "{dir}", dir, "{second}", second)
	args := make([]string, len(b.command))
	for i, a := range b.command {
		args[i] = with.Replace(a)
	}
	binary, err := filepath.Abs(filepath.Join(venvs, b.venv, "bin", args[0]))
	require.NoError(t, err)
	require.FileExists(t, binary, "make e2e WITH=backends installs it")
	log, err := os.Create(filepath.Join(venvs, b.name+".log"))
	require.NoError(t, err)
	defer log.Close()
	cmd := exec.Command(binary, args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	for _, e := range b.env {
		cmd.Env = append(cmd.Env, with.Replace(e))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the server has children, and all of them must end
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		timer := time.AfterFunc(20*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		defer timer.Stop()
		_ = cmd.Wait() // it was told to end
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	})
	slowly(t, b.name+" runs", func() bool {
		resp, err := http.Get("http://" + endpoint + b.health)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

func slowly(t *testing.T, claim string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, backendPatience, 250*time.Millisecond, "waited in vain until "+claim)
}

// get reads JSON. It reports false if there is none at this address.
func get(t *testing.T, url string, into any) bool {
	t.Helper()
	resp, err := http.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode == http.StatusOK && json.Unmarshal(data, into) == nil
}

var phoenixServer = scoreBackend{
	name: "phoenix", venv: "arize-phoenix", command: []string{"phoenix", "serve"}, health: "/healthz",
	env: []string{
		"PHOENIX_WORKING_DIR={dir}", "PHOENIX_HOST=127.0.0.1", "PHOENIX_PORT={port}", "PHOENIX_GRPC_PORT={second}",
		"PHOENIX_TELEMETRY_ENABLED=false", "PHOENIX_ALLOW_EXTERNAL_RESOURCES=false",
	},
	find: func(t *testing.T, url string, run agentRun) (all []annotation) {
		var got struct {
			Data []struct {
				Name   string
				Result struct {
					Label, Explanation string
					Score              float64
				}
			}
		}
		if !get(t, url+"/v1/projects/default/span_annotations?span_ids="+hex.EncodeToString(run.anchor.span[:]), &got) {
			return nil
		}
		for _, a := range got.Data {
			all = append(all, annotation{a.Name, a.Result.Label, a.Result.Explanation, a.Result.Score})
		}
		return all
	},
	page: func(url string, run agentRun) string {
		return url + "/redirects/spans/" + hex.EncodeToString(run.anchor.span[:])
	},
}

var mlflowServer = scoreBackend{
	name: "mlflow", venv: "mlflow", health: "/health",
	command: []string{"mlflow", "server", "--host", "127.0.0.1", "--port", "{port}", "--workers", "1", "--backend-store-uri", "sqlite:///{dir}/mlflow.db"},
	env:     []string{"MLFLOW_DISABLE_TELEMETRY=true", "DO_NOT_TRACK=true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false"},
	find: func(t *testing.T, url string, run agentRun) (all []annotation) {
		var got struct {
			Trace struct {
				Info struct {
					Assessments []struct {
						Name      string `json:"assessment_name"`
						SpanID    string `json:"span_id"`
						Rationale string
						Feedback  struct{ Value float64 }
						Metadata  map[string]string
					}
				} `json:"trace_info"`
			}
		}
		if !get(t, url+"/api/3.0/mlflow/traces/tr-"+hex.EncodeToString(run.anchor.trace[:]), &got) {
			return nil
		}
		for _, a := range got.Trace.Info.Assessments {
			require.Equal(t, hex.EncodeToString(run.anchor.span[:]), a.SpanID)
			all = append(all, annotation{a.Name, a.Metadata["gen_ai.evaluation.score.label"], a.Rationale, a.Feedback.Value})
		}
		return all
	},
	opens: `window.opened ||= [...document.querySelectorAll("button")].filter(b => b.innerText.includes("Assess")).map(b => b.click()).length > 0`,
	page: func(url string, run agentRun) string {
		return url + "/#/experiments/0/traces?selectedEvaluationId=tr-" + hex.EncodeToString(run.anchor.trace[:])
	},
}

func TestScoresInPhoenix(t *testing.T) { scoresArrive(t, &phoenixServer) }
func TestScoresInMLflow(t *testing.T)  { scoresArrive(t, &mlflowServer) }

// Two runs, one scored while the backend is down and one later, each have one score in the API and on the page. A verdict
// that is sent again replaces the first one.
func scoresArrive(t *testing.T, b *scoreBackend) {
	free, err := freeEndpoints(t.Context(), 1)
	require.NoError(t, err)
	url := "http://" + free[0]
	c := startHealthy(t, "../../dist/otelcol-tool-correctness", processSettings{
		config:   "../../examples/scores-" + b.name + ".yaml",
		overlays: []string{"testdata/overlay-receiver.yaml", "testdata/overlay-scores.yaml", "testdata/overlay-scores-" + b.name + ".yaml"},
		env:      []string{"BACKEND_URL=" + url, "PHOENIX_API_KEY="},
	})
	bad := runAgent(t, overGRPC(t, c), "web_search")
	b.run(t, free[0])
	good := runAgent(t, overHTTP(t, c), "search_orders", "refund_order")

	var found []annotation
	for _, want := range []struct {
		run agentRun
		annotation
	}{
		{bad, annotation{name: "tool_correctness", label: "fail", score: 0}},
		{good, annotation{name: "tool_correctness", label: "pass", score: 1}},
	} {
		slowly(t, "the score is in "+b.name, func() bool { found = b.find(t, url, want.run); return len(found) > 0 })
		require.NotEmpty(t, found[0].explanation)
		t.Logf("%s has %+v", b.name, found)
		found[0].explanation = ""
		require.Equal(t, []annotation{want.annotation}, found)
	}
	for range 2 {
		c.sendVerdict(t, good, 0.25)
	}
	slowly(t, "the score is replaced", func() bool { found = b.find(t, url, good); return found[0].score == 0.25 })
	require.Len(t, found, 1)
	b.photograph(t, url, good, "0.25")
	c.stop(t)
}

// sendVerdict sends the collector a log record about the run, as a connector in another collector does.
func (c *collector) sendVerdict(t *testing.T, run agentRun, score float64) {
	t.Helper()
	body := fmt.Sprintf(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"gen_ai.evaluation.result","traceId":"%s","spanId":"%s",
		"timeUnixNano":"%d","observedTimeUnixNano":"%[3]d","attributes":[
		{"key":"gen_ai.evaluation.name","value":{"stringValue":"tool_correctness"}},
		{"key":"gen_ai.evaluation.score.value","value":{"doubleValue":%g}},
		{"key":"gen_ai.evaluation.score.label","value":{"stringValue":"fail"}},
		{"key":"gen_ai.evaluation.explanation","value":{"stringValue":"judged again"}}]}]}]}]}`,
		hex.EncodeToString(run.anchor.trace[:]), hex.EncodeToString(run.anchor.span[:]), time.Now().UnixNano(), score)
	resp, err := http.Post("http://"+c.http+"/v1/logs", "application/json", strings.NewReader(body))
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
}

// photograph opens the page of the run, requires that it shows the score, and keeps a picture of it. The score must stand nowhere
// else on the page.
func (b *scoreBackend) photograph(t *testing.T, url string, run agentRun, score string) {
	t.Helper()
	binary, err := exec.LookPath("chromium")
	require.NoError(t, err, "make e2e WITH=backends installs it")
	require.NoError(t, os.MkdirAll(pictures, 0o755))
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(binary), chromedp.NoSandbox, chromedp.WindowSize(1600, 1000))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, backendPatience)
	defer cancel()
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(b.page(url, run))))
	script := b.opens + "; document.body.innerText.includes(" + strconv.Quote(score) + ")"
	shown := func() (ok bool) {
		_ = chromedp.Run(ctx, chromedp.Evaluate(script, &ok)) // the page may be loading
		return ok
	}
	picture := func(name string) {
		var png []byte
		require.NoError(t, chromedp.Run(ctx, chromedp.Sleep(5*time.Second), chromedp.CaptureScreenshot(&png)))
		file := filepath.Join(pictures, b.name+name+".png")
		require.NoError(t, os.WriteFile(file, png, 0o644))
		t.Logf("a picture of the page is in %s", file)
	}
	for deadline := time.Now().Add(time.Minute); !shown(); time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			picture("-without")
			t.Fatalf("the page does not show the score %s", score)
		}
	}
	picture("")
}
