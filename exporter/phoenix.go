package toolcorrectnessscoresexporter

import (
	"context"
	"encoding/json"
	"net/http"

	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// PhoenixConfig is a server of Phoenix.
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
	b := &backend{
		name: "Phoenix", keys: "`phoenix.api_key`", config: &c.ClientConfig,
		takes: func(s *score) bool { return s.scored || s.label != "" },
		authorize: func(req *http.Request) {
			if c.APIKey != "" {
				req.Header.Set("Authorization", "Bearer "+string(c.APIKey))
			}
		},
	}
	b.post = func(ctx context.Context, scores []score) error {
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
	}
	return b
}
