package toolcorrectnessscoresexporter

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// mlflow sends assessments to a tracking server of MLflow 3, one request a score.
//
// Source: mlflow/protos/assessments.proto in the repository mlflow/mlflow, and the handlers of CreateAssessment,
// GetAssessment and UpdateAssessment in mlflow/server/handlers.py. A trace that arrived over OTLP has the id tr- and the
// trace id in hexadecimal (mlflow/tracing/utils). The server keeps the id of an assessment that it is given, and refuses a
// second one with this id. So after a refusal, the exporter asks whether the assessment exists, and updates it if it does. A
// run without a score is sent only if its method failed, because MLflow has a place for errors and for no other reason.
type mlflow struct {
	*backend

	// troubled is when the server was last unavailable, or when the exporter started. Traces that this delayed may still
	// arrive.
	troubled atomic.Int64
}

// mlflowWait is how long after a verdict, or after the server was unavailable, its trace may still arrive.
const mlflowWait = 2 * time.Minute

type mlflowAssessment struct {
	ID         string            `json:"assessment_id"`
	Name       string            `json:"assessment_name"`
	TraceID    string            `json:"trace_id"`
	SpanID     string            `json:"span_id"`
	Source     mlflowSource      `json:"source"`
	CreateTime string            `json:"create_time"`
	Feedback   mlflowFeedback    `json:"feedback"`
	Rationale  string            `json:"rationale,omitempty"`
	Metadata   map[string]string `json:"metadata,omitempty"`
}

type mlflowSource struct {
	Type string `json:"source_type"`
	ID   string `json:"source_id"`
}

type mlflowFeedback struct {
	Value *float64     `json:"value,omitempty"`
	Error *mlflowError `json:"error,omitempty"`
}

type mlflowError struct {
	Code    string `json:"error_code"`
	Message string `json:"error_message,omitempty"`
}

func newMLflow(c *MLflowConfig) *backend {
	m := &mlflow{backend: &backend{
		name: "MLflow", keys: "`mlflow.username` and `mlflow.password`", config: &c.ClientConfig, endpoint: c.ClientConfig.Endpoint,
		takesUnscored: func(s *score) bool { return s.failure != "" },
		authorize: func(req *http.Request) {
			if c.Username != "" {
				req.SetBasicAuth(c.Username, string(c.Password))
			}
		},
	}}
	m.send = m.sendOrWait
	m.trouble()
	return m.backend
}

func (m *mlflow) trouble() { m.troubled.Store(time.Now().UnixNano()) }

// sendOrWait sends scores one by one. Those whose traces have not arrived are tried again.
func (m *mlflow) sendOrWait(ctx context.Context, scores []score) []error {
	return each(scores, func(s *score) error {
		err := m.assess(ctx, mlflowAssessmentOf(s))
		if errors.Is(err, errNoTrace) {
			return m.late(s)
		}
		if unavailable(err) {
			m.trouble()
		}
		return err
	})
}

// errNoTrace is the error for an assessment of a trace that the server lacks.
var errNoTrace = errors.New("MLflow does not have the trace")

// late returns the error of a score whose trace has not arrived. Spans take another way than scores, and may arrive later.
func (m *mlflow) late(s *score) error {
	since := s.observed
	if troubled := time.Unix(0, m.troubled.Load()); troubled.After(since) {
		since = troubled
	}
	if time.Since(since) < mlflowWait {
		return errNoTrace
	}
	return consumererror.NewPermanent(&failure{
		backend: "MLflow", what: "refused scores", status: http.StatusNotFound, invalid: true,
		cause: errors.New("the trace did not arrive; it may have been sampled out, or goes to another server"),
	})
}

// assess creates the assessment, or updates the one that has its id.
func (m *mlflow) assess(ctx context.Context, a mlflowAssessment) error {
	path := "/api/3.0/mlflow/traces/" + a.TraceID + "/assessments"
	ask := func(method, path string, body any) error {
		return m.ask(ctx, method, path, body, func(answer []byte) bool {
			var got struct {
				Assessment struct {
					ID string `json:"assessment_id"`
				} `json:"assessment"`
			}
			return json.Unmarshal(answer, &got) == nil && got.Assessment.ID == a.ID
		})
	}
	err := ask(http.MethodPost, path, map[string]any{"assessment": a})
	switch {
	case saysNoTrace(err):
		return errNoTrace
	case !mayExist(err) || ask(http.MethodGet, path+"/"+a.ID, nil) != nil:
		return err // that of the first request says more than that of the second
	}
	return ask(http.MethodPatch, path+"/"+a.ID, map[string]any{"assessment": a, "update_mask": "feedback,rationale,metadata"})
}

// saysNoTrace reports whether the server says that it lacks the trace. Other answers with status 404 mean a wrong address.
func saysNoTrace(err error) bool {
	f := failureOf(err)
	return f.status == http.StatusNotFound && f.code == "RESOURCE_DOES_NOT_EXIST"
}

// mayExist reports whether err may mean that there is an assessment with this id. Servers answer so with status 400 or 500.
func mayExist(err error) bool {
	f := failureOf(err)
	return f.invalid || f.status == http.StatusInternalServerError
}

func mlflowAssessmentOf(s *score) mlflowAssessment {
	a := mlflowAssessment{
		ID: s.id(), Name: strings.ReplaceAll(s.name, ".", "_"),
		TraceID: "tr-" + s.traceID.String(), SpanID: s.spanID.String(),
		Source:     mlflowSource{Type: "CODE", ID: "tool_correctness"},
		CreateTime: s.time.UTC().Format(time.RFC3339Nano),
		Rationale:  s.explanation, Metadata: s.detailsWith(attributes.EvaluationLabel, s.label),
	}
	if s.scored {
		a.Feedback.Value = &s.value
	} else {
		a.Feedback.Error = &mlflowError{Code: s.failure, Message: s.explanation}
	}
	return a
}
