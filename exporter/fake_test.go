package toolcorrectnessscoresexporter

import (
	"encoding/base64"
	"encoding/json"
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
	fault    fault // asked before each request
	late     fault // asked after the request had its effect
	noTraces bool  // no trace has arrived
}

// A contract is how one backend differs from the others.
type contract struct {
	name      string
	configure func(c *Config, endpoint, key string)
	header    string // that has the key
	right     string // its value with the right key
	serve     func(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) (known bool)
	invalid   int    // the status of a request that breaks the schema
	keys      string // of the configuration, that an error about keys names
}

var contracts = []contract{
	{
		name: "langfuse", invalid: http.StatusBadRequest, keys: "langfuse.secret_key",
		configure: func(c *Config, endpoint, key string) {
			l := c.Langfuse.GetOrInsertDefault()
			l.ClientConfig.Endpoint, l.PublicKey, l.SecretKey = endpoint, "pk-public", configopaque.String(key)
		},
		header: "Authorization", right: basic("pk-public"), serve: serveLangfuse,
	},
	{
		name: "phoenix", invalid: http.StatusUnprocessableEntity, keys: "phoenix.api_key",
		configure: func(c *Config, endpoint, key string) {
			p := c.Phoenix.GetOrInsertDefault()
			p.ClientConfig.Endpoint, p.APIKey = endpoint, configopaque.String(key)
		},
		header: "Authorization", right: "Bearer " + rightKey, serve: servePhoenix,
	},
	{
		name: "datadog", invalid: http.StatusBadRequest, keys: "datadog.api_key",
		configure: func(c *Config, endpoint, key string) {
			d := c.Datadog.GetOrInsertDefault()
			d.ClientConfig.Endpoint, d.APIKey = endpoint, configopaque.String(key)
		},
		header: "DD-API-KEY", right: rightKey, serve: serveDatadog,
	},
	{
		name: "mlflow", invalid: http.StatusBadRequest, keys: "mlflow.password",
		configure: func(c *Config, endpoint, key string) {
			m := c.MLflow.GetOrInsertDefault()
			m.ClientConfig.Endpoint, m.Username, m.Password = endpoint, "collector", configopaque.String(key)
		},
		header: "Authorization", right: basic("collector"), serve: serveMLflow,
	},
}

func basic(user string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+rightKey))
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
		f.serve(f, httptest.NewRecorder(), r, body)
		if f.late(w, r) {
			return
		}
	}
	if !f.serve(f, w, r, body) {
		answer(w, http.StatusNotFound, `<html>not found</html>`)
	}
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func serveLangfuse(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) bool {
	if r.Method+r.URL.Path != "POST/api/public/scores" {
		return false
	}
	s := stored{score: body["value"]}
	s.explanation, _ = body["comment"].(string)
	if metadata, ok := body["metadata"].(map[string]any); ok {
		s.label, _ = metadata[attributes.EvaluationLabel].(string)
	}
	id := body["id"].(string)
	f.scores[strings.Join([]string{body["traceId"].(string), body["observationId"].(string), body["name"].(string), id}, " ")] = s
	answer(w, http.StatusOK, `{"id":"`+id+`"}`)
	return true
}

func servePhoenix(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) bool {
	if r.Method+r.URL.Path != "POST/v1/span_annotations" {
		return false
	}
	for _, item := range body["data"].([]any) {
		a := item.(map[string]any)
		result := a["result"].(map[string]any)
		s := stored{score: result["score"]}
		s.label, _ = result["label"].(string)
		s.explanation, _ = result["explanation"].(string)
		if metadata, ok := a["metadata"].(map[string]any); ok {
			s.failure, _ = metadata[attributes.ErrorType].(string)
		}
		f.scores[strings.Join([]string{a["span_id"].(string), a["name"].(string), a["identifier"].(string)}, " ")] = s
	}
	answer(w, http.StatusOK, `{"data":[]}`)
	return true
}

// serveDatadog keeps evaluations by everything that is sent, because Datadog publishes no identity.
func serveDatadog(f *fake, w http.ResponseWriter, r *http.Request, body map[string]any) bool {
	if r.Method+r.URL.Path != "POST/api/intake/llm-obs/v2/eval-metric" {
		return false
	}
	attributes := body["data"].(map[string]any)["attributes"].(map[string]any)
	for _, item := range attributes["metrics"].([]any) {
		m := item.(map[string]any)
		s := stored{score: m["score_value"]}
		s.label, _ = m["assessment"].(string)
		s.explanation, _ = m["reasoning"].(string)
		key, err := json.Marshal([]any{m["join_on"], m["label"], m["timestamp_ms"], m["tags"]})
		require.NoError(f.t, err)
		f.scores[string(key)] = s
	}
	answer(w, http.StatusAccepted, `{"data":{"type":"evaluation_metric","id":"456f4567-e89b-12d3-a456-426655440000"}}`)
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
	var s stored
	if r.Method != http.MethodGet {
		a := body["assessment"].(map[string]any)
		feedback := a["feedback"].(map[string]any)
		s = stored{score: feedback["value"]}
		s.explanation, _ = a["rationale"].(string)
		if e, failed := feedback["error"].(map[string]any); failed {
			s.failure = e["error_code"].(string)
		}
		if metadata, has := a["metadata"].(map[string]any); has {
			s.label, _ = metadata[attributes.EvaluationLabel].(string)
		}
		id = a["assessment_id"].(string)
	}
	_, exists := f.scores[trace+" "+id]
	switch {
	case f.noTraces || r.Method != http.MethodPost && !exists:
		answer(w, http.StatusNotFound, `{"error_code":"RESOURCE_DOES_NOT_EXIST","message":"Trace with ID 'tr-`+trace+`' not found."}`)
		return true
	case r.Method == http.MethodPost && exists:
		answer(w, http.StatusInternalServerError, `{"error_code":"INTERNAL_ERROR","message":"constraint violation"}`)
		return true
	case r.Method != http.MethodGet:
		f.scores[trace+" "+id] = s
	}
	answer(w, http.StatusOK, `{"assessment":{"assessment_id":"`+id+`"}}`)
	return true
}

// kept returns the scores of the backend, in a fixed order.
func (f *fake) kept() []stored {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(maps.Values(f.scores), func(a, b stored) int { return strings.Compare(a.label+a.failure, b.label+b.failure) })
}

// set changes the fake while it serves.
func (f *fake) set(change func(f *fake)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}
