package attributes

import "go.opentelemetry.io/collector/pdata/pcommon"

// Reserved has the attributes that only this processor writes on a run's span: those of the run, and those of its
// metrics. A sender may have written them already, and a reader could not distinguish such a verdict from ours. So they are
// removed from every span that is known to be an agent's, whether it will be judged or not.
type Reserved map[string]struct{}

// NewReserved returns the attributes of the run with a prefix, and those of metrics.
func NewReserved(prefix string, metrics []string) Reserved {
	r := Reserved{}
	for _, key := range RunKeys {
		r[OfRun(key, prefix)] = struct{}{}
	}
	for _, metric := range metrics {
		k := Of(metric)
		for _, key := range []string{k.Score, k.Passed, k.Reason, k.Threshold, k.Status, k.Expectation, k.Run} {
			r[key] = struct{}{}
		}
	}
	return r
}

// RemoveFrom removes all reserved keys from m, also a key that occurs twice. Several goroutines may call it at once.
func (r Reserved) RemoveFrom(m pcommon.Map) {
	m.RemoveIf(func(key string, _ pcommon.Value) bool {
		_, reserved := r[key]
		return reserved
	})
}
