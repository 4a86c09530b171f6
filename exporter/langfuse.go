package toolcorrectnessscoresexporter

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

type langfuseScore struct {
	ID            string            `json:"id"`
	TraceID       string            `json:"traceId"`
	ObservationID string            `json:"observationId"`
	Name          string            `json:"name"`
	Value         float64           `json:"value"`
	DataType      string            `json:"dataType"`
	Comment       string            `json:"comment,omitempty"`
	Metadata      map[string]string `json:"metadata,omitempty"`
	Environment   string            `json:"environment,omitempty"`
}

// newLangfuse sends scores to Langfuse, one request a score.
//
// Source: the OpenAPI description of Langfuse (web/public/generated/api/openapi.yml in the repository langfuse/langfuse), POST
// /api/public/scores with CreateScoreRequest. A score with an id that is there already is an update of it. The batches of POST
// /api/public/ingestion are deprecated and not in version 4, so they are not used. Langfuse has no place for a run without a score.
func newLangfuse(c *LangfuseConfig) *backend {
	b := &backend{
		name: "Langfuse", keys: "`langfuse.public_key` and `langfuse.secret_key`", config: &c.ClientConfig, endpoint: c.ClientConfig.Endpoint,
		authorize: func(req *http.Request) { req.SetBasicAuth(string(c.PublicKey), string(c.SecretKey)) },
	}
	b.send = func(ctx context.Context, scores []score) []error {
		return each(scores, func(s *score) error {
			return b.ask(ctx, http.MethodPost, "/api/public/scores", langfuseScoreOf(s), func(answer []byte) bool {
				var created struct {
					ID string `json:"id"`
				}
				return json.Unmarshal(answer, &created) == nil && created.ID == s.id()
			})
		})
	}
	return b
}

func langfuseScoreOf(s *score) langfuseScore {
	return langfuseScore{
		ID: s.id(), TraceID: s.traceID.String(), ObservationID: s.spanID.String(),
		Name: s.name, Value: s.value, DataType: "NUMERIC",
		Comment: s.explanation, Metadata: s.detailsWith(attributes.EvaluationLabel, s.label), Environment: langfuseEnvironment(s.environment),
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
