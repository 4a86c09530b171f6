package scan

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
)

// The flags of a span that say whether its parent is in another process (opentelemetry-proto, trace.proto, SpanFlags).
const (
	flagHasIsRemote = 0x100
	flagIsRemote    = 0x200
)

// isLocalRoot reports whether a span is the first one of its trace in its process. A tool call is so only if it has no
// parent, because the agent of a server's span is in another process. An MCP span never is, because the agent that called it
// is recorded elsewhere.
func isLocalRoot(span ptrace.Span, reading *dialect.Reading) bool {
	if reading.Role == dialect.Session || reading.Traits.Has(dialect.MCP) {
		return false
	}
	parent := span.ParentSpanID()
	return parent.IsEmpty() || reading.Role != dialect.ToolCall && isFirst(span, parent)
}

// isFirst reports whether a span has no parent in its process.
func isFirst(span ptrace.Span, parent pcommon.SpanID) bool {
	const remote = flagHasIsRemote | flagIsRemote
	kind := span.Kind()
	return parent == (pcommon.SpanID{}) || span.Flags()&remote == remote || kind == ptrace.SpanKindServer || kind == ptrace.SpanKindConsumer
}
