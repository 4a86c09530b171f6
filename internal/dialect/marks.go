package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// A markers is a set of dialects, one bit for each in their order.
type markers uint32

// A mark is an attribute that marks the spans of a dialect.
type mark struct {
	key      string
	dialects markers
}

// marks is a hash table of all marks, in which a key is at its slot or in the next ones. Each key of every span of every trace is looked
// up: that takes 1.5 ns.
var marks = func() (table [256]mark) {
	for i := range dialects {
		for _, key := range dialects[i].marks {
			slot := markSlot(key)
			for table[slot].key != "" && table[slot].key != key {
				slot++
			}
			table[slot].key = key
			table[slot].dialects |= 1 << i
		}
	}
	return table
}()

// markSlot is a hash of a key, from its length and one of its bytes.
func markSlot(key string) uint8 {
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
		for slot := markSlot(key); marks[slot].key != ""; slot++ {
			if marks[slot].key == key {
				found |= marks[slot].dialects
				break
			}
		}
	}
	return found
}

// markedScopes are the scopes of dialects. A name that ends with a star stands for all that begin so.
var markedScopes = func() (all []mark) {
	for i := range dialects {
		for _, scope := range dialects[i].scopes {
			all = append(all, mark{scope, 1 << i})
		}
	}
	return all
}()

func scopeMarkers(scope string) (found markers) {
	for i := range markedScopes {
		if isScope(scope, markedScopes[i].key) {
			found |= markedScopes[i].dialects
		}
	}
	return found
}

// isScope reports whether a scope has the name, or begins like a name with a star.
func isScope(scope, name string) bool {
	if last := len(name) - 1; name[last] == '*' {
		return strings.HasPrefix(scope, name[:last])
	}
	return scope == name
}
