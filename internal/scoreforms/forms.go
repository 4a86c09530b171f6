package scoreforms

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A Form is how one kind of backend reads scores.
type Form uint8

// The forms.
const (
	OpenInference Form = 1 << iota
	Braintrust
	LangWatch
)

// Native is the name in a configuration of the verdict's own attributes, which are always written, because the connector,
// conditions and alerts read them. It is no [Form].
const Native = "native"

// words has the name that each form has in a configuration.
var words = []struct {
	word string
	form Form
}{
	{Native, 0},
	{"openinference", OpenInference},
	{"braintrust", Braintrust},
	{"langwatch", LangWatch},
}

// Words are the words that [Parse] knows, the default first.
func Words() (all []string) {
	for _, w := range words {
		all = append(all, w.word)
	}
	return all
}

// Parse is the form of a word, or 0 for [Native] and for an unknown word.
func Parse(word string) Form {
	for _, w := range words {
		if w.word == word {
			return w.form
		}
	}
	return 0
}

// The labels of a verdict, in the words of the log records.
const (
	labelPass         = "pass"
	labelFail         = "fail"
	labelNotEvaluated = "not_evaluated"
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

func (v *Verdict) label() string {
	switch {
	case !v.Scored:
		return labelNotEvaluated
	case v.Passed:
		return labelPass
	}
	return labelFail
}

// Forms writes verdicts in the forms of a configuration. A nil Forms writes nothing.
type Forms struct {
	forms   Form
	metrics map[string]struct{}
}

// New returns a writer of these forms, for metrics with these names. It returns nil if there is no form.
func New(forms Form, metrics []string) *Forms {
	if forms == 0 {
		return nil
	}
	f := &Forms{forms: forms, metrics: make(map[string]struct{}, len(metrics))}
	for _, name := range metrics {
		f.metrics[name] = struct{}{}
	}
	return f
}

func (f *Forms) ours(name string) bool {
	_, ours := f.metrics[name]
	return ours
}

// Clean removes from a span every evaluation that has the name of a metric. What others wrote under other names stays.
func (f *Forms) Clean(span ptrace.Span) {
	if f == nil {
		return
	}
	if f.forms&OpenInference != 0 {
		f.cleanOpenInference(span.Attributes())
	}
	if f.forms&Braintrust != 0 {
		f.cleanBraintrust(span.Attributes())
	}
	if f.forms&LangWatch != 0 {
		f.cleanLangWatch(span.Events())
	}
}

// Write writes verdicts on the span of a run, which is clean. It returns how many bytes that is on the wire, and in how many
// attributes and events.
func (f *Forms) Write(span ptrace.Span, verdicts []Verdict) (wire, parts int) {
	if f == nil {
		return 0, 0
	}
	s := size{}
	if f.forms&OpenInference != 0 {
		writeOpenInference(span.Attributes(), verdicts, &s)
	}
	if f.forms&Braintrust != 0 {
		writeBraintrust(span.Attributes(), verdicts, &s)
	}
	if f.forms&LangWatch != 0 {
		writeLangWatch(span, verdicts, &s)
	}
	return s.wire, s.parts
}

// framing is what an attribute or an event takes on the wire beside its texts, in bytes, with a number or none.
const framing = 40

// A size is what was written.
type size struct{ wire, parts int }

func (s *size) add(texts ...string) {
	for _, text := range texts {
		s.wire += len(text)
	}
	s.wire += framing
	s.parts++
}

// hasPrefix is [strings.CutPrefix] that looks at the length first: most attributes of a span are others.
func hasPrefix(key, prefix string) bool {
	return len(key) > len(prefix) && strings.HasPrefix(key, prefix)
}
