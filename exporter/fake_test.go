package toolcorrectnessscoresexporter

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

const (
	rightKey = "sk-right-0f3a"
	wrongKey = "sk-wrong-77d1"
)

// A stored score is what a backend keeps of one, in words that all backends share.
type stored struct {
	score       any // a float64, or nil
	label       string
	explanation string
	failure     string
}

// A fault responds instead of the backend. It returns whether it did.
type fault func(w http.ResponseWriter, r *http.Request) bool

// A fake is a server with the API of one backend. It checks every request against the schema in testdata, and keeps scores by
// the identity that the backend has.
type fake struct {
	t      *testing.T
	url    string
	schema *jsonschema.Schema
	contract

	mu       sync.Mutex
	scores   map[string]stored
	requests int
	last     string // the body of the last request
	fault    fault  // asked before each request
	late     fault  // asked after the request had its effect
	noTraces bool   // no trace has arrived
}

// A contract is how one backend differs from the others.
type contract struct {
	name      string
	configure func(c *Config, endpoint, key string)
	header    string // that has the key
	right     string // its value with the right key
	keys      string // of the configuration, that an error about keys names
	invalid   int    // the status of a request that breaks the schema
	adds      bool   // whether a request that is sent again adds scores

	// takes reports whether the backend has a place for a run without a score. Nil: it has none.
	takes func(s stored) bool
	// Of a request: method and path, where its scores are (empty: it is one), and where they have their parts. A part without a
	// place is not kept. id has what makes a score another one.
	request, list                      string
	id                                 []string
	score, label, explanation, failure string
	answer                             string // to a request; ID is the id of its score
	accepted                           int    // the status of the answer; 0: 200
	// serve is for an API that takes more than one kind of request.
	serve func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) (known bool)
}

var contracts = []contract{
	{
		name: "langfuse", invalid: http.StatusBadRequest, keys: "langfuse.secret_key",
		configure: func(c *Config, endpoint, key string) {
			l := c.Langfuse.GetOrInsertDefault()
			l.ClientConfig.Endpoint, l.PublicKey, l.SecretKey = endpoint, "pk-public", configopaque.String(key)
		},
		header: "Authorization", right: basic("pk-public"),
		request: "POST /api/public/scores", id: []string{"/traceId", "/observationId", "/name", "/id"},
		score: "/value", label: "/metadata/" + attributes.EvaluationLabel, explanation: "/comment", answer: `{"id":"ID"}`,
	},
	{
		name: "phoenix", invalid: http.StatusUnprocessableEntity, keys: "phoenix.api_key",
		configure: func(c *Config, endpoint, key string) {
			p := c.Phoenix.GetOrInsertDefault()
			p.ClientConfig.Endpoint, p.APIKey = endpoint, configopaque.String(key)
		},
		header: "Authorization", right: "Bearer " + rightKey, takes: func(s stored) bool { return s.label != "" },
		request: "POST /v1/span_annotations", list: "/data", id: []string{"/span_id", "/name", "/identifier"},
		score: "/result/score", label: "/result/label", explanation: "/result/explanation", failure: "/metadata/" + attributes.ErrorType, answer: `{"data":[]}`,
	},
	{ // Datadog publishes no identity, so everything that is sent is one
		name: "datadog", invalid: http.StatusBadRequest, keys: "datadog.api_key", adds: true,
		configure: func(c *Config, endpoint, key string) {
			d := c.Datadog.GetOrInsertDefault()
			d.ClientConfig.Endpoint, d.APIKey = endpoint, configopaque.String(key)
		},
		header: "DD-API-KEY", right: rightKey,
		request: "POST /api/intake/llm-obs/v2/eval-metric", list: "/data/attributes/metrics", id: []string{"/join_on", "/label", "/timestamp_ms", "/tags"},
		score: "/score_value", label: "/assessment", explanation: "/reasoning", accepted: http.StatusAccepted,
		answer: `{"data":{"type":"evaluation_metric","id":"456f4567-e89b-12d3-a456-426655440000"}}`,
	},
	{
		name: "mlflow", invalid: http.StatusBadRequest, keys: "mlflow.password",
		configure: func(c *Config, endpoint, key string) {
			m := c.MLflow.GetOrInsertDefault()
			m.ClientConfig.Endpoint, m.Username, m.Password = endpoint, "collector", configopaque.String(key)
		},
		header: "Authorization", right: basic("collector"), takes: func(s stored) bool { return s.failure != "" },
		list: "/assessment", id: []string{"/trace_id", "/assessment_id"}, score: "/feedback/value", label: "/metadata/" + attributes.EvaluationLabel,
		explanation: "/rationale", failure: "/feedback/error/error_code", serve: serveMLflow,
	},
}

// of returns what the backend keeps of scores.
func (c *contract) of(all ...stored) (kept []stored) {
	for _, s := range all {
		if s.score == nil && (c.takes == nil || !c.takes(s)) {
			continue
		}
		if c.label == "" {
			s.label = ""
		}
		if c.explanation == "" {
			s.explanation = ""
		}
		if c.failure == "" {
			s.failure = ""
		}
		kept = append(kept, s)
	}
	return kept
}

// at is the value at a place in JSON; nil if there is none.
func at(value any, place string) any {
	for _, key := range strings.Split(place, "/")[1:] {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

// keep keeps the scores of a request, and returns the last part of the last one's identity.
func (f *fake) keep(body map[string]any) (id string) {
	list, several := at(body, f.list).([]any)
	if !several {
		list = []any{at(body, f.list)}
	}
	text := func(score any, place string) string {
		s, _ := at(score, place).(string)
		return s
	}
	for _, score := range list {
		var ids []string
		for _, place := range f.id {
			id = fmt.Sprint(at(score, place))
			ids = append(ids, id)
		}
		f.scores[strings.Join(ids, " ")] = stored{at(score, f.score), text(score, f.label), text(score, f.explanation), text(score, f.failure)}
	}
	return id
}

func basic(user string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+rightKey))
}

// contractOf is that of a name.
func contractOf(name string) contract {
	return contracts[slices.IndexFunc(contracts, func(c contract) bool { return c.name == name })]
}

func startFake(t *testing.T, c contract) *fake {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", c.name+".schema.json"))
	require.NoError(t, err)
	f := &fake{t: t, schema: schema, contract: c, scores: make(map[string]stored)}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	if f.fault != nil && f.fault(w, r) {
		return
	}
	if key := r.Header.Get(f.header); key != f.right {
		answer(w, http.StatusUnauthorized, `{"message":"Invalid credentials: `+key+`"}`)
		return
	}
	var body map[string]any
	if r.Method != http.MethodGet {
		data, err := io.ReadAll(r.Body)
		f.last = string(data)
		if err != nil || r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(data, &body) != nil {
			answer(w, http.StatusUnsupportedMediaType, `{}`)
			return
		}
		if err := f.schema.Validate(any(body)); err != nil {
			if !strings.Contains(string(data), "note") {
				f.t.Errorf("%s: request against the schema: %v", f.name, err)
			}
			answer(w, f.invalid, `{"detail":[{"loc":["body","data",0,"name"],"msg":"secret reason"}],"error":[{"path":["name"],"message":"secret reason"}]}`)
			return
		}
	}
	if f.late != nil {
		f.respond(httptest.NewRecorder(), r, body)
		if f.late(w, r) {
			return
		}
	}
	if !f.respond(w, r, body) {
		answer(w, http.StatusNotFound, `<html>not found</html>`)
	}
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// respond does what a request asks for, and reports whether the API has such a request.
func (f *fake) respond(w http.ResponseWriter, r *http.Request, body map[string]any) (known bool) {
	if f.serve != nil {
		return f.serve(f, w, r, body)
	}
	if r.Method+" "+r.URL.Path != f.request {
		return false
	}
	answer(w, cmp.Or(f.accepted, http.StatusOK), strings.ReplaceAll(f.answer, "ID", f.keep(body)))
	return true
}

// serveMLflow refuses a second assessment with the same id as MLflow 3 does, with status 500.
func serveMLflow(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) bool {
	path, found := strings.CutPrefix(r.URL.Path, "/api/3.0/mlflow/traces/tr-")
	trace, id, ok := strings.Cut(path, "/assessments")
	id = strings.TrimPrefix(id, "/")
	if !found || !ok || (r.Method == http.MethodPost) != (id == "") {
		return false
	}
	if r.Method == http.MethodPost {
		id, _ = at(body, "/assessment/assessment_id").(string)
	}
	_, exists := f.scores["tr-"+trace+" "+id]
	switch {
	case f.noTraces || r.Method != http.MethodPost && !exists:
		answer(w, http.StatusNotFound, `{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"Trace with ID 'tr-`+trace+`' not found."}`)
		return true
	case r.Method == http.MethodPost && exists:
		answer(w, http.StatusInternalServerError, `{"error_code":"INTERNAL_ERROR","message":"constraint violation"}`)
		return true
	case r.Method != http.MethodGet:
		f.keep(body)
	}
	answer(w, http.StatusOK, `{"assessment":{"assessment_id":"`+id+`"}}`)
	return true
}

// kept returns the scores of the backend, in any order.
func (f *fake) kept() []stored {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.scores))
}

// set changes the fake while it serves.
func (f *fake) set(change func(f *fake)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}
