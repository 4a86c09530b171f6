package processor

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
)

// rememberMCPSpans keeps the MCP spans of a batch.
func (p *Processor) rememberMCPSpans(now time.Time, b *batch) {
	for i := range b.Recognized {
		k := &b.Recognized[i]
		if k.Reading.Role != dialect.ToolCall || !k.Reading.Traits.Has(dialect.MCP) {
			continue
		}
		c := k.Call()
		p.mcpSpans.Add(pcommon.NewTimestampFromTime(now), k.Span.Process, c)
		b.tx.AddMCPSpan(k.Span.Process, c) // also if the table has it: the batch that brought it may have been refused, and not stored
	}
}
