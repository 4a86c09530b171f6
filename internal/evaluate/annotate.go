package evaluate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// maxNames bounds the lists of names on a span, and maxName each of them, in bytes. [scoring.Verdict.Reason] bounds a reason.
const (
	maxNames = 128
	maxName  = 256
)

// annotate writes the report on a copy of the run's anchor, which is clean.
func (e *Evaluator) annotate(v *Evaluation, span pcommon.Map) {
	r, lead := &v.Report, v.lead
	m := &v.writer
	const perRun, perMetric = 9, 5 // attributes that most runs, and their metrics, have
	m.EnsureCapacity(span.Len() + perRun + len(r.Results)*perMetric)
	for key, value := range span.All() {
		value.MoveTo(m.AppendEmpty(key))
	}
	defer m.UnsafeIntoMap(span) // ours are new: Clean has removed those of senders
	if agent := r.Run.Anchors[0].Agent; agent != "" {
		m.AppendEmpty(e.key(attributes.Agent)).SetStr(ShownName(agent)) // conditions have read the name as it was recorded
	}
	for i := range r.Results {
		res := &r.Results[i]
		keys, verdict := &e.keys[res.Index], &res.Verdict
		if verdict.Status == scoring.Scored {
			m.AppendEmpty(keys.Score).SetDouble(verdict.Score)
		}
		m.AppendEmpty(keys.Passed).SetBool(verdict.Passed)
		if res.Reason != "" {
			m.AppendEmpty(keys.Reason).SetStr(res.Reason)
		}
		m.AppendEmpty(keys.Threshold).SetDouble(verdict.Threshold)
		m.AppendEmpty(keys.Status).SetStr(verdict.Status.String())
		if e.set.Prefix != attributes.DefaultMetric {
			m.AppendEmpty(keys.Run).SetStr(e.set.Prefix)
		}
		if res.Expectation != lead.Expectation {
			m.AppendEmpty(keys.Expectation).SetStr(res.Expectation)
		}
	}
	m.AppendEmpty(e.key(attributes.Expectation)).SetStr(lead.Expectation)
	if lead.Case != "" {
		m.AppendEmpty(e.key(attributes.Case)).SetStr(lead.Case)
	}
	putNames(m, e.key(attributes.Called), r.Run.Calls, callName)
	if len(r.Run.Rejected) > 0 {
		putNames(m, e.key(attributes.Rejected), r.Run.Rejected, callName)
	}
	putNames(m, e.key(attributes.Expected), lead.Expected, itself)
	putNames(m, e.key(attributes.Missing), lead.Missing, itself)
	putNames(m, e.key(attributes.Unexpected), lead.Unexpected, itself)
	m.AppendEmpty(e.key(attributes.Complete)).SetBool(r.Run.Doubts.Complete())
	if why := r.Run.Doubts.Names(); why != nil {
		putNames(m, e.key(attributes.IncompleteBecause), why, itself)
	}
	m.AppendEmpty(e.key(attributes.ClosedBy)).SetStr(r.Run.ClosedBy.String())
	m.AppendEmpty(e.key(attributes.Config)).SetStr(e.rules.Fingerprint)
}

// key is the name of an attribute of the run, as this processor writes it.
func (e *Evaluator) key(of string) string { return attributes.OfRun(of, e.set.Prefix) }

// putNames writes the names of the first elements of a list.
func putNames[T any](m *xpdata.MapBuilder, key string, list []T, name func(*T) string) {
	list = list[:min(len(list), maxNames)]
	s := m.AppendEmpty(key).SetEmptySlice()
	s.EnsureCapacity(len(list))
	for i := range list {
		s.AppendEmpty().SetStr(ShownName(name(&list[i])))
	}
}

func itself(name *string) string { return *name }

func callName(c *runs.Call) string { return c.Name }

// ShownName is a name as it is written on spans. A name longer than any real one is cut, so that receivers still accept the
// span. Characters that are invisible or rearrange the text are escaped.
func ShownName(name string) string { return scoring.SafeName(name, maxName) }

// ShownNames are the names of calls as they are written on spans.
func ShownNames(calls []runs.Call) []string {
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = ShownName(calls[i].Name)
	}
	return names
}

// callSpan is the span of a call. A run that was correlated has calls of several traces.
type callSpan struct {
	trace pcommon.TraceID
	id    pcommon.SpanID
}

// annotateCalls writes on the spans of a run's calls what the metrics say of each. If a copy of the run's own span is also
// the span of a call, it is annotated too. A run without its own span gets nothing, because no span would say that the run
// is not complete.
func (e *Evaluator) annotateCalls(r *Report, copies []evidence.Held) {
	if !e.set.AnnotateCalls {
		return
	}
	own := copies[0].Span
	if !slices.ContainsFunc(r.Run.Calls, func(c runs.Call) bool { return c.ID == own.ID && c.Trace == own.Trace }) {
		copies = nil
	}
	if len(copies) == 0 && !slices.ContainsFunc(r.Run.Companions, func(a evidence.Held) bool { return a.Kind == evidence.Tool }) {
		return
	}
	n := len(e.keys)
	all := make([]*scoring.Match, n*len(r.Run.Calls)) // what each metric says of each call: nothing if it has no score
	for i := range r.Results {
		matches := r.Results[i].Verdict.Matches()
		for k := range matches {
			if m := &matches[k]; m.Called >= 0 {
				all[n*m.Called+r.Results[i].Index] = m
			}
		}
	}
	of := make(map[callSpan][]*scoring.Match, len(r.Run.Calls))
	for i := range r.Run.Calls {
		if c := &r.Run.Calls[i]; c.Source != runs.FromModel && !c.ID.IsEmpty() {
			of[callSpan{c.Trace, c.ID}] = all[n*i : n*i+n]
		}
	}
	for i := range copies {
		e.annotateCall(copies[i].Data, of)
	}
	for i := range r.Run.Companions {
		if a := &r.Run.Companions[i]; a.Kind == evidence.Tool {
			e.annotateCall(a.Data, of)
			heldspans.Weigh(a)
		}
	}
}

// annotateCall writes the verdicts on the span of a call. Where a metric says nothing, and if the run does not count the call, what an
// earlier processor wrote is removed.
func (e *Evaluator) annotateCall(span ptrace.Span, of map[callSpan][]*scoring.Match) {
	said, m := of[callSpan{span.TraceID(), span.SpanID()}], span.Attributes()
	m.EnsureCapacity(m.Len() + 2*len(said))
	for i := range e.keys {
		keys := &e.keys[i]
		m.Remove(keys.CallCredit)
		if said == nil || said[i] == nil || said[i].Class == scoring.CallUncertain {
			m.Remove(keys.CallVerdict)
			continue
		}
		m.PutStr(keys.CallVerdict, said[i].Class.String())
		if said[i].Credit > 0 {
			m.PutDouble(keys.CallCredit, said[i].Credit)
		}
	}
}

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
