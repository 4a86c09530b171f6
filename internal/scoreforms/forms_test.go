package scoreforms

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// all has every form, for the metrics a and b.
var all = New(OpenInference|Braintrust|LangWatch, []string{"a", "b"})

// verdicts are one of each kind.
var verdicts = []Verdict{
	{Metric: "a", Scored: true, Score: 0.5, Reason: `Failed: missing "x" <y>.`},
	{Metric: "b", Scored: true, Score: 1, Passed: true},
	{Metric: "c", Reason: "Not scored: arguments were not captured."},
	{Metric: "d", Failed: true, Reason: "Not scored: the original fails."},
}

func spanOf(attributes map[string]any) ptrace.Span {
	span := ptrace.NewSpan()
	span.SetTraceID(pcommon.TraceID{1})
	span.SetSpanID(pcommon.SpanID{2})
	span.SetEndTimestamp(7)
	if err := span.Attributes().FromRaw(attributes); err != nil {
		panic(err)
	}
	return span
}

// A score is an evaluation as a backend reads it.
type score struct {
	name, label, explanation, status string
	score                            float64 // NaN if there is none
}

// readOpenInference reads annotations as spec/annotations.md says: an index, one of seven fields each, a name, and at least one of
// score, label and explanation. A result is known by name and identifier.
func readOpenInference(t *testing.T, span ptrace.Span) map[string]score {
	t.Helper()
	fields := map[string]map[string]pcommon.Value{}
	form := regexp.MustCompile(`^annotations\.(\d+)\.annotation\.(name|score|label|explanation|annotator_kind|identifier|metadata)$`)
	for key, v := range span.Attributes().All() {
		if !strings.HasPrefix(key, "annotations.") {
			continue
		}
		parts := form.FindStringSubmatch(key)
		require.NotNil(t, parts, key)
		if fields[parts[1]] == nil {
			fields[parts[1]] = map[string]pcommon.Value{}
		}
		fields[parts[1]][parts[2]] = v
	}
	read := map[string]score{}
	for i := range len(fields) {
		m := fields[strconv.Itoa(i)]
		require.NotNil(t, m, "indices are contiguous and begin with 0")
		s := score{score: math.NaN()}
		if v, found := m["score"]; found {
			require.Equal(t, pcommon.ValueTypeDouble, v.Type(), "numbers stay numbers")
			s.score = v.Double()
		}
		for field, to := range map[string]*string{"name": &s.name, "label": &s.label, "explanation": &s.explanation} {
			if v, found := m[field]; found {
				require.Equal(t, pcommon.ValueTypeStr, v.Type())
				require.NotEmpty(t, v.Str(), "an absent value is not an empty text")
				*to = v.Str()
			}
		}
		require.NotEmpty(t, s.name, "a name is required")
		_, known := read[s.name]
		require.False(t, known, "one annotation of a name and an identifier")
		if kind, found := m["annotator_kind"]; found {
			require.Contains(t, []string{"HUMAN", "LLM", "CODE"}, kind.Str())
		}
		read[s.name] = s
	}
	return read
}

// readBraintrust reads scores as Braintrust's libraries write them: an object of names and numbers from 0 to 1.
func readBraintrust(t *testing.T, span ptrace.Span) map[string]float64 {
	t.Helper()
	v, found := span.Attributes().Get("braintrust.scores")
	if !found {
		return nil
	}
	var scores map[string]float64
	require.NoError(t, json.Unmarshal([]byte(v.Str()), &scores))
	return scores
}

// readLangWatch reads events as extractEvaluationsFromSpan of customEvaluationSync.reactor.ts does. An event has one name and
// one text attribute: a JSON object whose name is a text. ids are the evaluations' identities.
func readLangWatch(t *testing.T, span ptrace.Span) (read map[string]score, ids map[string]bool) {
	t.Helper()
	read, ids = map[string]score{}, map[string]bool{}
	for _, e := range span.Events().All() {
		if e.Name() != "langwatch.evaluation.custom" {
			continue
		}
		v, found := e.Attributes().Get("json_encoded_event")
		if !found || v.Type() != pcommon.ValueTypeStr {
			continue
		}
		var said struct {
			ID     string `json:"evaluation_id"`
			Name   string
			Status string
			Passed *bool
			Score  *float64
			Label  string
			Detail string `json:"details"`
		}
		require.NoError(t, json.Unmarshal([]byte(v.Str()), &said))
		require.Contains(t, []string{"processed", "skipped", "error"}, said.Status)
		s := score{name: said.Name, label: said.Label, explanation: said.Detail, status: said.Status, score: math.NaN()}
		require.Equal(t, said.Score == nil, said.Passed == nil)
		if said.Score != nil {
			s.score = *said.Score
			require.Equal(t, *said.Passed, said.Label == "pass")
		}
		read[said.Name], ids[said.ID] = s, true
	}
	return read, ids
}

// Each backend reads each verdict as it was written.
func TestBackendsReadTheScores(t *testing.T) {
	span := spanOf(nil)
	wire, parts := all.Write(span, verdicts)
	require.Positive(t, wire)
	require.Equal(t, span.Attributes().Len()+span.Events().Len(), parts)

	annotated := readOpenInference(t, span)
	scores := readBraintrust(t, span)
	evaluated, ids := readLangWatch(t, span)
	require.Len(t, annotated, len(verdicts))
	require.Len(t, evaluated, len(verdicts))
	require.Len(t, ids, len(verdicts), "each has an identity of its own")
	for i := range verdicts {
		v := &verdicts[i]
		for backend, s := range map[string]score{"openinference": annotated[v.Metric], "langwatch": evaluated[v.Metric]} {
			require.Equal(t, v.Metric, s.name, backend)
			require.Equal(t, v.Reason, s.explanation, backend)
			require.Equal(t, v.Scored, !math.IsNaN(s.score), backend)
			if v.Scored {
				require.InDelta(t, v.Score, s.score, 0, backend)
			}
		}
		value, scored := scores[v.Metric]
		require.Equal(t, v.Scored, scored, "a run that was not scored has no number")
		require.InDelta(t, v.Score, value, 0)
	}
	require.Equal(t, "fail", annotated["a"].label)
	require.Equal(t, "pass", annotated["b"].label)
	require.Equal(t, "not_evaluated", annotated["c"].label)
	require.Equal(t, "skipped", evaluated["c"].status)
	require.Equal(t, "error", evaluated["d"].status)
}

// Equal verdicts on two spans of a trace are two evaluations, and the same one again is the same.
func TestIdentityOfEvaluations(t *testing.T) {
	idOf := func(span ptrace.Span, metric string) string { return langwatchOf(span, &Verdict{Metric: metric}).ID }
	one, other := spanOf(nil), spanOf(nil)
	other.SetSpanID(pcommon.SpanID{3})
	require.Equal(t, idOf(one, "a"), idOf(spanOf(nil), "a"))
	require.NotEqual(t, idOf(one, "a"), idOf(other, "a"))
	require.NotEqual(t, idOf(one, "a"), idOf(one, "b"))
}

func annotationOf(prefix, inner string, index int, name string) map[string]any {
	at := fmt.Sprintf("%s.%d.%s.", prefix, index, inner)
	return map[string]any{at + "name": name, at + "score": 1.0, at + "label": "theirs"}
}

// What a sender wrote under the name of a metric is gone, and what others wrote stays.
func TestOthersEvaluations(t *testing.T) {
	event := func(text string) func(ptrace.Span) {
		return func(span ptrace.Span) {
			e := span.Events().AppendEmpty()
			e.SetName(langwatchEvent)
			e.Attributes().PutStr(langwatchJSON, text)
		}
	}
	for _, tc := range []struct {
		name   string
		before map[string]any
		more   func(ptrace.Span)
		keeps  int // attributes and events
		reason string
	}{
		{name: "an annotation of a person", before: annotationOf("annotations", "annotation", 0, "thumbs"), keeps: 3, reason: "it is of another evaluation"},
		{name: "an annotation of our name", before: annotationOf("annotations", "annotation", 0, "a"), reason: "a reader could not tell it from ours"},
		{name: "an evaluation of our name", before: annotationOf("evaluations", "evaluation", 3, "b"), reason: "consumers treat both prefixes alike"},
		{name: "a high index", before: annotationOf("annotations", "annotation", 999_999_999, "a"), reason: "indices are any number"},
		{name: "an index that is none", before: map[string]any{"annotations.x.annotation.name": "a", "annotations.-1.annotation.name": "a", "annotations.99999999999.annotation.name": "a"}, keeps: 3,
			reason: "no consumer reads it as an annotation"},
		{name: "other attributes", before: map[string]any{"annotations": "a", "annotations.": "a", "annotations.0.other.name": "a", "x": "a"}, keeps: 4, reason: "they are no annotations"},
		{name: "scores of others", before: map[string]any{braintrustScores: `{"toxicity": 0.25}`}, keeps: 1, reason: "they are of another evaluation"},
		{name: "scores of our name", before: map[string]any{braintrustScores: `{"a": 1, "toxicity": 0.25, "b": "x"}`}, keeps: 1, reason: "the others of the object stay"},
		{name: "only scores of our name", before: map[string]any{braintrustScores: `{"a": 1}`}, reason: "nothing is left of the object"},
		{name: "scores that are none", before: map[string]any{braintrustScores: `[1]`}, reason: "none of it could be kept beside ours"},
		{name: "scores that are a number", before: map[string]any{braintrustScores: 1}, reason: "none of it could be kept beside ours"},
		{name: "scores that are null", before: map[string]any{braintrustScores: `null`}, reason: "none of it could be kept beside ours"},
		{name: "very many scores", before: map[string]any{braintrustScores: `{"x":` + strings.Repeat(" ", longestScores) + `1}`}, reason: "work on a span is bounded"},
		{name: "an event of others", more: event(`{"name": "toxicity", "score": 1}`), keeps: 1, reason: "it is of another evaluation"},
		{name: "an event of our name", more: event(`{"name": "x", "name": "a", "score": 1}`), reason: "JavaScript takes the last of two keys"},
		{name: "an event that is no JSON", more: event(`{"name": "a"`), keeps: 1, reason: "LangWatch drops it"},
		{name: "an event without a name", more: event(`[{"name": "a"}]`), keeps: 1, reason: "LangWatch drops it"},
		{name: "a long event", more: event(`{"x":"` + strings.Repeat("x", longestEvent) + `"}`), reason: "work on a span is bounded"},
		{name: "another event", more: func(s ptrace.Span) { s.Events().AppendEmpty().SetName("exception") }, keeps: 1, reason: "it is no evaluation"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			span := spanOf(tc.before)
			if tc.more != nil {
				tc.more(span)
			}
			all.Clean(span)
			require.Equal(t, tc.keeps, span.Attributes().Len()+span.Events().Len(), tc.reason)
			if v, found := span.Attributes().Get(braintrustScores); found {
				require.JSONEq(t, `{"toxicity": 0.25}`, v.Str())
			}
			var none *Forms
			untouched := spanOf(tc.before)
			none.Clean(untouched)
			require.Equal(t, len(tc.before), untouched.Attributes().Len(), "without a form nothing is looked at")
		})
	}
}

// Twice written is once read: a reader may take either of two attributes with one key.
func TestScoresThatStandTwice(t *testing.T) {
	var unmarshaler ptrace.JSONUnmarshaler
	td, err := unmarshaler.UnmarshalTraces([]byte(`{"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": [
		{"key": "braintrust.scores", "value": {"stringValue": "{\"x\": 1}"}},
		{"key": "braintrust.scores", "value": {"stringValue": "{\"a\": 1}"}}]}]}]}]}`))
	require.NoError(t, err)
	span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	all.Clean(span)
	require.Zero(t, span.Attributes().Len())
}

// Ours stand beside those of others, at indices that are free.
func TestScoresBesideOthers(t *testing.T) {
	before := annotationOf("annotations", "annotation", 1, "thumbs")
	before[braintrustScores] = `{"toxicity":0.25}`
	span := spanOf(before)
	all.Clean(span)
	all.Write(span, verdicts[:2])
	read := readOpenInference(t, span)
	require.Len(t, read, 3)
	require.Equal(t, "theirs", read["thumbs"].label)
	require.Equal(t, map[string]float64{"toxicity": 0.25, "a": 0.5, "b": 1}, readBraintrust(t, span))
}

// What is promised about sizes holds for any reason and name.
func FuzzForms(f *testing.F) {
	f.Add("a", "reason", 0.5, true, `{"a":1}`)
	f.Add("\x00\xff<", strings.Repeat("\"", 300), 1.0, false, `{"b":{"a":[]}}`)
	f.Fuzz(func(t *testing.T, metric, reason string, value float64, scored bool, theirs string) {
		if !(value >= 0 && value <= 1) {
			value = 0
		}
		metric = strings.ToValidUTF8(metric, "?")
		forms := New(OpenInference|Braintrust|LangWatch, []string{metric})
		span := spanOf(map[string]any{braintrustScores: theirs, "annotations.0.annotation.name": theirs})
		event := span.Events().AppendEmpty()
		event.SetName(langwatchEvent)
		event.Attributes().PutStr(langwatchJSON, theirs)
		forms.Clean(span)
		v := Verdict{Metric: metric, Scored: scored, Score: value, Passed: scored, Reason: strings.ToValidUTF8(reason, "?")}
		sizer := &ptrace.ProtoMarshaler{}
		clean := sizer.SpanSize(span)
		wire, _ := forms.Write(span, []Verdict{v})
		if grown := sizer.SpanSize(span) - clean; wire < grown {
			t.Errorf("%d bytes were counted, and %d were written", wire, grown)
		}
		before := spanOf(nil)
		span.CopyTo(before)
		forms.Clean(span)
		for key, value := range span.Attributes().All() {
			if strings.HasSuffix(key, ".name") && value.Str() == metric {
				t.Errorf("%q still claims %q", key, metric)
			}
		}
		if _, found := readBraintrustRaw(span)[metric]; found {
			t.Errorf("braintrust.scores still claims %q", metric)
		}
	})
}

func readBraintrustRaw(span ptrace.Span) (scores map[string]json.RawMessage) {
	if v, found := span.Attributes().Get(braintrustScores); found {
		_ = json.Unmarshal([]byte(v.Str()), &scores)
	}
	return scores
}
