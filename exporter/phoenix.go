package toolcorrectnessscoresexporter

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// phoenixIdentifier distinguishes our annotations from others with the same name.
const phoenixIdentifier = "tool_correctness"

type phoenixAnnotation struct {
	SpanID        string            `json:"span_id"`
	Name          string            `json:"name"`
	AnnotatorKind string            `json:"annotator_kind"`
	Result        phoenixResult     `json:"result"`
	Metadata      map[string]string `json:"metadata,omitempty"`
	Identifier    string            `json:"identifier"`
}

type phoenixResult struct {
	Label       string   `json:"label,omitempty"`
	Score       *float64 `json:"score,omitempty"`
	Explanation string   `json:"explanation,omitempty"`
}

// newPhoenix sends span annotations to Arize Phoenix, one request a batch.
//
// Source: the OpenAPI description of Phoenix (schemas/openapi.json in the repository Arize-ai/phoenix), POST /v1/span_annotations
// with AnnotateSpansRequestBody. An annotation with a name, a span and an identifier that are there already is an update of it.
// Without sync=true Phoenix keeps annotations whose span has not arrived, and tries them for ten minutes
// (src/phoenix/db/insertion). So spans and scores may arrive in any order.
func newPhoenix(c *PhoenixConfig) *backend {
	b := &backend{
		name: "Phoenix", keys: "`phoenix.api_key`", config: &c.ClientConfig, endpoint: c.ClientConfig.Endpoint,
		takesUnscored: func(s *score) bool { return s.label != "" },
		authorize: func(req *http.Request) {
			if c.APIKey != "" {
				req.Header.Set("Authorization", "Bearer "+string(c.APIKey))
			}
		},
	}
	b.send = func(ctx context.Context, scores []score) []error {
		return together(scores, func(scores []score) error {
			annotations := make([]phoenixAnnotation, len(scores))
			for i := range scores {
				annotations[i] = phoenixAnnotationOf(&scores[i])
			}
			return b.ask(ctx, http.MethodPost, "/v1/span_annotations", map[string]any{"data": annotations}, func(answer []byte) bool {
				var inserted struct {
					Data []struct{} `json:"data"`
				}
				return json.Unmarshal(answer, &inserted) == nil && inserted.Data != nil
			})
		})
	}
	return b
}

func phoenixAnnotationOf(s *score) phoenixAnnotation {
	a := phoenixAnnotation{
		SpanID: s.spanID.String(), Name: s.name, AnnotatorKind: "CODE", Identifier: phoenixIdentifier,
		Result:   phoenixResult{Label: s.label, Explanation: s.explanation},
		Metadata: s.detailsWith(attributes.ErrorType, s.failure),
	}
	if s.scored {
		a.Result.Score = &s.value
	}
	return a
}
