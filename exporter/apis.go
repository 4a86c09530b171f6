package toolcorrectnessscoresexporter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// LangfuseConfig is a project of Langfuse, which gets scores.
type LangfuseConfig struct {
	// ClientConfig is the HTTP client. Its endpoint is the address of Langfuse without a path, such as https://cloud.langfuse.com.
	ClientConfig confighttp.ClientConfig `mapstructure:",squash"`

	// The keys of the project are required.
	PublicKey configopaque.String `mapstructure:"public_key"`
	SecretKey configopaque.String `mapstructure:"secret_key"`
}

// Validate reports a missing key or an unusable endpoint.
func (c *LangfuseConfig) Validate() error {
	return errors.Join(checkEndpoint(c.ClientConfig.Endpoint), required("public_key", c.PublicKey), required("secret_key", c.SecretKey))
}

// backend sends scores to Langfuse, one request a score.
//
// Source: the OpenAPI description of Langfuse (web/public/generated/api/openapi.yml in the repository langfuse/langfuse), POST
// /api/public/scores with CreateScoreRequest. A score with an id that is there already is an update of it. The batches of POST
// /api/public/ingestion are deprecated and not in version 4, so they are not used. Langfuse has no place for a run without a score.
func (c *LangfuseConfig) backend() *backend {
	return &backend{
		name: "Langfuse", keys: "`langfuse.public_key` and `langfuse.secret_key`", config: &c.ClientConfig, single: true,
		takes:     func(s *score) bool { return s.scored },
		authorize: func(req *http.Request) { req.SetBasicAuth(string(c.PublicKey), string(c.SecretKey)) },
		post: func(ctx context.Context, b *backend, scores []score) error {
			s := &scores[0]
			f := form{
				"id": s.id(), "traceId": s.traceID.String(), "observationId": s.spanID.String(), "name": s.name, "value": s.value,
				"dataType": "NUMERIC", "metadata": s.detailsWith(attributes.EvaluationLabel, s.label), "comment": s.explanation,
				"environment": langfuseEnvironment(s.environment),
			}.said()
			return b.ask(ctx, http.MethodPost, "/api/public/scores", f, func(answer []byte) bool {
				var created struct{ ID string }
				return json.Unmarshal(answer, &created) == nil && created.ID == s.id()
			})
		},
	}
}

var environmentName = regexp.MustCompile(`^[a-z0-9_-]{1,40}$`)

// langfuseEnvironment returns the environment in which Langfuse shows the trace, or "" for its default. Langfuse takes lower-case
// names only, and none that begin with langfuse.
func langfuseEnvironment(name string) string {
	if !environmentName.MatchString(name) || strings.HasPrefix(name, "langfuse") {
		return ""
	}
	return name
}

// PhoenixConfig is a server of Arize Phoenix, which gets span annotations.
type PhoenixConfig struct {
	// ClientConfig is the HTTP client. Its endpoint is the address of Phoenix, such as http://localhost:6006.
	ClientConfig confighttp.ClientConfig `mapstructure:",squash"`

	// APIKey is a system key or a user's key. It is empty if the server needs none.
	APIKey configopaque.String `mapstructure:"api_key"`
}

// Validate reports an unusable endpoint.
func (c *PhoenixConfig) Validate() error { return checkEndpoint(c.ClientConfig.Endpoint) }

// backend sends span annotations to Arize Phoenix, one request a batch.
//
// Source: the OpenAPI description of Phoenix (schemas/openapi.json in the repository Arize-ai/phoenix), POST /v1/span_annotations
// with AnnotateSpansRequestBody. An annotation with a name, a span and an identifier that are there already is an update of it.
// Without sync=true Phoenix keeps annotations whose span has not arrived, and tries them for ten minutes
// (src/phoenix/db/insertion). So spans and scores may arrive in any order.
func (c *PhoenixConfig) backend() *backend {
	return &backend{
		name: "Phoenix", keys: "`phoenix.api_key`", config: &c.ClientConfig,
		takes: func(s *score) bool { return s.scored || s.label != "" },
		authorize: func(req *http.Request) {
			if c.APIKey != "" {
				req.Header.Set("Authorization", "Bearer "+string(c.APIKey))
			}
		},
		post: func(ctx context.Context, b *backend, scores []score) error {
			annotations := make([]form, len(scores))
			for i := range scores {
				s := &scores[i]
				result := form{"label": s.label, "explanation": s.explanation}.said()
				if s.scored {
					result["score"] = s.value
				}
				annotations[i] = form{ // with an identifier that distinguishes it from annotations of others with the same name
					"span_id": s.spanID.String(), "name": s.name, "annotator_kind": "CODE", "identifier": "tool_correctness", "result": result,
					"metadata": s.detailsWith(attributes.ErrorType, s.failure),
				}
			}
			return b.ask(ctx, http.MethodPost, "/v1/span_annotations", form{"data": annotations}, func(answer []byte) bool {
				var inserted struct{ Data []struct{} }
				return json.Unmarshal(answer, &inserted) == nil && inserted.Data != nil
			})
		},
	}
}

// MLflowConfig is a tracking server of MLflow 3, which gets assessments.
type MLflowConfig struct {
	// ClientConfig is the HTTP client. Its endpoint is the address of the server, such as http://localhost:5000.
	ClientConfig confighttp.ClientConfig `mapstructure:",squash"`

	// Username and Password are for basic authentication. Both are empty if the server needs none.
	Username string              `mapstructure:"username"`
	Password configopaque.String `mapstructure:"password"`
}

// Validate reports an unusable endpoint, or a name without a password.
func (c *MLflowConfig) Validate() error {
	if (c.Username == "") != (c.Password == "") {
		return errors.New("`username` and `password` must be set together")
	}
	return checkEndpoint(c.ClientConfig.Endpoint)
}

// mlflow sends assessments to a tracking server of MLflow 3, one request a score.
//
// Source: mlflow/protos/assessments.proto in the repository mlflow/mlflow, and the handlers of CreateAssessment,
// GetAssessment and UpdateAssessment in mlflow/server/handlers.py. A trace that arrived over OTLP has the id tr- and the
// trace id in hexadecimal (mlflow/tracing/utils). The server keeps the id of an assessment that it is given, and refuses a
// second one with this id. So after a refusal, the exporter asks whether the assessment exists, and updates it if it does. A
// run without a score is sent only if its method failed, because MLflow has a place for errors and for no other reason.
type mlflow struct {
	// troubled is when the server was last unavailable, or when the exporter started. Traces that this delayed may still
	// arrive.
	troubled atomic.Int64
}

// mlflowWait is how long after a verdict, or after the server was unavailable, its trace may still arrive.
const mlflowWait = 2 * time.Minute

func (c *MLflowConfig) backend() *backend {
	m := &mlflow{}
	m.trouble()
	return &backend{
		name: "MLflow", keys: "`mlflow.username` and `mlflow.password`", config: &c.ClientConfig, single: true,
		takes: func(s *score) bool { return s.scored || s.failure != "" },
		authorize: func(req *http.Request) {
			if c.Username != "" {
				req.SetBasicAuth(c.Username, string(c.Password))
			}
		},
		post: func(ctx context.Context, b *backend, scores []score) error {
			err := m.assess(ctx, b, &scores[0])
			if unavailable(err) {
				m.trouble()
			}
			return err
		},
	}
}

func (m *mlflow) trouble() { m.troubled.Store(time.Now().UnixNano()) }

// errNoTrace is the error for an assessment of a trace that the server lacks, and that is tried again.
var errNoTrace = errors.New("MLflow does not have the trace")

// late returns the error of a score whose trace has not arrived. Spans take another way than scores, and may arrive later.
func (m *mlflow) late(s *score) error {
	if min(time.Since(s.observed), time.Since(time.Unix(0, m.troubled.Load()))) < mlflowWait {
		return errNoTrace
	}
	return consumererror.NewPermanent(&failure{
		backend: "MLflow", what: "refused scores", status: http.StatusNotFound, invalid: true,
		cause: errors.New("the trace did not arrive; it may have been sampled out, or goes to another server"),
	})
}

// assess creates the assessment, or updates the one that has its id.
func (m *mlflow) assess(ctx context.Context, b *backend, s *score) error {
	path, assessment := "/api/3.0/mlflow/traces/tr-"+s.traceID.String()+"/assessments", mlflowAssessment(s)
	own := path + "/" + s.id()
	ask := func(method, path string, body form) error {
		return b.ask(ctx, method, path, body, func(answer []byte) bool {
			var got struct {
				Assessment struct {
					ID string `json:"assessment_id"`
				}
			}
			return json.Unmarshal(answer, &got) == nil && got.Assessment.ID == s.id()
		})
	}
	err := ask(http.MethodPost, path, form{"assessment": assessment})
	f := failureOf(err)
	mayExist := f.invalid || f.status == http.StatusInternalServerError // so servers answer if there is an assessment with this id
	switch {
	case saysNoTrace(f):
		return m.late(s)
	case !mayExist || ask(http.MethodGet, own, nil) != nil:
		return err // that of the first request says more than that of the second
	}
	return ask(http.MethodPatch, own, form{"assessment": assessment, "update_mask": "feedback,rationale,metadata"})
}

// saysNoTrace reports whether the server says that it lacks the trace. Other answers with status 404 mean a wrong address.
func saysNoTrace(f *failure) bool {
	var answer struct {
		Code string `json:"error_code"`
	}
	return f.status == http.StatusNotFound && json.Unmarshal(f.answer, &answer) == nil && answer.Code == "RESOURCE_DOES_NOT_EXIST"
}

func mlflowAssessment(s *score) form {
	feedback := form{}
	if s.scored {
		feedback["value"] = s.value
	} else {
		feedback["error"] = form{"error_code": s.failure, "error_message": s.explanation}
	}
	return form{
		"assessment_id": s.id(), "assessment_name": strings.ReplaceAll(s.name, ".", "_"), "trace_id": "tr-" + s.traceID.String(), "span_id": s.spanID.String(),
		"source": form{"source_type": "CODE", "source_id": "tool_correctness"}, "create_time": s.time.UTC().Format(time.RFC3339Nano),
		"feedback": feedback, "metadata": s.detailsWith(attributes.EvaluationLabel, s.label),
		"rationale": s.explanation,
	}.said()
}

// DatadogConfig is an account of Datadog, whose LLM Observability gets evaluations.
type DatadogConfig struct {
	// ClientConfig is the HTTP client. Its endpoint is https://api.SITE if it is empty.
	ClientConfig confighttp.ClientConfig `mapstructure:",squash"`

	// Site is the site of the account. The default is datadoghq.com.
	Site string `mapstructure:"site"`

	// APIKey is an API key of the account. It is required.
	APIKey configopaque.String `mapstructure:"api_key"`

	// MLApp is the name of the application in LLM Observability. If it is empty, the service.name of the run's resource is taken,
	// as Datadog does for spans of OpenTelemetry.
	MLApp string `mapstructure:"ml_app"`
}

// siteName is the host name of a site of Datadog.
var siteName = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)

// Validate reports a missing key, or a site or an endpoint that is unusable.
func (c *DatadogConfig) Validate() error {
	if !siteName.MatchString(c.Site) {
		return fmt.Errorf("`site` must be the name of a Datadog site such as datadoghq.eu, found %q", c.Site)
	}
	return errors.Join(checkEndpoint(c.endpoint()), required("api_key", c.APIKey))
}

func (c *DatadogConfig) endpoint() string {
	return cmp.Or(c.ClientConfig.Endpoint, "https://api."+c.Site)
}

// backend sends evaluations to Datadog LLM Observability, one request a batch.
//
// Source: docs.datadoghq.com, "HTTP API Reference" of LLM Observability, Evaluations API, POST
// /api/intake/llm-obs/v2/eval-metric with EvalMetric, and its page "OpenTelemetry Instrumentation". Evaluations of
// OpenTelemetry spans need the tag source:otel and decimal ids. The page "External Evaluations" has the rule for labels.
// Datadog makes the id of an evaluation itself and publishes no key by which a request could be repeated safely. So the
// evaluation has a stable time and a tag with our id, but a request whose answer was lost may leave a second one. Datadog has
// no place for a run without a score.
func (c *DatadogConfig) backend() *backend {
	client := c.ClientConfig
	client.Endpoint = c.endpoint()
	return &backend{
		name: "Datadog", keys: "`datadog.api_key` and `datadog.site`", config: &client, adds: true,
		takes:     func(s *score) bool { return s.scored },
		authorize: func(req *http.Request) { req.Header.Set("DD-API-KEY", string(c.APIKey)) },
		post: func(ctx context.Context, b *backend, scores []score) error {
			metrics := make([]form, len(scores))
			for i := range scores {
				app := cmp.Or(c.MLApp, scores[i].service)
				if app == "" {
					return consumererror.NewPermanent(errNoApp)
				}
				metrics[i] = datadogEvaluation(&scores[i], app)
			}
			body := form{"data": form{"type": "evaluation_metric", "attributes": form{"metrics": metrics}}}
			return b.ask(ctx, http.MethodPost, "/api/intake/llm-obs/v2/eval-metric", body, func(answer []byte) bool {
				return len(answer) == 0 || json.Valid(answer)
			})
		},
	}
}

// errNoApp is the error of a score that Datadog cannot show, because it belongs to no application.
var errNoApp = &failure{
	backend: "Datadog", what: "needs the name of the application: set `datadog.ml_app`, or service.name on the resource of the spans", invalid: true,
}

func datadogEvaluation(s *score, app string) form {
	decimal := func(id []byte) string { return new(big.Int).SetBytes(id).String() }
	f := form{
		"join_on": form{"span": form{"span_id": decimal(s.spanID[:]), "trace_id": decimal(s.traceID[:])}},
		"ml_app":  app, "timestamp_ms": s.time.UnixMilli(), "metric_type": "score", "label": datadogLabel(s.name), "score_value": s.value,
		"tags": []string{"source:otel", "tool_correctness_id:" + s.id()}, "metadata": s.details,
		"reasoning": s.explanation,
	}.said()
	if s.label == "pass" || s.label == "fail" {
		f["assessment"] = s.label
	}
	return f
}

var (
	notInLabel = regexp.MustCompile(`[^A-Za-z0-9_]`)
	notFirst   = regexp.MustCompile(`^[^A-Za-z]`)
)

// datadogLabel returns the label of a metric: it begins with a letter, has only letters of ASCII, digits and underscores, and at
// most 200 characters.
func datadogLabel(name string) string {
	const longest = 200
	label := notFirst.ReplaceAllString(notInLabel.ReplaceAllString(name, "_"), "m_$0")
	return label[:min(len(label), longest)]
}
