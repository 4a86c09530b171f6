package toolcorrectnessconnector

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A verdict is what one metric says of a run, as the span has it.
type verdict struct {
	metric      string
	run         attributes.RunKeys // as the processor that judged the run writes them
	status      string
	score       float64 // in [0, 1], if scored
	passed      bool
	reason      string
	expectation string // the metric's own, or the run's
	testCase    string // that of the run, if the metric met the run's expectation
}

func (v *verdict) scored() bool { return v.status == scoring.Scored.String() }

// failedToJudge reports whether the method itself failed, which the conventions call an error.
func (v *verdict) failedToJudge() bool {
	return v.status == scoring.Failed.String() || v.status == scoring.Undefined.String()
}

// label is the short form of the verdict: pass, fail or not_evaluated.
func (v *verdict) label() string {
	switch {
	case !v.scored():
		return "not_evaluated"
	case v.passed:
		return "pass"
	}
	return "fail"
}

// runOf are the attributes of the run that a metric's verdict belongs to. It is false if no processor judged the run.
func runOf(m pcommon.Map, metric *attributes.Keys) (attributes.RunKeys, bool) {
	prefix, apart := text(m, metric.Run)
	if !apart {
		prefix = attributes.DefaultMetric
	}
	run := attributes.RunKeysOf(prefix)
	_, judged := text(m, run.Config)
	return run, judged
}

const statusSuffix = ".status"

// verdictsOf returns the verdicts among the attributes of a judged span, in the order of the attributes. unreadable counts
// the verdicts whose attributes do not fit together.
func verdictsOf(m pcommon.Map) (all []verdict, unreadable int) {
	for key := range m.All() {
		metric, found := strings.CutSuffix(key, statusSuffix)
		if !found || metric == "" {
			continue
		}
		keys := attributes.Of(metric)
		if _, ours := m.Get(keys.Passed); !ours {
			continue // another attribute whose name ends so, such as http.status
		}
		run, judged := runOf(m, &keys)
		if !judged {
			if _, apart := m.Get(keys.Run); apart {
				unreadable++
			}
			continue
		}
		if v, ok := verdictOf(m, metric, &keys, &run); ok {
			all = append(all, v)
		} else {
			unreadable++
		}
	}
	return all, unreadable
}

// verdictOf reads the verdict of one metric. It reports false if an attribute has a value that the processor never writes.
func verdictOf(m pcommon.Map, metric string, keys *attributes.Keys, run *attributes.RunKeys) (v verdict, ok bool) {
	v.metric, v.run = metric, *run
	v.status, ok = text(m, keys.Status)
	if !ok || !known(v.status) {
		return v, false
	}
	passed, _ := m.Get(keys.Passed)
	if passed.Type() != pcommon.ValueTypeBool {
		return v, false
	}
	v.passed = passed.Bool()
	score, found := m.Get(keys.Score)
	if found != v.scored() || v.passed && !found {
		return v, false
	}
	if found {
		if v.score, ok = attributes.Score(score); !ok {
			return v, false
		}
	}
	if v.reason, ok = optionalText(m, keys.Reason); !ok {
		return v, false
	}
	whole, fine := optionalText(m, run.Expectation)
	if v.expectation, ok = optionalText(m, keys.Expectation); v.expectation == "" && ok {
		v.expectation, ok = whole, fine
	}
	if v.expectation == whole {
		v.testCase, _ = text(m, run.Case)
	}
	return v, ok
}

// known reports whether the processor writes this status.
func known(status string) bool {
	for s := scoring.Scored; s <= scoring.Pending; s++ {
		if s.String() == status {
			return true
		}
	}
	return false
}

func text(m pcommon.Map, key string) (string, bool) {
	v, found := m.Get(key)
	if !found || v.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return v.Str(), true
}

// optionalText is "" where the attribute is missing. It reports false if the attribute is no text.
func optionalText(m pcommon.Map, key string) (string, bool) {
	if _, found := m.Get(key); !found {
		return "", true
	}
	return text(m, key)
}
