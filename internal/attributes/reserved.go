package attributes

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Reserved has the attributes that only this processor writes on a run's span: those of the run, and those of its
// metrics. A sender may have written them already, and a reader could not distinguish such a verdict from ours. So they are
// removed from every span that is known to be an agent's, whether it will be judged or not.
type Reserved struct {
	keys map[string]struct{}
	// lengths has a bit for each length of a key, so that few other attributes are hashed. All lengths from longestBit on
	// share the last bit.
	lengths uint64
}

// longestBit is the length whose bit is shared by all longer keys.
const longestBit = 63

// NewReserved returns the reserved attributes of the run, which have a prefix. [Reserved.Add] adds those of a metric.
func NewReserved(prefix string) Reserved {
	r := Reserved{keys: make(map[string]struct{})}
	for _, key := range OfRun() {
		r.add(prefix + strings.TrimPrefix(key, DefaultMetric))
	}
	return r
}

// Add reserves the attributes of a metric.
func (r *Reserved) Add(metric *Keys) {
	for _, key := range metric.OnAnchor() {
		r.add(key)
	}
}

func (r *Reserved) add(key string) {
	r.keys[key] = struct{}{}
	r.lengths |= 1 << min(len(key), longestBit)
}

func (r *Reserved) has(key string) bool {
	if r.lengths&(1<<min(len(key), longestBit)) == 0 {
		return false
	}
	_, has := r.keys[key]
	return has
}

// RemoveFrom removes all reserved keys from m, also a key that occurs twice. Usually m has none, and the lengths of its keys
// show that. Several goroutines may call it at once.
func (r *Reserved) RemoveFrom(m pcommon.Map) {
	for key := range m.All() {
		if r.has(key) {
			m.RemoveIf(func(key string, _ pcommon.Value) bool { return r.has(key) })
			return
		}
	}
}
