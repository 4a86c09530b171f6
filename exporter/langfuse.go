package toolcorrectnessscoresexporter

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// LangfuseConfig is an account of Langfuse.
type LangfuseConfig struct {
	// ClientConfig is the HTTP client. Its endpoint is the address of Langfuse without a path, such as https://cloud.langfuse.com.
	ClientConfig confighttp.ClientConfig `mapstructure:",squash"`

	// PublicKey is the public key of the project. It is required.
	PublicKey configopaque.String `mapstructure:"public_key"`

	// SecretKey is the secret key of the project. It is required.
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
	b := &backend{
		name: "Langfuse", keys: "`langfuse.public_key` and `langfuse.secret_key`", config: &c.ClientConfig, single: true,
		takes:     func(s *score) bool { return s.scored },
		authorize: func(req *http.Request) { req.SetBasicAuth(string(c.PublicKey), string(c.SecretKey)) },
	}
	b.post = func(ctx context.Context, scores []score) error {
		s := &scores[0]
		f := form{
			"id": s.id(), "traceId": s.traceID.String(), "observationId": s.spanID.String(), "name": s.name, "value": s.value,
			"dataType": "NUMERIC", "metadata": s.detailsWith(attributes.EvaluationLabel, s.label),
			"comment": s.explanation, "environment": langfuseEnvironment(s.environment),
		}.said()
		return b.ask(ctx, http.MethodPost, "/api/public/scores", f, func(answer []byte) bool {
			var created struct{ ID string }
			return json.Unmarshal(answer, &created) == nil && created.ID == s.id()
		})
	}
	return b
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
