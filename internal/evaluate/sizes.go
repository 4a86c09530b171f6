package evaluate

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// valueWire is what an attribute takes on the wire beside its key and text, in bytes, with a number or none. elementWire is what
// an element of a list takes beside its text.
const (
	valueWire   = 28
	elementWire = 6
)

// metricKeys are how the verdicts of one metric are written.
type metricKeys struct {
	attributes.Keys
	sets bool // the metric takes expected tools and calls for sets
	// wire is what they and their values take on a run's span, in bytes on the wire, without reason and expectation.
	wire int
}

func newMetricKeys(m *Metric) *metricKeys {
	native, is := m.Method.(*scoring.Native)
	k := &metricKeys{Keys: attributes.Of(m.Name), sets: is && native.Options().Repeats == scoring.UniqueRepeats}
	for _, key := range k.OnAnchor() {
		k.wire += len(key) + valueWire
	}
	return k
}

// sizes are what is written on a span, in bytes on the wire: on each run's without texts that differ, on a run's at most, and on a
// call's at most.
type sizes struct{ run, mostOnRun, mostOnCall int }

// sizesOf finds out what is written on spans with the names and the fingerprint of a set of expectations.
func (e *Evaluator) sizesOf(set *ExpectationSet) (s sizes) {
	for _, key := range attributes.OfRun() {
		s.run += len(key) + valueWire
	}
	s.run += len(set.Fingerprint)
	longest := 0
	for i := range set.Expectations {
		longest = max(longest, len(set.Expectations[i].Name))
	}
	const lists = 4
	s.mostOnRun = s.run + formsWire(e.forms, &e.set) + maxName + longest + lists*maxNames*(maxName+elementWire)
	for _, k := range e.keys {
		s.mostOnRun += k.wire + maxReason + longest
		s.mostOnCall += len(k.CallVerdict) + len(k.CallCredit) + 2*valueWire
	}
	return s
}

// MostOnRun is how many bytes on the wire are written on the span of a run at most.
func (e *Evaluator) MostOnRun() int { return e.sizes.mostOnRun }

// MostOnCall is how many bytes on the wire are written on the span of a call at most.
func (e *Evaluator) MostOnCall() int { return e.sizes.mostOnCall }
