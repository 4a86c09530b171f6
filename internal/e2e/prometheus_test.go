//go:build alerts

package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A prom is a running Prometheus that scrapes collectors.
type prom struct {
	t   *testing.T
	url string
}

func startPrometheus(t *testing.T, scrapes ...string) *prom {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(shortened(t)), 0o600))
	config := "global: {scrape_interval: 500ms, evaluation_interval: 1s}\nrule_files: [rules.yaml]\n" +
		"scrape_configs: [{job_name: otelcol, static_configs: [{targets: ['" + strings.Join(scrapes, "', '") + "']}]}]\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "prometheus.yaml"), []byte(config), 0o600))
	free, err := freeEndpoints(t.Context(), 1)
	require.NoError(t, err)
	binary, err := filepath.Abs(filepath.Join(tools, "prometheus"))
	require.NoError(t, err)
	require.FileExists(t, binary, "make e2e WITH=alerts builds it")
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
