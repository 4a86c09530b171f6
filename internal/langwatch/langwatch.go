// Package langwatch writes verdicts on spans as LangWatch reads evaluations: an event with one attribute, which has the evaluation as
// JSON. LangWatch makes an evaluation of its own of each event, in langwatch/src/server/event-sourcing/pipelines/trace-processing/
// reactors/customEvaluationSync.reactor.ts of the repository langwatch/langwatch.
//
// Any program may write such events, so a span may also have evaluations by people and by models. They stay, with one exception:
// [Writer.Clean] removes an evaluation that has the name of one of our metrics. A reader could not distinguish it from ours.
package langwatch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	eventName = "langwatch.evaluation.custom"
	eventJSON = "json_encoded_event"
	// longestEvent is how long an event of others is at most that is read, in bytes. A longer one is removed.
	longestEvent = 64 << 10
)

// A Verdict is what one metric says of a run.
type Verdict struct {
	Metric string
	Scored bool
	Score  float64 // in [0, 1], if scored
	Passed bool
	Failed bool // the method itself failed, so that there is no score
	Reason string
}

// A Writer writes the verdicts of metrics. A nil Writer writes nothing.
type Writer struct {
	metrics map[string]struct{}
}

// New returns a writer for metrics with these names.
func New(metrics []string) *Writer {
	w := &Writer{metrics: make(map[string]struct{}, len(metrics))}
	for _, name := range metrics {
		w.metrics[name] = struct{}{}
	}
	return w
}

// Clean removes from a span every evaluation that claims to be of one of the metrics, and those whose name cannot be read.
func (w *Writer) Clean(span ptrace.Span) {
	if w == nil {
		return
	}
	span.Events().RemoveIf(func(e ptrace.SpanEvent) bool {
		if e.Name() != eventName {
			return false
		}
		for key, v := range e.Attributes().All() {
			if key == eventJSON && v.Type() == pcommon.ValueTypeStr && w.claims(v.Str()) {
				return true
			}
		}
		return false
	})
}

// claims reports whether an evaluation has the name of one of the metrics, or is too long to be read.
func (w *Writer) claims(text string) bool {
	if len(text) > longestEvent {
		return true
	}
	var claimed map[string]any
	if json.Unmarshal([]byte(text), &claimed) != nil {
		return false // LangWatch drops it as well
	}
	name, _ := claimed["name"].(string)
	_, ours := w.metrics[name]
	return ours
}

// Write writes an event for each verdict on the span of a run, which is clean, at the end of the span.
func (w *Writer) Write(span ptrace.Span, verdicts []Verdict) {
	if w == nil {
		return
	}
	for i := range verdicts {
		e := span.Events().AppendEmpty()
		e.SetName(eventName)
		e.SetTimestamp(span.EndTimestamp())
		e.Attributes().PutStr(eventJSON, encode(evaluationOf(span, &verdicts[i])))
	}
}

// An evaluation has the fields that LangWatch reads. Absent values are null there.
type evaluation struct {
	ID      string   `json:"evaluation_id"`
	SpanID  string   `json:"span_id"`
	Name    string   `json:"name"`
	Status  string   `json:"status"` // processed, skipped or error
	Passed  *bool    `json:"passed,omitempty"`
	Score   *float64 `json:"score,omitempty"`
	Label   string   `json:"label"` // in the words of the log records
	Details string   `json:"details,omitempty"`
	Error   *problem `json:"error,omitempty"`
}

type problem struct {
	Message string `json:"message"`
}

// evaluationOf is a verdict in LangWatch's words. Without an id LangWatch makes one of the content, and two runs of one trace with
// equal verdicts would be one.
func evaluationOf(span ptrace.Span, v *Verdict) evaluation {
	trace, id := span.TraceID(), span.SpanID()
	sum := sha256.Sum256([]byte(hex.EncodeToString(trace[:]) + hex.EncodeToString(id[:]) + v.Metric))
	e := evaluation{
		ID: "eval_" + hex.EncodeToString(sum[:16]), SpanID: hex.EncodeToString(id[:]), Name: v.Metric,
		Status: "skipped", Label: "not_evaluated", Details: v.Reason,
	}
	switch {
	case v.Scored:
		e.Status, e.Label, e.Passed, e.Score = "processed", "fail", &v.Passed, &v.Score
		if v.Passed {
			e.Label = "pass"
		}
	case v.Failed:
		e.Status, e.Error = "error", &problem{Message: v.Reason}
	}
	return e
}

// encode is an evaluation as JSON, without escapes for HTML.
func encode(v evaluation) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // a score is a number
		return "{}"
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
