package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	eventName = "langwatch.evaluation.custom"
	eventJSON = "json_encoded_event"
	// longestEvent is how long an event of others is at most that is read, in bytes. A longer one is removed.
	longestEvent = 64 << 10
)

// A langWatch writes the verdicts of the metrics with these names as LangWatch reads evaluations: an event with one attribute, which has the
// evaluation as JSON. LangWatch makes an evaluation of its own of each event, in langwatch/src/server/event-sourcing/pipelines/
// trace-processing/reactors/customEvaluationSync.reactor.ts of the repository langwatch/langwatch. A nil langWatch writes nothing.
//
// Any program may write such events, so a span may also have evaluations by people and by models. They stay, with one exception: clean
// removes an evaluation that has the name of one of our metrics. A reader could not distinguish it from ours.
type langWatch []string

// clean removes from a span every evaluation that claims to be of one of the metrics, and those whose name cannot be read.
func (w langWatch) clean(span ptrace.Span) {
	if w == nil {
		return
	}
	span.Events().RemoveIf(func(e ptrace.SpanEvent) bool {
		if e.Name() != eventName {
			return false
		}
		for key, v := range e.Attributes().All() {
			if key == eventJSON && w.claims(v.Str()) {
				return true
			}
		}
		return false
	})
}

// claims reports whether an evaluation has the name of one of the metrics, or is too long to be read.
func (w langWatch) claims(text string) bool {
	if len(text) > longestEvent {
		return true
	}
	var claimed map[string]any
	if json.Unmarshal([]byte(text), &claimed) != nil {
		return false // LangWatch drops it as well
	}
	name, _ := claimed["name"].(string)
	return slices.Contains(w, name)
}

// A langWatchEvaluation has the fields that LangWatch reads. Absent values are null there.
type langWatchEvaluation struct {
	ID      string            `json:"evaluation_id"`
	SpanID  string            `json:"span_id"`
	Name    string            `json:"name"`
	Status  string            `json:"status"` // processed, skipped or error
	Passed  *bool             `json:"passed,omitempty"`
	Score   *float64          `json:"score,omitempty"`
	Label   string            `json:"label"` // in the words of the log records
	Details string            `json:"details,omitempty"`
	Error   map[string]string `json:"error,omitempty"`
}

// write writes the verdict of a metric as an event on the span of a run, which is clean, at the end of the span. Without an id LangWatch
// makes one of the content, and two runs of one trace with equal verdicts would be one.
func (langWatch) write(span ptrace.Span, metric string, v *scoring.Verdict, reason string) {
	trace, id := span.TraceID(), span.SpanID()
	sum := sha256.Sum256([]byte(hex.EncodeToString(trace[:]) + hex.EncodeToString(id[:]) + metric))
	said := langWatchEvaluation{
		ID: "eval_" + hex.EncodeToString(sum[:16]), SpanID: hex.EncodeToString(id[:]), Name: metric,
		Status: "skipped", Label: "not_evaluated", Details: reason,
	}
	switch v.Status {
	case scoring.Scored:
		said.Status, said.Label, said.Passed, said.Score = "processed", "fail", &v.Passed, &v.Score
		if v.Passed {
			said.Label = "pass"
		}
	case scoring.Failed, scoring.Undefined:
		said.Status, said.Error = "error", map[string]string{"message": reason}
	}
	text, _ := json.Marshal(said) // a score is a number
	e := span.Events().AppendEmpty()
	e.SetName(eventName)
	e.SetTimestamp(span.EndTimestamp())
	e.Attributes().PutStr(eventJSON, string(text))
}
