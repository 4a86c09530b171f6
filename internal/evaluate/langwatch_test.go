package evaluate

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// writer is for the metrics a and b.
var writer = langWatch{"a", "b"}

// verdicts are one of each kind.
var verdicts = []struct {
	metric, reason string
	scoring.Verdict
}{
	{"a", `Failed: missing "x" <y>.`, scoring.Verdict{Status: scoring.Scored, Score: 0.5}},
	{"b", "", scoring.Verdict{Status: scoring.Scored, Score: 1, Passed: true}},
	{"c", "Not scored: arguments were not captured.", scoring.Verdict{Status: scoring.NotEvaluable}},
	{"d", "Not scored: the original fails.", scoring.Verdict{Status: scoring.Failed}},
}

// spanWith is a span with these evaluations.
func spanWith(evaluations ...string) ptrace.Span {
	span := ptrace.NewSpan()
	span.SetTraceID(pcommon.TraceID{1})
	span.SetSpanID(pcommon.SpanID{2})
	span.SetEndTimestamp(7)
	for _, text := range evaluations {
		e := span.Events().AppendEmpty()
		e.SetName(eventName)
		e.Attributes().PutStr(eventJSON, text)
	}
	return span
}

// A score is an evaluation as LangWatch reads it.
type score struct {
	name, label, explanation, status string
	score                            float64 // NaN if there is none
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

// LangWatch reads each verdict as it was written.
func TestLangWatchReadsTheScores(t *testing.T) {
	span := spanWith()
	for i := range verdicts {
		writer.write(span, verdicts[i].metric, &verdicts[i].Verdict, verdicts[i].reason)
	}
	evaluated, ids := readLangWatch(t, span)
	require.Len(t, evaluated, len(verdicts))
	require.Len(t, ids, len(verdicts), "each has an identity of its own")
	for i := range verdicts {
		v, s := &verdicts[i], evaluated[verdicts[i].metric]
		require.Equal(t, v.metric, s.name)
		require.Equal(t, v.reason, s.explanation)
		require.Equal(t, v.Status == scoring.Scored, !math.IsNaN(s.score))
		if v.Status == scoring.Scored {
			require.InDelta(t, v.Score, s.score, 0)
		}
	}
	require.Equal(t, "fail", evaluated["a"].label)
	require.Equal(t, "pass", evaluated["b"].label)
	require.Equal(t, "not_evaluated", evaluated["c"].label)
	require.Equal(t, "skipped", evaluated["c"].status)
	require.Equal(t, "error", evaluated["d"].status)
}

// Equal verdicts on two spans of a trace are two evaluations, and the same one again is the same.
func TestIdentityOfEvaluations(t *testing.T) {
	idOf := func(span ptrace.Span, metric string) map[string]bool {
		written := ptrace.NewSpan()
		span.CopyTo(written)
		writer.write(written, metric, new(scoring.Verdict), "")
		_, ids := readLangWatch(t, written)
		return ids
	}
	one, other := spanWith(), spanWith()
	other.SetSpanID(pcommon.SpanID{3})
	require.Equal(t, idOf(one, "a"), idOf(spanWith(), "a"))
	require.NotEqual(t, idOf(one, "a"), idOf(other, "a"))
	require.NotEqual(t, idOf(one, "a"), idOf(one, "b"))
}

// What a sender wrote under the name of a metric is gone, and what others wrote stays.
func TestOthersEvaluations(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		keeps      int // events
		reason     string
	}{
		{"an event of others", `{"name": "toxicity", "score": 1}`, 1, "it is of another evaluation"},
		{"an event of our name", `{"name": "x", "name": "a", "score": 1}`, 0, "JavaScript takes the last of two keys"},
		{"an event that is no JSON", `{"name": "a"`, 1, "LangWatch drops it"},
		{"an event without a name", `[{"name": "a"}]`, 1, "LangWatch drops it"},
		{"a long event", `{"x":"` + strings.Repeat("x", longestEvent) + `"}`, 0, "work on a span is bounded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			span := spanWith(tc.text)
			langWatch(nil).clean(span)
			require.Equal(t, 1, span.Events().Len(), "without the form nothing is looked at")
			span.Events().AppendEmpty().SetName("exception")
			writer.clean(span)
			require.Equal(t, tc.keeps+1, span.Events().Len(), tc.reason)
		})
	}
}

// What is written can be removed again, whatever its reason and name.
func FuzzWriter(f *testing.F) {
	f.Add("a", "reason", 0.5, true, `{"a":1}`)
	f.Add("\x00\xff<", strings.Repeat("\"", 300), 1.0, false, `{"b":{"a":[]}}`)
	f.Fuzz(func(t *testing.T, metric, reason string, value float64, scored bool, theirs string) {
		if !(value >= 0 && value <= 1) {
			value = 0
		}
		metric = strings.ToValidUTF8(metric, "?")
		w := langWatch{metric}
		span := spanWith(theirs)
		w.clean(span)
		v := scoring.Verdict{Status: scoring.NotEvaluable, Score: value, Passed: scored}
		if scored {
			v.Status = scoring.Scored
		}
		left := span.Events().Len()
		w.write(span, metric, &v, strings.ToValidUTF8(reason, "?"))
		w.clean(span)
		if n := span.Events().Len(); n != left {
			t.Errorf("%d events are left of %d: ours have to go", n, left)
		}
	})
}
