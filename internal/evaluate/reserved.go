package evaluate

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// reservedKeys has the attributes that only this processor writes on a run's span: those of the run, and those of its
// metrics. A sender may have written them already, and a reader could not distinguish such a verdict from ours. So they are
// removed from every span that is known to be an agent's, whether it will be judged or not.
type reservedKeys struct {
	keys map[string]struct{}
	// lengths has a bit for each length of a key, so that few other attributes are hashed. All lengths from longestBit on
	// share the last bit.
	lengths uint64
}

// longestBit is the length whose bit is shared by all longer keys.
const longestBit = 63

func newReservedKeys(all []*metricKeys) reservedKeys {
	o := reservedKeys{keys: make(map[string]struct{})}
	for _, key := range attributes.OfRun() {
		o.add(key)
	}
	for _, keys := range all {
		for _, key := range keys.OnAnchor() {
			o.add(key)
		}
	}
	return o
}

func (o *reservedKeys) add(key string) {
	o.keys[key] = struct{}{}
	o.lengths |= 1 << min(len(key), longestBit)
}

func (o *reservedKeys) has(key string) bool {
	if o.lengths&(1<<min(len(key), longestBit)) == 0 {
		return false
	}
	_, has := o.keys[key]
	return has
}

// Clean removes the attributes that only this processor writes from an agent's span, also those that a sender wrote. Several goroutines
// may call it at once.
func (e *Evaluator) Clean(span ptrace.Span) {
	e.reserved.removeFrom(span.Attributes())
	e.forms.Clean(span)
}

// removeFrom removes all reserved keys from m, also a key that occurs twice. Usually m has none, and the lengths of its keys
// show that.
func (o *reservedKeys) removeFrom(m pcommon.Map) {
	for key := range m.All() {
		if o.has(key) {
			m.RemoveIf(func(key string, _ pcommon.Value) bool { return o.has(key) })
			return
		}
	}
}
