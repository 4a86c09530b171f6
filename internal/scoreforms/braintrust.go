package scoreforms

import (
	"bytes"
	"encoding/json"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// braintrustScores is a JSON object of names and scores from 0 to 1.
const braintrustScores = "braintrust.scores"

// longestScores is how long a text of others is at most that is read, in bytes. A longer one is removed.
const longestScores = 16 << 10

// scoresOf are the scores that others wrote. ok is false if the attribute is no object, and then none of it can be kept.
func scoresOf(v pcommon.Value) (scores map[string]json.RawMessage, ok bool) {
	if v.Type() != pcommon.ValueTypeStr || len(v.Str()) > longestScores {
		return nil, false
	}
	err := json.Unmarshal([]byte(v.Str()), &scores)
	return scores, err == nil && scores != nil
}

// cleanBraintrust removes scores of our metrics. It leaves the text of others as they wrote it if it has none.
func (f *Forms) cleanBraintrust(m pcommon.Map) {
	var v pcommon.Value
	found := 0
	for key, value := range m.All() {
		if key == braintrustScores {
			v, found = value, found+1
		}
	}
	if found == 0 {
		return
	}
	scores, ok := scoresOf(v)
	if !ok || found > 1 { // a reader may take any of them
		m.RemoveIf(func(key string, _ pcommon.Value) bool { return key == braintrustScores })
		return
	}
	before := len(scores)
	for name := range scores {
		if f.ours(name) {
			delete(scores, name)
		}
	}
	switch {
	case len(scores) == before:
		return
	case len(scores) == 0:
		m.RemoveIf(func(key string, _ pcommon.Value) bool { return key == braintrustScores })
	default:
		v.SetStr(encode(scores))
	}
}

// writeBraintrust adds the scores of the verdicts to those of others. A verdict without a score has no place there.
func writeBraintrust(m pcommon.Map, verdicts []Verdict, s *size) {
	scores := make(map[string]json.RawMessage, len(verdicts))
	if v, found := m.Get(braintrustScores); found {
		if others, ok := scoresOf(v); ok {
			scores = others
		}
	}
	before := len(scores)
	for i := range verdicts {
		if v := &verdicts[i]; v.Scored {
			scores[v.Metric] = json.RawMessage(encode(v.Score))
		}
	}
	if len(scores) == before {
		return
	}
	text := encode(scores)
	m.PutStr(braintrustScores, text)
	s.add(braintrustScores, text)
}

// encode is a value as JSON, with keys in order and no escapes for HTML.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // values of this package always have JSON
		return "{}"
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
