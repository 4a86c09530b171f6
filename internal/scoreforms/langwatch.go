package scoreforms

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// An evaluation is an event of a span with one attribute, which has it as JSON.
const (
	langwatchEvent = "langwatch.evaluation.custom"
	langwatchJSON  = "json_encoded_event"
)

// longestEvent is how long an event of others is at most that is read, in bytes. A longer one is removed.
const longestEvent = 64 << 10

// langwatchEvaluation has the fields that LangWatch reads. Absent values are null there.
type langwatchEvaluation struct {
	ID      string          `json:"evaluation_id"`
	SpanID  string          `json:"span_id"`
	Name    string          `json:"name"`
	Status  string          `json:"status"` // processed, skipped or error
	Passed  *bool           `json:"passed,omitempty"`
	Score   *float64        `json:"score,omitempty"`
	Label   string          `json:"label"`
	Details string          `json:"details,omitempty"`
	Error   *langwatchError `json:"error,omitempty"`
}

type langwatchError struct {
	Message string `json:"message"`
}

// cleanLangWatch removes events that claim to be of our metrics, and events whose name cannot be read.
func (f *Forms) cleanLangWatch(events ptrace.SpanEventSlice) {
	events.RemoveIf(func(e ptrace.SpanEvent) bool {
		if e.Name() != langwatchEvent {
			return false
		}
		for key, v := range e.Attributes().All() {
			if key == langwatchJSON && v.Type() == pcommon.ValueTypeStr && f.claims(v.Str()) {
				return true
			}
		}
		return false
	})
}

// claims reports whether an evaluation has the name of one of our metrics, or is too long to be read.
func (f *Forms) claims(text string) bool {
	if len(text) > longestEvent {
		return true
	}
	var claimed map[string]any
	if json.Unmarshal([]byte(text), &claimed) != nil {
		return false // LangWatch drops it as well
	}
	name, _ := claimed["name"].(string)
	return f.ours(name)
}

// writeLangWatch writes an event for each verdict, at the end of the span.
func writeLangWatch(span ptrace.Span, verdicts []Verdict, s *size) {
	for i := range verdicts {
		v := &verdicts[i]
		text := encode(langwatchOf(span, v))
		e := span.Events().AppendEmpty()
		e.SetName(langwatchEvent)
		e.SetTimestamp(span.EndTimestamp())
		e.Attributes().PutStr(langwatchJSON, text)
		s.add(langwatchEvent, langwatchJSON, text)
		s.wire += framing
	}
}

// langwatchOf is a verdict in LangWatch's words. Without an id LangWatch makes one of the content, and two runs of one trace with
// equal verdicts would be one.
func langwatchOf(span ptrace.Span, v *Verdict) langwatchEvaluation {
	trace, id := span.TraceID(), span.SpanID()
	sum := sha256.Sum256([]byte(hex.EncodeToString(trace[:]) + hex.EncodeToString(id[:]) + v.Metric))
	e := langwatchEvaluation{
		ID: "eval_" + hex.EncodeToString(sum[:16]), SpanID: hex.EncodeToString(id[:]), Name: v.Metric,
		Status: "skipped", Label: v.label(), Details: v.Reason,
	}
	switch {
	case v.Scored:
		e.Status, e.Passed, e.Score = "processed", &v.Passed, &v.Score
	case v.Failed:
		e.Status, e.Error = "error", &langwatchError{Message: v.Reason}
	}
	return e
}
