package dialect

import "go.opentelemetry.io/collector/pdata/pcommon"

// markers is a set of the marker keys that a span carries.
type markers uint32

const (
	vercelMarker markers = 1 << iota
	genAIMarker
	openInferenceMarker
)

// findMarkers walks over the attributes once. Every span of every trace pays for this walk, so it looks at keys
// only: whether a marker's value means anything is for the dialect to say. A switch over constants is the fastest
// way to tell keys apart: it compares lengths first, and few ordinary keys have the length of a marker.
func findMarkers(attributes pcommon.Map) markers {
	var found markers
	for key := range attributes.All() {
		switch key {
		case vercelOperation:
			found |= vercelMarker
		case genAIOperation:
			found |= genAIMarker
		case openInferenceKind:
			found |= openInferenceMarker
		}
	}
	return found
}
