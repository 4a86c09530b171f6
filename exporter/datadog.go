package toolcorrectnessscoresexporter

import (
	"cmp"
	"context"
	"encoding/json"
	"math/big"
	"net/http"
	"strings"

	"go.opentelemetry.io/collector/consumer/consumererror"
)

// datadog sends evaluations to Datadog LLM Observability, one request a batch.
//
// Source: docs.datadoghq.com, "HTTP API Reference" of LLM Observability, Evaluations API, POST
// /api/intake/llm-obs/v2/eval-metric with EvalMetric, and its page "OpenTelemetry Instrumentation". Evaluations of
// OpenTelemetry spans need the tag source:otel and decimal ids. The page "External Evaluations" has the rule for labels.
// Datadog makes the id of an evaluation itself and publishes no key by which a request could be repeated safely. So the
// evaluation has a stable time and a tag with our id, but a request whose answer was lost may leave a second one. Datadog has
// no place for a run without a score.
type datadog struct {
	*backend
	config *DatadogConfig
}

type datadogEvaluation struct {
	JoinOn      datadogJoin       `json:"join_on"`
	MLApp       string            `json:"ml_app"`
	TimestampMS int64             `json:"timestamp_ms"`
	MetricType  string            `json:"metric_type"`
	Label       string            `json:"label"`
	ScoreValue  float64           `json:"score_value"`
	Assessment  string            `json:"assessment,omitempty"`
	Reasoning   string            `json:"reasoning,omitempty"`
	Tags        []string          `json:"tags"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

type datadogJoin struct {
	Span struct {
		SpanID  string `json:"span_id"`
		TraceID string `json:"trace_id"`
	} `json:"span"`
}

func newDatadog(c *DatadogConfig) *backend {
	d := &datadog{config: c, backend: &backend{
		name: "Datadog", keys: "`datadog.api_key` and `datadog.site`", config: &c.ClientConfig, endpoint: c.endpoint(),
		authorize: func(req *http.Request) { req.Header.Set("DD-API-KEY", string(c.APIKey)) },
	}}
	d.send = func(ctx context.Context, scores []score) []error {
		return together(scores, func(scores []score) error { return d.post(ctx, scores) })
	}
	return d.backend
}

// errNoApp is the error of a score that Datadog cannot show, because it belongs to no application.
var errNoApp = &failure{
	backend: "Datadog", what: "needs the name of the application: set `datadog.ml_app`, or service.name on the resource of the spans", invalid: true,
}

func (d *datadog) post(ctx context.Context, scores []score) error {
	metrics := make([]datadogEvaluation, len(scores))
	for i := range scores {
		if d.app(&scores[i]) == "" {
			return consumererror.NewPermanent(errNoApp)
		}
		metrics[i] = d.evaluationOf(&scores[i])
	}
	body := map[string]any{"data": map[string]any{"type": "evaluation_metric", "attributes": map[string]any{"metrics": metrics}}}
	stored := false
	err := d.ask(ctx, http.MethodPost, "/api/intake/llm-obs/v2/eval-metric", body, func(answer []byte) bool {
		stored = true
		return len(answer) == 0 || json.Valid(answer)
	})
	if err != nil && stored {
		err = consumererror.NewPermanent(err) // to send the evaluations again would add others
	}
	return err
}

func (d *datadog) app(s *score) string { return cmp.Or(d.config.MLApp, s.service) }

func (d *datadog) evaluationOf(s *score) datadogEvaluation {
	e := datadogEvaluation{
		MLApp: d.app(s), TimestampMS: s.time.UnixMilli(), MetricType: "score", Label: datadogLabel(s.name), ScoreValue: s.value,
		Reasoning: s.explanation, Tags: []string{"source:otel", "tool_correctness_id:" + s.id()}, Metadata: s.details,
	}
	if s.label == "pass" || s.label == "fail" {
		e.Assessment = s.label
	}
	e.JoinOn.Span.SpanID = new(big.Int).SetBytes(s.spanID[:]).String()
	e.JoinOn.Span.TraceID = new(big.Int).SetBytes(s.traceID[:]).String()
	return e
}

// datadogLabel returns the label of a metric: it begins with a letter, has only letters of ASCII, digits and underscores, and at
// most 200 characters.
func datadogLabel(name string) string {
	const longest = 200
	letter := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
	label := strings.Map(func(r rune) rune {
		if letter(r) || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, name)
	if label == "" || !letter(rune(label[0])) {
		label = "m_" + label
	}
	return label[:min(len(label), longest)]
}
