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

	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/consumer/consumererror"
)

// DatadogConfig is an account of Datadog.
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
	b := &backend{
		name: "Datadog", keys: "`datadog.api_key` and `datadog.site`", config: &client, adds: true,
		takes:     func(s *score) bool { return s.scored },
		authorize: func(req *http.Request) { req.Header.Set("DD-API-KEY", string(c.APIKey)) },
	}
	b.post = func(ctx context.Context, scores []score) error {
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
	}
	return b
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
