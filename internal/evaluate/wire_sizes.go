package evaluate

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// valueWire is how many bytes an attribute with a number, or without a value, takes on the wire besides its key and text.
// elementWire is the same for an element of a list besides its text.
const (
	valueWire   = 28
	elementWire = 6
)

// metricKeys are how the verdicts of one metric are written.
type metricKeys struct {
	attributes.Keys
	sets bool // the metric takes expected tools and calls for sets
	// wire is how many bytes the keys and their values take on a run's span, without reason and expectation.
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

// sizes are bytes on the wire: what is written on each run's span, without texts that differ, and the most on a call's span.
type sizes struct{ run, mostOnCall int }

// sizesOf returns the sizes with the names and the fingerprint of a set of expectations.
func (e *Evaluator) sizesOf(set *ExpectationSet) (s sizes) {
	for _, key := range attributes.OfRun() {
		s.run += len(key) + valueWire
	}
	s.run += len(set.Fingerprint)
	for _, k := range e.keys {
		s.mostOnCall += len(k.CallVerdict) + len(k.CallCredit) + 2*valueWire
	}
	return s
}
