package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// A markers is a set of dialects, one bit for each in their order.
type markers uint64

// A mark is an attribute or a scope that marks the spans of a dialect. A scope that ends with a star stands for all that begin so.
type mark struct {
	name     string
	dialects markers
}

// keyMarks are the attributes, and keySlots a hash table of their places and one, in which a key is at its slot or in the next ones. Each
// key of every span of every trace is looked up: that takes 1.5 ns.
var keyMarks, keySlots = func() (all []mark, slots [256]uint8) {
	for i := range dialects {
		for _, key := range dialects[i].marks {
			slot := keySlot(key)
			for slots[slot] != 0 {
				slot++
			}
			all = append(all, mark{key, 1 << i})
			slots[slot] = uint8(len(all))
		}
	}
	return all, slots
}()

// keySlot is a hash of a key, from its length and one of its bytes.
func keySlot(key string) uint8 {
	const least = 4 // nearly every key is longer, so the CPU foresees the branch; by the shortest mark it would not
	if len(key) < least {
		return 0
	}
	return uint8(len(key)*26) + key[least-1]
}

// findMarkers walks over the attributes once, and looks at keys only: whether a mark's value means anything is for the dialect to say.
func findMarkers(attributes pcommon.Map) markers {
	var found markers
	for key := range attributes.All() {
		for slot := keySlot(key); keySlots[slot] != 0; slot++ {
			if m := &keyMarks[keySlots[slot]-1]; m.name == key {
				found |= m.dialects
			}
		}
	}
	return found
}

// scopeMarks are the scopes, and scopeLengths the lengths of those without a star, as bits: most scopes have another one.
var scopeMarks, scopePrefixes, scopeLengths = func() (all, prefixes []mark, lengths uint64) {
	for i := range dialects {
		for _, scope := range dialects[i].scopes {
			if prefix, ok := strings.CutSuffix(scope, "*"); ok {
				prefixes = append(prefixes, mark{prefix, 1 << i})
				continue
			}
			all, lengths = append(all, mark{scope, 1 << i}), lengths|1<<(len(scope)%64)
		}
	}
	return all, prefixes, lengths
}()

func scopeMarkers(scope string) (found markers) {
	if scopeLengths&(1<<(len(scope)%64)) != 0 {
		for i := range scopeMarks {
			if scopeMarks[i].name == scope {
				return scopeMarks[i].dialects
			}
		}
	}
	for i := range scopePrefixes {
		if strings.HasPrefix(scope, scopePrefixes[i].name) {
			return scopePrefixes[i].dialects
		}
	}
	return 0
}
