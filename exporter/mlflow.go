package toolcorrectnessscoresexporter

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// MLflowConfig is a tracking server of MLflow 3.
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
	*backend

	// troubled is when the server was last unavailable, or when the exporter started. Traces that this delayed may still
	// arrive.
	troubled atomic.Int64
}

// mlflowWait is how long after a verdict, or after the server was unavailable, its trace may still arrive.
const mlflowWait = 2 * time.Minute

func (c *MLflowConfig) backend() *backend {
	m := &mlflow{backend: &backend{
		name: "MLflow", keys: "`mlflow.username` and `mlflow.password`", config: &c.ClientConfig, single: true,
		takes: func(s *score) bool { return s.scored || s.failure != "" },
		authorize: func(req *http.Request) {
			if c.Username != "" {
				req.SetBasicAuth(c.Username, string(c.Password))
			}
		},
	}}
	m.post = func(ctx context.Context, scores []score) error {
		err := m.assess(ctx, &scores[0])
		if unavailable(err) {
			m.trouble()
		}
		return err
	}
	m.trouble()
	return m.backend
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
func (m *mlflow) assess(ctx context.Context, s *score) error {
	path, assessment := "/api/3.0/mlflow/traces/tr-"+s.traceID.String()+"/assessments", mlflowAssessment(s)
	own := path + "/" + s.id()
	ask := func(method, path string, body form) error {
		return m.ask(ctx, method, path, body, func(answer []byte) bool {
			var got struct {
				Assessment struct {
					ID string `json:"assessment_id"`
				}
			}
			return json.Unmarshal(answer, &got) == nil && got.Assessment.ID == s.id()
		})
	}
	err := ask(http.MethodPost, path, form{"assessment": assessment})
	switch {
	case saysNoTrace(err):
		return m.late(s)
	case !mayExist(err) || ask(http.MethodGet, own, nil) != nil:
		return err // that of the first request says more than that of the second
	}
	return ask(http.MethodPatch, own, form{"assessment": assessment, "update_mask": "feedback,rationale,metadata"})
}

// saysNoTrace reports whether the server says that it lacks the trace. Other answers with status 404 mean a wrong address.
func saysNoTrace(err error) bool {
	f := failureOf(err)
	var answer struct {
		Code string `json:"error_code"`
	}
	return f.status == http.StatusNotFound && json.Unmarshal(f.answer, &answer) == nil && answer.Code == "RESOURCE_DOES_NOT_EXIST"
}

// mayExist reports whether err may mean that there is an assessment with this id. Servers answer so with status 400 or 500.
func mayExist(err error) bool {
	f := failureOf(err)
	return f.invalid || f.status == http.StatusInternalServerError
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
