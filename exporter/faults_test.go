package toolcorrectnessscoresexporter

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
)

func status(code int) fault {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		answer(w, code, `{"message":"`+secret+`"}`)
		return true
	}
}

func content(code int, body string) fault {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		answer(w, code, body)
		return true
	}
}

func hangUp(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }

// during is for a number of requests; later ones succeed.
func during(n int, f fault) fault {
	return func(w http.ResponseWriter, r *http.Request) bool {
		n--
		return n >= 0 && f(w, r)
	}
}

// A fault of the backend is either retried until it ends, or is an error that says what to do.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault  fault
		key    string
		says   string // in the error; "" if the scores arrive
		lost   bool   // whether the scores are counted as refused
		reason string
	}{
		"none":               {nil, rightKey, "", false, "nothing is wrong"},
		"down, then up":      {during(2, hangUp), rightKey, "", false, "the network fails at times"},
		"500, then up":       {during(2, status(500)), rightKey, "", false, "servers restart"},
		"408, then up":       {during(1, status(408)), rightKey, "", false, "a slow request may be repeated"},
		"429, then up":       {during(1, status(429)), rightKey, "", false, "limits pass"},
		"down":               {hangUp, rightKey, "cannot be reached", false, "exporterhelper counts what it gave up"},
		"500":                {status(500), rightKey, "failed with status 500", false, "as above"},
		"429":                {status(429), rightKey, "asked to be sent less with status 429", false, "as above"},
		"wrong key":          {nil, wrongKey, "refused scores with status 401: the key is missing or wrong; check ", true, "the user must mend it"},
		"no permission":      {status(403), rightKey, "status 403: the key may not write scores", true, "the user must mend it"},
		"another server":     {content(404, "<html>"), rightKey, "status 404: there is no such API at this address", true, "the user must mend it"},
		"another method":     {content(405, ""), rightKey, "status 405: there is no such API at this address", true, "the user must mend it"},
		"too large":          {status(413), rightKey, "status 413: the request is too large", true, "the same again is too large again"},
		"a conflict":         {status(409), rightKey, "status 409: the request is not accepted", true, "other refusals are final, too"},
		"a redirect":         {redirect, rightKey, "status 302: redirects are not followed", true, "a key must not go to another host"},
		"invalid":            {content(422, `{"detail":[{"loc":["body","data",0,"name","`+secret+`"]}]}`), rightKey, "status 422: the request is not as the API wants it", true, "a value may stand in the answer"},
		"hangs up in answer": {during(1, half), rightKey, "", false, "the rest of the answer is missing"},
	} {
		for _, b := range contracts {
			t.Run(b.name+"/"+name, func(t *testing.T) {
				f := startFake(t, b)
				f.fault = c.fault
				x := exporterTo(t, f, c.key, func(cfg *Config) { cfg.RetryConfig.Enabled = c.says == "" })
				err := x.ConsumeLogs(t.Context(), logsOf(t, passed, failed))
				x.quiet(t, err)
				if c.says == "" {
					require.NoError(t, err, c.reason)
					require.Len(t, f.kept(), 2)
					require.Equal(t, map[string]int64{"scores_sent": 2}, x.counts(t))
					return
				}
				require.ErrorContains(t, err, c.says, c.reason)
				require.Contains(t, strings.ToLower(err.Error()), b.name, "the error names the backend")
				require.Equal(t, c.lost, consumererror.IsPermanent(err))
				require.Empty(t, f.kept())
				if c.lost {
					require.Equal(t, map[string]int64{"scores_refused": 2}, x.counts(t))
				}
				if name == "wrong key" {
					require.ErrorContains(t, err, b.keys)
				}
			})
		}
	}
}

// silent takes a request and never responds.
func silent(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body) // until then the server does not notice that the client has gone
	<-r.Context().Done()
	return true
}

// A long outage, and a backend that does not respond for a while, lose no score and store none twice.
func TestOutagesEnd(t *testing.T) {
	for name, c := range map[string]struct {
		fault   func() fault
		timeout time.Duration // of a batch
		reason  string
	}{
		"down for as long as 50 attempts take": {func() fault { return during(50, hangUp) }, 30 * time.Second, "the sender's queue waits"},
		"silent, then up":                      {func() fault { return during(2, silent) }, 100 * time.Millisecond, "a request ends with the timeout, and is tried again"},
	} {
		for _, b := range contracts {
			t.Run(b.name+"/"+name, func(t *testing.T) {
				f := startFake(t, b)
				f.fault = c.fault()
				x := exporterTo(t, f, rightKey, func(cfg *Config) { cfg.TimeoutConfig.Timeout = c.timeout })
				require.NoError(t, x.ConsumeLogs(t.Context(), logsOf(t, passed, failed)), c.reason)
				require.Len(t, x.kept(), 2, c.reason)
				require.Equal(t, map[string]int64{"scores_sent": 2}, x.counts(t))
			})
		}
	}
}

func redirect(w http.ResponseWriter, r *http.Request) bool {
	if strings.HasPrefix(r.URL.Path, "/elsewhere") {
		panic("a redirect was followed")
	}
	http.Redirect(w, r, "/elsewhere", http.StatusFound)
	return true
}

func half(w http.ResponseWriter, _ *http.Request) bool {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"id":`))
	return true
}

// A response that is not the API's is no proof that a score is stored.
func TestGarbledAnswers(t *testing.T) {
	for _, b := range contracts {
		for _, body := range []string{"<html>log in</html>", "null and void", `{"id":`} {
			t.Run(b.name+"/"+body, func(t *testing.T) {
				f := startFake(t, b)
				f.fault = content(200, body)
				x := exporterTo(t, f, rightKey, once)
				err := x.ConsumeLogs(t.Context(), logsOf(t, passed))
				require.ErrorContains(t, err, "sent a response that its API does not define; check `endpoint`")
				require.Equal(t, b.adds, consumererror.IsPermanent(err), "a request that is sent again would add a score")
				x.quiet(t, err)
			})
		}
	}
}

// For a backend that is down, not every score of a batch is tried.
func TestServerThatFailsIsNotAskedForEachScore(t *testing.T) {
	for _, c := range []struct {
		fault fault
		want  int
	}{{status(500), 3}, {status(429), 1}, {status(401), 1}} {
		f := startFake(t, contractOf("langfuse"))
		f.fault = c.fault
		x := exporterTo(t, f, rightKey, once)
		require.Error(t, x.ConsumeLogs(t.Context(), logsOf(t, passed, passed, passed, passed, passed, passed)))
		require.Equal(t, c.want, f.requests)
	}
}

// The trace of a score may arrive later. MLflow needs it first.
func TestMLflowWaitsForTheTrace(t *testing.T) {
	f := startFake(t, contractOf("mlflow"))
	f.noTraces = true
	f.fault = func(http.ResponseWriter, *http.Request) bool {
		f.noTraces = f.requests < 3
		return false
	}
	x := exporterTo(t, f, rightKey)
	require.NoError(t, x.ConsumeLogs(t.Context(), logsOf(t, passed)))
	require.Len(t, f.kept(), 1)

	f.set(func(f *fake) { f.fault, f.noTraces = nil, true })
	x = exporterTo(t, f, rightKey, once)
	err := x.ConsumeLogs(t.Context(), logsOf(t, failed))
	require.ErrorIs(t, err, errNoTrace)
	require.False(t, consumererror.IsPermanent(err))
}

// The wait for a trace ends. It begins again when the server was unavailable, because then the spans are late as well.
func TestMLflowWaitEnds(t *testing.T) {
	m := &mlflow{}
	s := &score{observed: time.Now().Add(-mlflowWait)}
	require.ErrorContains(t, m.late(s), "the trace did not arrive")
	require.True(t, consumererror.IsPermanent(m.late(s)))
	m.trouble()
	require.ErrorIs(t, m.late(s), errNoTrace)
	s.observed = time.Now()
	m.troubled.Store(0)
	require.ErrorIs(t, m.late(s), errNoTrace)
}

// The exporter waits for as long as the backend demands.
func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "": 0, "soon": 0, "-1": 0, "99999999": 24 * time.Hour,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
	} {
		require.Equal(t, want, retryAfter(header), "Retry-After: %s", header)
	}
	eachBackend(t, func(t *testing.T, x fixture) {
		x.set(func(f *fake) {
			f.fault = func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("Retry-After", "30")
				return status(429)(w, r)
			}
		})
		err := x.ConsumeLogs(t.Context(), logsOf(t, passed, failed))
		require.ErrorContains(t, err, "Throttle (30s)", "exporterhelper waits so long")
		require.Equal(t, 1, x.requests, "the wait is longer than the time for retries")
		require.True(t, unavailable(err))
	})
}
