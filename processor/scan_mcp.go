package processor

import (
	"sync"
	"sync/atomic"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/correlate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
)

// mcpSpans are the MCP spans of calls: see [correlate.MCPSpans].
type mcpSpans struct {
	any  atomic.Bool // there are, or were, any
	mu   sync.Mutex
	seen *correlate.MCPSpans // guarded by mu
	size atomic.Int64        // of seen, in bytes
}

// bytes is what is remembered keeps alive.
func (e *mcpSpans) bytes() int64 { return e.size.Load() }

// add returns false for what is known already.
func (e *mcpSpans) add(from agentrun.Process, c agentrun.Call) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.any.Store(true)
	defer func() { e.size.Store(int64(e.seen.Size())) }()
	return e.seen.Add(from, c)
}

func (e *mcpSpans) restore(evidence []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.any.Store(true)
	defer func() { e.size.Store(int64(e.seen.Size())) }()
	return e.seen.Restore(evidence)
}

// rememberMCPSpans keeps the MCP spans of a batch.
func (p *Processor) rememberMCPSpans(b *batch) {
	for i := range b.Recognized {
		k := &b.Recognized[i]
		if k.Reading.Role != dialect.ToolCall || !k.Reading.Traits.Has(dialect.MCP) {
			continue
		}
		c := k.Call()
		p.mcpSpans.add(k.Span.Process, c)
		b.tx.AddMCPSpan(k.Span.Process, c) // known or not: the first batch with it may have been refused
	}
}

// fillIn completes the calls of runs. Where no protocol was seen, which is mostly so, it costs nothing.
func (e *mcpSpans) fillIn(runs []agentrun.Run) {
	if !e.any.Load() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range runs {
		e.seen.FillIn(&runs[i])
	}
}
