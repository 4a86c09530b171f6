package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// A watching is a command that receives.
type watching struct {
	page string
	end  func() result // interrupts it
}

func watch(t *testing.T, args ...string) *watching {
	t.Helper()
	stderr, to := io.Pipe()
	var stdout, rest bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		code := run(append([]string{"watch", "-http", "127.0.0.1:0"}, args...), strings.NewReader(""), &stdout, to)
		to.Close()
		ended <- code
	}()
	lines := bufio.NewReader(stderr)
	w := &watching{}
	for w.page == "" {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		if _, address, is := strings.Cut(line, "OTEL_EXPORTER_OTLP_ENDPOINT="); is {
			w.page, _, _ = strings.Cut(address, " ")
		}
	}
	read := make(chan struct{})
	go func() {
		_, _ = io.Copy(&rest, lines)
		close(read)
	}()
	w.end = func() result {
		self, err := os.FindProcess(os.Getpid())
		require.NoError(t, err)
		require.NoError(t, self.Signal(os.Interrupt))
		code := <-ended
		<-read
		return result{code, stdout.String(), rest.String()}
	}
	return w
}

// ask sends a request with JSON, unless its headers say otherwise, and returns the status and the text of the answer.
func (w *watching) ask(t *testing.T, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, w.page+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	for header := range slices.Chunk(headers, 2) {
		request.Header.Set(header[0], header[1])
	}
	request.Host = request.Header.Get("Host")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

// What arrives, in either form and also compressed, is judged as it is from files, and ends with the same code.
func TestWatchJudges(t *testing.T) {
	w := watch(t, "-config", demo)
	for i, name := range recordings(t) {
		for line := range strings.Lines(readFile(t, name)) {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(line))
			require.NoError(t, err)
			request := ptraceotlp.NewExportRequestFromTraces(td)
			proto, err := request.MarshalProto()
			require.NoError(t, err)
			code := http.StatusOK
			switch i % 3 {
			case 0:
				code, _ = w.ask(t, http.MethodPost, "/v1/traces", line)
			case 1:
				code, _ = w.ask(t, http.MethodPost, "/v1/traces", string(proto), "Content-Type", "application/x-protobuf")
			case 2:
				code, _ = w.ask(t, http.MethodPost, "/v1/traces", packed(t, string(proto)), "Content-Type", "application/x-protobuf", "Content-Encoding", "gzip")
			}
			require.Equal(t, http.StatusOK, code)
		}
	}
	got := w.end()
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.stderr, "spans arrive\n")
	assert.Contains(t, got.stderr, "toolcorrectness: 5 of 10 judged runs failed\n")
	files := rowsIn(t, command("", append([]string{"-config", demo, "-format", "json"}, recordings(t)...)...).stdout)
	require.Len(t, strings.Split(strings.TrimSpace(got.stdout), "\n"), len(files))
	for _, row := range files {
		assert.Contains(t, got.stdout, row["reason"])
	}
}

// Without a configuration runs are listed, and nothing fails.
func TestWatchLists(t *testing.T) {
	w := watch(t)
	_, page := w.ask(t, http.MethodGet, "/", "", "Host", "localhost")
	assert.Contains(t, page, "Point your agent here: <code>OTEL_EXPORTER_OTLP_ENDPOINT="+w.page+" OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf</code>")
	code, response := w.ask(t, http.MethodPost, "/v1/traces", readFile(t, mastra))
	assert.Equal(t, http.StatusOK, code)
	assert.Equal(t, "{}", response)
	got := w.end()
	assert.Equal(t, exitPassed, got.code)
	assert.Regexp(t, `^\d\d:\d\d:\d\d  travel_desk: get_weather, convert_currency\n$`, got.stdout)
	assert.Equal(t, exitPassed, watch(t).end().code, "also of nothing")
}

// The page has the runs that have closed, and is told of further ones.
func TestWatchPage(t *testing.T) {
	config := section(t, "run: {wait: 0s}\nexpectations: [{tools: [get_weather, refund]}]\nstorage: nowhere")
	w := watch(t, "-config", config, "-pass-rate", "0")
	_, _ = w.ask(t, http.MethodPost, "/v1/traces", readFile(t, mastra))
	assert.Eventually(t, func() bool {
		_, runs := w.ask(t, http.MethodGet, "/runs", "", "Host", "127.0.0.1")
		return runs == "1"
	}, 20*time.Second, time.Millisecond)
	for host, want := range map[string]int{"localhost:1": 200, "127.0.0.1": 200, "[::1]:80": 200, "example.org": 403, "": 200} {
		code, page := w.ask(t, http.MethodGet, "/", "", "Host", host)
		assert.Equal(t, want, code, host)
		assert.Equal(t, want == 200, strings.Contains(page, "travel_desk"), host)
		assert.Equal(t, want == 200, strings.Contains(page, `data-runs="1"`) && strings.Contains(page, "connect-src 'self'"), host)
		assert.NotContains(t, page, "Paris", "values are private")
	}
	code, _ := w.ask(t, http.MethodGet, "/other", "", "Host", "localhost")
	assert.Equal(t, http.StatusNotFound, code)

	assert.Equal(t, exitPassed, w.end().code)
}

func TestWatchRefuses(t *testing.T) {
	w := watch(t)
	for _, tc := range []struct {
		claim, path, body string
		headers           []string
		want              int
	}{
		{"a form that OTLP does not have", "/v1/traces", "{}", []string{"Content-Type", "text/plain"}, http.StatusUnsupportedMediaType},
		{"JSON that is none", "/v1/traces", "{", nil, http.StatusBadRequest},
		{"protobuf that is none", "/v1/traces", "{", []string{"Content-Type", "application/x-protobuf"}, http.StatusBadRequest},
		{"a body that is not compressed", "/v1/traces", "{}", []string{"Content-Encoding", "gzip"}, http.StatusBadRequest},
		{"a body that grows", "/v1/traces", strings.Repeat(packed(t, strings.Repeat(" ", 1<<20)), maxRequest>>20+1), []string{"Content-Encoding", "gzip"}, http.StatusBadRequest},
		{"logs are dropped", "/v1/logs", "{}", nil, http.StatusOK},
		{"metrics are dropped", "/v1/metrics", "", []string{"Content-Type", "application/x-protobuf"}, http.StatusOK},
		{"another path", "/v1/profiles", "{}", nil, http.StatusMethodNotAllowed},
	} {
		code, response := w.ask(t, http.MethodPost, tc.path, tc.body, tc.headers...)
		assert.Equal(t, tc.want, code, "%s: %s", tc.claim, response)
	}
	address := strings.TrimPrefix(w.page, "http://")
	assert.Contains(t, ends(t, exitUsage, "", "watch", "-http", address).stderr, "-http: listen tcp "+address)
	assert.Contains(t, w.end().stderr, "no runs: 0 spans arrived")
	ends(t, exitUsage, "", "watch", mastra)
	ends(t, exitUsage, "", "watch", "-pass-rate", "2")
}

// However many runs close, a part of them is kept, and all are counted.
func TestWatchIsBounded(t *testing.T) {
	w := &watcher{streams: streams{out: io.Discard, err: io.Discard}}
	for i := range 3 * maxWatched {
		w.show([]report.Row{{Agent: strconv.Itoa(i), Status: report.NoExpectation}})
	}
	require.Len(t, w.latest, maxWatched)
	assert.Equal(t, strconv.Itoa(3*maxWatched-1), w.latest[0][0].Agent)
	assert.Equal(t, 3*maxWatched, w.sum.Runs)
}
