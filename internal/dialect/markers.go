package dialect

import "go.opentelemetry.io/collector/pdata/pcommon"

// markers is a set of the marker keys that a span carries. Each dialect has one bit, in the order of the dialects.
type markers uint32

const (
	vercelMarker markers = 1 << iota
	adkMarker
	strandsMarker
	claudeMarker
	voltAgentMarker
	pydanticMarker
	langSmithMarker
	langfuseMarker
	traceloopMarker
	genkitMarker
	mastraMarker
	springAIMarker
	haystackMarker
	mlflowMarker
	agentOpsMarker
	difyMarker
	liveKitMarker
	logfireMarker
	genAIMarker
	mcpMarker
	openInferenceMarker
)

// markerKeys are the attribute keys that mark a dialect's spans.
var markerKeys = [...]struct {
	key    string
	marker markers
}{
	{vercelOperation, vercelMarker},
	{strandsStatus, strandsMarker}, // Strands, under a name that the application gave its tracer
	{langSmithKind, langSmithMarker},
	{langfuseType, langfuseMarker},
	{traceloopKind, traceloopMarker},
	{genkitType, genkitMarker},
	{mastraType, mastraMarker},
	{springAIKind, springAIMarker},
	{haystackTool, haystackMarker},
	{haystackSteps, haystackMarker},
	{mlflowType, mlflowMarker},
	{agentOpsKind, agentOpsMarker},
	{difyKind, difyMarker},
	{liveKitTool, liveKitMarker},
	{logfireTemplate, logfireMarker},
	{genAIOperation, genAIMarker},
	{mcpMethod, mcpMarker},
	{openInferenceKind, openInferenceMarker},
}

// markerSlots is a hash table of markerKeys in which each has a slot of its own. Each key of every span of every trace is
// looked up. A slot takes 1.5 ns for a key, a switch over these constants 3 ns. A slot's value is the key's place in
// markerKeys and one, 0 if there is none.
var markerSlots = func() (slots [256]uint8) {
	for i, m := range markerKeys {
		at := &slots[markerSlot(m.key)]
		if *at != 0 {
			panic("two marker keys share a slot: " + m.key)
		}
		*at = uint8(i + 1)
	}
	return slots
}()

// markerSlot is a hash of a key, from its length and one of its bytes. It is different for all markerKeys.
func markerSlot(key string) uint8 {
	const least = 4 // nearly every key is longer, so the CPU foresees the branch; by the shortest marker it would not
	if len(key) < least {
		return 0
	}
	return uint8(len(key)*26) + key[least-1]
}

// findMarkers walks over the attributes once, and looks at keys only: whether a marker's value means anything is for
// the dialect to say.
func findMarkers(attributes pcommon.Map) markers {
	var found markers
	for key := range attributes.All() {
		if i := markerSlots[markerSlot(key)]; i != 0 && markerKeys[i-1].key == key {
			found |= markerKeys[i-1].marker
		}
	}
	return found
}

// scopeMarkers are those of dialects that are known by the name of their scope, because some of their spans carry no
// attribute that marks them.
func scopeMarkers(scope string) markers {
	switch scope {
	case adkScope:
		return adkMarker
	case "strands-agents", "strands.telemetry.tracer":
		return strandsMarker
	case "com.anthropic.claude_code.tracing":
		return claudeMarker
	case "@voltagent/core":
		return voltAgentMarker
	case "pydantic-ai":
		return pydanticMarker
	}
	switch {
	case isOpenInference(scope):
		return openInferenceMarker
	case isTraceloop(scope):
		return traceloopMarker
	}
	return 0
}
