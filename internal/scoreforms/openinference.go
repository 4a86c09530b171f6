package scoreforms

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// The attributes of an annotation. The same feedback may stand under either prefix, and consumers treat both alike.
const (
	annotations  = "annotations."
	evaluations  = "evaluations."
	annotation   = ".annotation."
	evaluation   = ".evaluation."
	name         = "name"
	identifier   = "tool_correctness" // which producer's annotation this is, if several have one name
	annotatedBy  = "CODE"             // by deterministic code
	longestIndex = 9
)

// indexOf reads an attribute of an annotation: its index, and the field that it has.
func indexOf(key string) (prefix string, index int, field string, ok bool) {
	inner := annotation
	switch {
	case hasPrefix(key, annotations):
		prefix = annotations
	case hasPrefix(key, evaluations):
		prefix, inner = evaluations, evaluation
	default:
		return "", 0, "", false
	}
	digits, field, ok := strings.Cut(key[len(prefix):], inner)
	if !ok || len(digits) > longestIndex {
		return "", 0, "", false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	return prefix, int(n), field, err == nil
}

// A place is where an annotation stands.
type place struct {
	prefix string
	index  int
}

// cleanOpenInference removes all attributes of an annotation whose name is that of a metric.
func (f *Forms) cleanOpenInference(m pcommon.Map) {
	var gone map[place]struct{}
	for key, v := range m.All() {
		prefix, index, field, ok := indexOf(key)
		if ok && field == name && f.ours(v.AsString()) {
			if gone == nil {
				gone = make(map[place]struct{})
			}
			gone[place{prefix, index}] = struct{}{}
		}
	}
	if gone == nil {
		return
	}
	m.RemoveIf(func(key string, _ pcommon.Value) bool {
		prefix, index, _, ok := indexOf(key)
		_, is := gone[place{prefix, index}]
		return ok && is
	})
}

// writeOpenInference writes an annotation for each verdict, at the lowest indices that are free.
func writeOpenInference(m pcommon.Map, verdicts []Verdict, s *size) {
	taken := make(map[int]struct{})
	for key := range m.All() {
		if prefix, index, _, ok := indexOf(key); ok && prefix == annotations {
			taken[index] = struct{}{}
		}
	}
	index := -1
	for i := range verdicts {
		v := &verdicts[i]
		for index++; ; index++ {
			if _, is := taken[index]; !is {
				break
			}
		}
		at := annotations + strconv.Itoa(index) + annotation
		put := func(field, value string) {
			m.PutStr(at+field, value)
			s.add(at, field, value)
		}
		put(name, v.Metric)
		if v.Scored {
			m.PutDouble(at+"score", v.Score)
			s.add(at, "score")
		}
		put("label", v.label())
		if v.Reason != "" { // an absent value must not be an empty text
			put("explanation", v.Reason)
		}
		put("annotator_kind", annotatedBy)
		put("identifier", identifier)
	}
}
