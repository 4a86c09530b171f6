package toolcorrectnessscoresexporter

import (
	"context"
	"encoding/json"
	"net/http"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// phoenix sends span annotations to Arize Phoenix, one request a batch.
//
// Source: the OpenAPI description of Phoenix (schemas/openapi.json in the repository Arize-ai/phoenix), POST /v1/span_annotations
// with AnnotateSpansRequestBody. An annotation with a name, a span and an identifier that are there already is an update of it.
// Without sync=true Phoenix keeps annotations whose span has not arrived, and tries them for ten minutes
// (src/phoenix/db/insertion). So spans and scores may arrive in any order.
type phoenix struct {
	config *PhoenixConfig
	api    api
}

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

// takes is true for runs without a score too, if they have a label.
func (*phoenix) takes(s *score) bool { return s.scored || s.label != "" }

func (p *phoenix) start(ctx context.Context, host component.Host, settings component.TelemetrySettings) (*http.Client, error) {
	p.api = newAPI("Phoenix", p.config.ClientConfig.Endpoint, "`phoenix.api_key`", func(req *http.Request) {
		if p.config.APIKey != "" {
			req.Header.Set("Authorization", "Bearer "+string(p.config.APIKey))
		}
	})
	return p.config.ClientConfig.ToClient(ctx, host.GetExtensions(), settings)
}

func (p *phoenix) send(ctx context.Context, client *http.Client, scores []score) []error {
	return together(scores, func(scores []score) error {
		annotations := make([]phoenixAnnotation, len(scores))
		for i := range scores {
			annotations[i] = phoenixAnnotationOf(&scores[i])
		}
		answer, err := p.api.call(ctx, client, http.MethodPost, "/v1/span_annotations", map[string]any{"data": annotations})
		if err != nil {
			return err
		}
		var inserted struct {
			Data []struct{} `json:"data"`
		}
		if json.Unmarshal(answer, &inserted) != nil || inserted.Data == nil {
			return p.api.garbled()
		}
		return nil
	})
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
